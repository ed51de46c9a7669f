// FreeRanges: ranges of free addresses, joined where one begins at another's end, and found by
// size. FreeGaps finds the lowest one instead.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "streams/memory/free_gaps.h"

namespace vramlab::streams {

class FreeRanges {
 public:
  bool is_empty() const { return end_of_.empty(); }
  /// Requires: there is one.
  Bytes largest() const { return by_size_.rbegin()->first; }
  /// The smallest that is large enough, the lowest of them.
  std::optional<AddressRange> smallest_with(Bytes size) const;
  /// The one that follows by size, then by address.
  std::optional<AddressRange> next_larger(AddressRange range) const;
  /// The highest that is large enough.
  std::optional<AddressRange> highest_with(Bytes size) const;
  /// The end of each by its beginning.
  const std::map<Address, Address>& by_address() const { return end_of_; }

  /// Requires: the range is not empty, and none of it is free.
  void add(AddressRange range);
  /// Requires: all of the range is free.
  void take(AddressRange range);

 private:
  using BySize = std::map<Bytes, std::set<Address>>;

  static std::optional<AddressRange> first_from(const BySize& by_size, BySize::const_iterator at);
  void insert(AddressRange range);
  void erase(AddressRange range);

  std::map<Address, Address> end_of_;
  BySize by_size_;
};

}  // namespace vramlab::streams
