// FreeRanges: the free ranges of an address space, by address and by size, for packers and policies
// that place one block at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace vramlab::replay {

struct FreeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
};

/// The key by which free ranges are found; it grows with the size: the size itself, or a class.
using SizeKey = std::uint64_t (*)(std::uint64_t size);
constexpr std::uint64_t size_itself(std::uint64_t size) { return size; }

class FreeRanges {
 public:
  explicit FreeRanges(SizeKey key = size_itself) : key_(key) {}

  /// Joins the range with free neighbours as far as these lie within the borders. Requires: no part
  /// of the range is free, and it is not empty.
  void give_back(FreeRange range, FreeRange borders);
  /// Requires: the range lies in one free range and is not empty.
  void take(FreeRange range);

  /// Among the smallest sizes with the key of `size` or a higher one: the lowest free range with
  /// room for `size` at an aligned address. With size_itself as the key it is the best fit.
  std::optional<FreeRange> best_fit(std::uint64_t size, std::uint64_t alignment) const;
  /// The lowest free range of the lowest key that is `key` or higher.
  std::optional<FreeRange> first_of_key(std::uint64_t key) const;
  /// The lowest free range of at least this size.
  std::optional<FreeRange> first_fit(std::uint64_t size) const;
  /// Whether the whole range is free, in one piece.
  bool is_free(FreeRange range) const;

 private:
  void insert(FreeRange range);
  void erase(FreeRange range);

  SizeKey key_;
  /// From begin to end.
  std::map<std::uint64_t, std::uint64_t> by_address_;
  /// Key of the size, and begin.
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_key_;
};

std::uint64_t aligned_up(std::uint64_t offset, std::uint64_t alignment);

}  // namespace vramlab::replay
