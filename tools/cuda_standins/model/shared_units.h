// SharedUnits: units of a device's memory that are handed out in parts. A part comes from the
// lowest unit that has room for it, and there from the lowest gap.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::dry_run {

inline std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t step) {
  return allocator::round_up({bytes}, {step}).count;
}

class SharedUnits {
 public:
  /// Sizes of parts are rounded up to this.
  static constexpr std::uint64_t alignment = 512;

  /// Requires: bytes are rounded, and not 0. Empty where no unit has room.
  std::optional<std::uint64_t> take(std::uint64_t bytes);
  /// A new unit, all of it free.
  void add(std::uint64_t at, std::uint64_t bytes);
  bool has(std::uint64_t part) const;
  /// The size of the part, which is free from now on. Requires: has(part).
  std::uint64_t give_back(std::uint64_t part);

  struct Range {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
  };
  /// The lowest unit in which nothing is in use, which is no unit of these any more.
  std::optional<Range> remove_empty();
  bool is_empty() const { return units_.empty(); }

 private:
  struct Unit {
    std::uint64_t bytes = 0;
    /// Sizes by address, of what is free and of what is in use.
    std::map<std::uint64_t, std::uint64_t> free;
    std::map<std::uint64_t, std::uint64_t> in_use;
  };

  static std::optional<std::uint64_t> take_from(Unit& unit, std::uint64_t bytes);
  static void join_gaps(Unit& unit, std::map<std::uint64_t, std::uint64_t>::iterator gap);
  std::map<std::uint64_t, Unit>::const_iterator unit_of(std::uint64_t part) const;

  std::map<std::uint64_t, Unit> units_;
  /// Units with a gap, and those in which nothing is in use.
  std::set<std::uint64_t> open_;
  std::set<std::uint64_t> empty_;
};

}  // namespace vramlab::dry_run
