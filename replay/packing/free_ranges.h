// FreeRanges: which ranges are free, by address and by size, for placing one thing at a time.
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

/// Free ranges are found by a key of their size that grows with it: the size itself, or a class of
/// sizes.
using SizeKey = std::uint64_t (*)(std::uint64_t size);
constexpr std::uint64_t size_itself(std::uint64_t size) { return size; }

class FreeRanges {
 public:
  explicit FreeRanges(SizeKey key = size_itself) : key_(key) {}

  /// Requires: none of the range is free, and it is not empty. It becomes one with free neighbours
  /// as far as these lie within the borders.
  void give_back(FreeRange range, FreeRange borders);
  /// Requires: it lies in one free range and is not empty.
  void take(FreeRange range);

  /// Among the smallest sizes that have this size's key or a higher one: the lowest free range in
  /// which an aligned address has so much behind it. By size itself that is the best fit.
  std::optional<FreeRange> best_fit(std::uint64_t size, std::uint64_t alignment) const;
  /// The lowest free range of the lowest key from this one on.
  std::optional<FreeRange> first_of_key(std::uint64_t key) const;
  /// The lowest free range of at least this size.
  std::optional<FreeRange> first_fit(std::uint64_t size) const;
  /// Whether all of it is free, in one piece.
  bool is_free(FreeRange range) const;

 private:
  void insert(FreeRange range);
  void erase(FreeRange range);

  SizeKey key_;
  /// Begin to end.
  std::map<std::uint64_t, std::uint64_t> by_address_;
  /// Key of the size, and begin.
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_key_;
};

std::uint64_t aligned_up(std::uint64_t offset, std::uint64_t alignment);

}  // namespace vramlab::replay
