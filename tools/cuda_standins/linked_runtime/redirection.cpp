#include "tools/cuda_standins/linked_runtime/redirection.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vramlab::linked_runtime {
namespace {

using Code = std::vector<unsigned char>;

/// The jumps below are instructions of x86-64.
#ifdef __x86_64__
constexpr bool can_jump = true;
#else
constexpr bool can_jump = false;
#endif

void add_number(Code& code, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8)
    code.push_back(static_cast<unsigned char>(number >> shift));
}

/// movabs r11, target; jmp r11. No function takes an argument in r11.
Code jump_to(std::uint64_t target) {
  Code code = {0x49, 0xbb};
  add_number(code, target);
  code.insert(code.end(), {0x41, 0xff, 0xe3});
  return code;
}

/// movabs rdi, name; and the jump: the name is the first argument.
Code call_by_name(const char* name, std::uint64_t target) {
  Code code = {0x48, 0xbf};
  add_number(code, reinterpret_cast<std::uint64_t>(name));
  const Code jump = jump_to(target);
  code.insert(code.end(), jump.begin(), jump.end());
  return code;
}

/// Compilers fill the gap between two functions with instructions that do nothing, or with traps.
bool begins_with_filling(ByteView code) {
  while (!code.empty() && (code.front() == 0x66 || code.front() == 0x2e)) code = code.subspan(1);
  if (code.empty()) return false;
  const bool is_long = code.size() > 1 && code[0] == 0x0f && code[1] == 0x1f;
  return is_long || code[0] == 0x90 || code[0] == 0xcc;
}

/// The bytes that may be written over: the function, and the gap behind it.
std::uint64_t room_of(const NamedFunction& function) {
  constexpr std::uint64_t alignment = 16;
  const std::uint64_t bytes = std::min<std::uint64_t>(function.bytes, function.code.size());
  const std::uint64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (function.address % alignment != 0 || rounded > function.code.size() || bytes == rounded ||
      !begins_with_filling(function.code.subspan(bytes, rounded - bytes)))
    return bytes;
  return rounded;
}

bool has(const std::vector<NamedFunction>& functions, std::string_view name) {
  return std::ranges::find(functions, name, &NamedFunction::name) != functions.end();
}

/// The code of a linked library lies in one piece. So a function of the program's own that is named
/// like one of the runtime lies outside of the functions that are known.
class Extent {
 public:
  Extent(const std::vector<NamedFunction>& functions, const StandInRuntime& runtime) {
    for (const NamedFunction& function : functions)
      if (runtime.functions.contains(function.name)) {
        first_ = std::min(first_, function.address);
        last_ = std::max(last_, function.address);
      }
  }
  bool has(std::uint64_t address) const { return first_ <= address && address <= last_; }

 private:
  std::uint64_t first_ = UINT64_MAX;
  std::uint64_t last_ = 0;
};

}  // namespace

std::optional<int> version_of(const std::vector<NamedFunction>& functions) {
  // Each program with kernels has the first; nobody but the runtime has the second.
  if (!has(functions, "__cudaRegisterFatBinary") && !has(functions, "cudaGetExportTable"))
    return std::nullopt;
  // Version 12 began with new properties and without references to textures, and kept these
  // functions of old; 13 went without them.
  if (has(functions, "cudaGetDeviceProperties_v2")) return 12;
  if (has(functions, "__cudaRegisterTexture") || has(functions, "cudaThreadExit")) return 11;
  return 13;
}

Plan plan_of(const std::vector<NamedFunction>& functions, const StandInRuntimes& runtimes) {
  Plan plan;
  const auto version = version_of(functions);
  if (!version) return plan;
  if (!can_jump) {
    plan.stays = "its functions are replaced on x86-64 only";
    return plan;
  }
  const auto runtime = runtimes.find(*version);
  if (runtime == runtimes.end()) {
    plan.stays = "it is of version " + std::to_string(*version) + ", which has no stand-in";
    return plan;
  }
  const Extent extent(functions, runtime->second);
  std::size_t too_short = 0;
  for (const NamedFunction& function : functions) {
    const auto target = runtime->second.functions.find(function.name);
    const bool is_known = target != runtime->second.functions.end();
    if (!is_known && !extent.has(function.address)) continue;
    const Code code = is_known
                          ? jump_to(target->second)
                          : call_by_name(function.name.data(), runtime->second.unknown_function);
    if (room_of(function) >= code.size())
      plan.jumps.push_back({function.address, code, function.code.first(code.size())});
    else if (too_short++ == 0)
      plan.stays = std::string(function.name) + " is too short to be changed";
  }
  if (too_short > 1) plan.stays += ", and " + std::to_string(too_short - 1) + " others";
  return plan;
}

std::optional<Jump> jump_in_empty_function(ByteView code, std::uint64_t address,
                                           std::uint64_t target) {
  constexpr unsigned char landing_place[] = {0xf3, 0x0f, 0x1e, 0xfa};
  constexpr unsigned char only_returns = 0xc3;
  std::size_t bytes = 0;
  if (!can_jump) return std::nullopt;
  if (code.size() > sizeof landing_place &&
      std::memcmp(code.data(), landing_place, sizeof landing_place) == 0)
    bytes = sizeof landing_place;
  if (bytes >= code.size() || code[bytes] != only_returns) return std::nullopt;
  const Code jump = jump_to(target);
  if (room_of({"", address, bytes + 1, code}) < jump.size()) return std::nullopt;
  return Jump{address, jump, code.first(jump.size())};
}

std::string write(const std::vector<Jump>& jumps, std::uint64_t loaded_at) {
  if (jumps.empty()) return {};
  for (const Jump& jump : jumps)
    if (std::memcmp(reinterpret_cast<const void*>(loaded_at + jump.address), jump.before.data(),
                    jump.before.size()) != 0)
      return "its code in memory is not that of its file";
  const auto [first, last] = std::ranges::minmax_element(jumps, {}, &Jump::address);
  const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = (loaded_at + first->address) / page * page;
  const std::uint64_t end = loaded_at + last->address + last->code.size();
  void* const pages = reinterpret_cast<void*>(begin);
  // It stays executable all the while, so a system that allows only one of both refuses at once.
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return std::string("its code cannot be changed: ") + std::strerror(errno);
  for (const Jump& jump : jumps)
    std::memcpy(reinterpret_cast<void*>(loaded_at + jump.address), jump.code.data(),
                jump.code.size());
  // A refusal does no harm: the code runs, and can still be written.
  mprotect(pages, end - begin, PROT_READ | PROT_EXEC);
  return {};
}

}  // namespace vramlab::linked_runtime
