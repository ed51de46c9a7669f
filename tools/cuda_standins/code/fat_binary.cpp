#include "tools/cuda_standins/code/fat_binary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vramlab::dry_run {
namespace {

constexpr std::uint32_t registered_magic = 0x466243b1;
constexpr std::uint32_t container_magic = 0xba55ed50;
constexpr std::uint16_t intermediate_code = 1;
constexpr std::uint16_t machine_code = 2;

struct Registered {
  std::uint32_t magic;
  std::uint32_t version;
  const char* container;
};
struct Container {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t bytes;
};
/// The beginning of an entry's header.
struct Entry {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t packed_bytes;
  std::uint32_t unused[2];
  std::uint32_t capability;
  std::uint32_t name[2];
  std::uint64_t flags;
  std::uint64_t zero;
  std::uint64_t unpacked_bytes;
};
/// As LZ4 or as Zstandard.
constexpr std::uint64_t is_packed = 0x2000 | 0x8000;

template <class Value>
Value read(const char* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

StoredCode stored_code(const char* at, const Entry& entry) {
  const char* const code = at + entry.header_bytes;
  if ((entry.flags & is_packed) == 0) return {code, entry.bytes, entry.bytes};
  return {code, entry.packed_bytes, entry.unpacked_bytes};
}

/// The best code so far.
struct Best {
  int intermediate = 0;
  int machine = 0;
  std::vector<StoredCode> code{};
};
void consider(const char* at, const Entry& entry, int capability, Best& best) {
  const auto found = static_cast<int>(entry.capability);
  if (found > capability) return;
  if (entry.kind == intermediate_code) best.intermediate = std::max(best.intermediate, found);
  if (entry.kind != machine_code || found / 10 != capability / 10 || found < best.machine) return;
  if (found > best.machine) best.code.clear();
  best.machine = found;
  best.code.push_back(stored_code(at, entry));
}

}  // namespace

ChosenCode choose_code(const void* registered, int capability) {
  if (registered == nullptr ||
      read<std::uint32_t>(static_cast<const char*>(registered)) != registered_magic)
    return {};
  const char* at = read<Registered>(static_cast<const char*>(registered)).container;
  if (at == nullptr || read<std::uint32_t>(at) != container_magic) return {};
  const auto container = read<Container>(at);
  at += container.header_bytes;
  const char* const end = at + container.bytes;
  Best best;
  while (static_cast<std::size_t>(end - at) >= sizeof(Entry)) {
    const auto entry = read<Entry>(at);
    consider(at, entry, capability, best);
    const std::uint64_t whole = entry.header_bytes + entry.bytes;
    if (whole < sizeof(Entry) || whole > static_cast<std::uint64_t>(end - at)) break;
    at += whole;
  }
  if (best.machine != 0) return {CodeFit::fits, {best.machine, best.machine}, best.code};
  if (best.intermediate != 0) return {CodeFit::fits, {best.intermediate, capability}};
  return {CodeFit::none, {capability, capability}};
}

}  // namespace vramlab::dry_run
