#include "tools/preload/ground/call_stacks.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "tools/preload/ground/unwind_rules.h"

// Our own code begins and ends here. Its frames are no part of a program's stack.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the linker's names.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
// NOLINTEND(readability-identifier-naming)
}

namespace vramlab::preload {
namespace {

constexpr std::size_t deepest_stack = 64;

bool is_our_own(std::uintptr_t address) {
  return address >= reinterpret_cast<std::uintptr_t>(&__ehdr_start[0]) &&
         address < reinterpret_cast<std::uintptr_t>(&etext[0]);
}

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* addresses) {
  auto& taken = *static_cast<ReturnAddresses*>(addresses);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || taken.size() == deepest_stack) return _URC_END_OF_STACK;
  // The call is the instruction before the return address.
  if (!is_our_own(address)) taken.push_back(address - 1);
  return _URC_NO_REASON;
}

/// The rules of places that stacks went through, for all threads. An entry is one word, so that no
/// lock is needed: the place as far as its index does not tell it, and its rule. Places with one
/// index replace each other. A library that takes the place of one that was unloaded may get the
/// old rules, and then a wrong stack: a rule can only lead further up the thread's own stack.
class KnownRules {
 public:
  std::optional<UnwindRule> find(std::uintptr_t place) {
    if (place >> place_bits != 0) return std::nullopt;
    std::atomic<std::uint64_t>& entry = entries_[place % entries_.size()];
    const std::uint64_t known = entry.load(std::memory_order_relaxed);
    if (known != 0 && known >> rule_bits == place / entries_.size()) return unpacked(known);
    const std::optional<UnwindRule> rule = rule_at(place);
    if (rule && can_be_packed(*rule))
      entry.store(place / entries_.size() << rule_bits | packed(*rule), std::memory_order_relaxed);
    return rule;
  }

 private:
  static constexpr unsigned place_bits = 47;
  static constexpr unsigned rule_bits = 30;
  static constexpr unsigned frame_bits = 16;
  static constexpr unsigned saved_bits = 11;
  static constexpr std::uint32_t word_bytes = 8;

  static bool can_be_packed(const UnwindRule& rule) {
    return rule.frame_bytes % word_bytes == 0 && rule.saved_frame_pointer % word_bytes == 0 &&
           rule.frame_bytes / word_bytes >> frame_bits == 0 &&
           rule.saved_frame_pointer / word_bytes >> saved_bits == 0;
  }
  /// Its last bit is set, so that no rule is 0.
  static std::uint64_t packed(const UnwindRule& rule) {
    const std::uint64_t base = static_cast<std::uint64_t>(rule.base);
    return (base << (frame_bits + saved_bits) |
            std::uint64_t{rule.frame_bytes / word_bytes} << saved_bits |
            std::uint64_t{rule.saved_frame_pointer / word_bytes})
               << 1U |
           1U;
  }
  static UnwindRule unpacked(std::uint64_t entry) {
    const std::uint64_t rule = entry >> 1U;
    const auto part = [&](unsigned first, unsigned bits) {
      return static_cast<std::uint32_t>(rule >> first & ((std::uint64_t{1} << bits) - 1));
    };
    return {static_cast<UnwindRule::Base>(part(frame_bits + saved_bits, 2)),
            part(saved_bits, frame_bits) * word_bytes, part(0, saved_bits) * word_bytes};
  }

  std::array<std::atomic<std::uint64_t>, std::size_t{1} << 14> entries_{};
};
constinit KnownRules known_rules;

thread_local StackRange stack_of_this_thread;

StackRange stack_range() {
  StackRange& known = stack_of_this_thread;
  if (known.end != 0) return known;
  const int errno_before = errno;
  known.end = 1;  // An empty stack, should the system not tell.
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0)
      known = {reinterpret_cast<std::uintptr_t>(begin),
               reinterpret_cast<std::uintptr_t>(begin) + bytes};
    pthread_attr_destroy(&attributes);
  }
  errno = errno_before;
  return known;
}

