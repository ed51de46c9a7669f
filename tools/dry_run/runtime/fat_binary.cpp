#include "tools/dry_run/runtime/fat_binary.h"

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
  std::uint32_t unused[3];
  std::uint32_t capability;
};

template <class Value>
Value read(const char* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// The best code so far.
struct Best {
  int machine = 0;
  int intermediate = 0;
};
void consider(const Entry& entry, int capability, Best& best) {
  const auto found = static_cast<int>(entry.capability);
  if (found > capability) return;
  if (entry.kind == intermediate_code) best.intermediate = std::max(best.intermediate, found);
  if (entry.kind == machine_code && found / 10 == capability / 10)
    best.machine = std::max(best.machine, found);
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
    consider(entry, capability, best);
    const std::uint64_t whole = entry.header_bytes + entry.bytes;
    if (whole < sizeof(Entry) || whole > static_cast<std::uint64_t>(end - at)) break;
    at += whole;
  }
  if (best.machine != 0) return {CodeFit::fits, {best.machine, best.machine}};
  if (best.intermediate != 0) return {CodeFit::fits, {best.intermediate, capability}};
  return {CodeFit::none, {capability, capability}};
}

}  // namespace vramlab::dry_run
