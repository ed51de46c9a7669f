#include "tools/cuda_standins/code/fat_binary.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

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

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t shortest_match = 4;
constexpr std::size_t open_length = 15;

class Unpacking {
 public:
  Unpacking(std::span<const char> packed, std::size_t bytes) : packed_(packed), bytes_(bytes) {
    made_.reserve(bytes);
  }

  /// Reads one token with its literals and its match; false if something is wrong.
  bool step() {
    const std::uint8_t token = take();
    if (!copy_literals(length(token >> 4))) return false;
    if (is_over()) return true;
    if (packed_.size() - place_ < 2) return false;
    const std::size_t low = take();
    const std::size_t distance = low | static_cast<std::size_t>(take()) << 8;
    return copy_match(distance, length(token & 15) + shortest_match);
  }
  bool is_over() const { return place_ >= packed_.size() || made_.size() >= bytes_; }
  std::vector<char>& made() { return made_; }

 private:
  std::uint8_t take() {
    return place_ < packed_.size() ? static_cast<std::uint8_t>(packed_[place_++]) : 0;
  }
  std::size_t length(std::size_t first) {
    if (first != open_length) return first;
    std::size_t sum = first;
    for (std::uint8_t more = 255; more == 255;) sum += more = take();
    return sum;
  }
  bool copy_literals(std::size_t count) {
    if (count > packed_.size() - place_ || count > bytes_ - made_.size()) return false;
    made_.insert(made_.end(), packed_.begin() + static_cast<std::ptrdiff_t>(place_),
                 packed_.begin() + static_cast<std::ptrdiff_t>(place_ + count));
    place_ += count;
    return true;
  }
  /// The copied bytes may overlap the new ones.
  bool copy_match(std::size_t distance, std::size_t count) {
    if (distance == 0 || distance > made_.size() || count > bytes_ - made_.size()) return false;
    std::size_t from = made_.size() - distance;
    for (; count > 0; --count) made_.push_back(made_[from++]);
    return true;
  }

  std::span<const char> packed_;
  std::size_t bytes_;
  std::size_t place_ = 0;
  std::vector<char> made_;
};

constexpr std::string_view zstandard_magic = "\x28\xb5\x2f\xfd";

bool is_zstandard(std::span<const char> packed) {
  return std::string_view(packed.data(), packed.size()).starts_with(zstandard_magic);
}

/// The library is not linked: a program without it still runs, and the driver's answers count.
std::optional<std::vector<char>> unpack_zstandard(std::span<const char> packed,
                                                  std::size_t unpacked_bytes) {
  using Decompress =
      std::size_t (*)(void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes);
  static void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  static const auto decompress =
      library == nullptr ? nullptr
                         : reinterpret_cast<Decompress>(dlsym(library, "ZSTD_decompress"));
  if (decompress == nullptr) return std::nullopt;
  std::vector<char> made(unpacked_bytes);
  if (decompress(made.data(), made.size(), packed.data(), packed.size()) != unpacked_bytes)
    return std::nullopt;
  return made;
}

}  // namespace

std::optional<std::vector<char>> unpack(std::span<const char> packed, std::size_t unpacked_bytes) {
  if (unpacked_bytes > most_bytes) return std::nullopt;
  if (is_zstandard(packed)) return unpack_zstandard(packed, unpacked_bytes);
  Unpacking unpacking(packed, unpacked_bytes);
  while (!unpacking.is_over())
    if (!unpacking.step()) return std::nullopt;
  if (unpacking.made().size() != unpacked_bytes) return std::nullopt;
  return std::move(unpacking.made());
}

}  // namespace vramlab::dry_run