/// False where a frame has no rule of the usual form, as a signal's. Rules are read on x86-64
/// alone.
[[maybe_unused]] bool walk_by_rules(FrameRegisters frame, ReturnAddresses& addresses) {
  const StackRange stack = stack_range();
  if (frame.stack_pointer < stack.begin || frame.stack_pointer >= stack.end) return false;
  for (std::size_t depth = 0; depth < 2 * deepest_stack; ++depth) {
    const std::optional<UnwindRule> rule = known_rules.find(frame.place);
    if (!rule) return false;
    if (rule->base == UnwindRule::Base::outermost) return true;
    const std::optional<FrameRegisters> caller = caller_of(frame, *rule, stack);
    if (!caller) return false;
    frame = *caller;
    if (frame.place == ~std::uintptr_t{0} || addresses.size() == deepest_stack) return true;
    if (!is_our_own(frame.place + 1)) addresses.push_back(frame.place);
  }
  return false;
}

std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : symbol;
}

}  // namespace

void take_call_stack_slowly(ReturnAddresses& addresses) {
  addresses.clear();
  _Unwind_Backtrace(add_frame, &addresses);
}

void take_call_stack(ReturnAddresses& addresses) {
#ifdef __x86_64__
  FrameRegisters here;
  asm("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
      : "=&r"(here.place), "=&r"(here.stack_pointer), "=&r"(here.frame_pointer));
  addresses.clear();
  addresses.reserve(deepest_stack);
  if (walk_by_rules(here, addresses)) return;
#endif
  take_call_stack_slowly(addresses);
}

CodePlaces find_places(const ReturnAddresses& addresses) {
  CodePlaces places;
  for (const std::uintptr_t address : addresses) {
    CodePlace& place = places[address];
    Dl_info info{};
    const bool found = dladdr(reinterpret_cast<const void*>(address), &info) != 0;
    place.offset = address - (found ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0);
    if (found && info.dli_sname != nullptr) place.function = readable(info.dli_sname);
    if (found && info.dli_fname != nullptr) place.file = info.dli_fname;
  }
  return places;
}

std::size_t HashOfAddresses::operator()(const ReturnAddresses& addresses) const {
  // Multiplication brings every bit upwards, the shift some of them down again.
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = addresses.size();
  for (const std::uintptr_t address : addresses) {
    hash = (hash ^ address) * odd;
    hash ^= hash >> 32U;
  }
  return hash;
}

std::uint32_t CallStacks::known_number_of(const ReturnAddresses& addresses) const {
  const auto known = stack_numbers_.find(addresses);
  return known == stack_numbers_.end() ? 0 : known->second;
}

ReturnAddresses CallStacks::unknown_of(const ReturnAddresses& addresses) const {
  ReturnAddresses unknown;
  for (const std::uintptr_t address : addresses)
    if (!frame_numbers_.contains(address)) unknown.push_back(address);
  return unknown;
}

std::uint32_t CallStacks::frame_of(std::uintptr_t address, const CodePlaces& places) {
  const auto [known, is_new] =
      frame_numbers_.try_emplace(address, static_cast<std::uint32_t>(frames_.size() + 1));
  if (is_new) frames_.push_back(places.at(address));
  return known->second;
}

std::uint32_t CallStacks::number_of(const ReturnAddresses& addresses, const CodePlaces& places) {
  if (addresses.empty()) return 0;
  const auto [known, is_new] =
      stack_numbers_.try_emplace(addresses, static_cast<std::uint32_t>(stacks_.size() + 1));
  if (!is_new) return known->second;
  std::vector<std::uint32_t> frames;
  for (const std::uintptr_t address : addresses) frames.push_back(frame_of(address, places));
  stacks_.push_back(std::move(frames));
  return known->second;
}

}  // namespace vramlab::preload
