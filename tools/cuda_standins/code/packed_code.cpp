#include "tools/cuda_standins/code/packed_code.h"

#include <dlfcn.h>

#include <cstdint>
#include <string_view>

namespace vramlab::dry_run {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t shortest_match = 4;
constexpr std::size_t open_length = 15;

class Unpacking {
 public:
  Unpacking(std::span<const char> packed, std::size_t bytes) : packed_(packed), bytes_(bytes) {
    made_.reserve(bytes);
  }

  /// One token with its literals and its match; false where something is wrong.
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
  /// What is copied may overlap what it becomes.
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
