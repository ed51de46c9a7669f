#include "tools/cuda_standins/model/shared_units.h"

#include <algorithm>
#include <iterator>

#include "allocator/types/check.h"

namespace vramlab::dry_run {

std::optional<std::uint64_t> SharedUnits::take(std::uint64_t bytes) {
  for (auto open = open_.begin(); open != open_.end(); ++open) {
    Unit& unit = units_.at(*open);
    const auto at = take_from(unit, bytes);
    if (!at) continue;
    empty_.erase(*open);
    if (unit.free.empty()) open_.erase(open);
    return at;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> SharedUnits::take_from(Unit& unit, std::uint64_t bytes) {
  const auto found =
      std::ranges::find_if(unit.free, [bytes](const auto& gap) { return gap.second >= bytes; });
  if (found == unit.free.end()) return std::nullopt;
  const auto [at, size] = *found;
  unit.free.erase(found);
  if (size > bytes) unit.free[at + bytes] = size - bytes;
  unit.in_use[at] = bytes;
  return at;
}

void SharedUnits::add(std::uint64_t at, std::uint64_t bytes) {
  Unit& unit = units_[at];
  unit.bytes = bytes;
  unit.free[at] = bytes;
  open_.insert(at);
  empty_.insert(at);
}

std::map<std::uint64_t, SharedUnits::Unit>::const_iterator SharedUnits::unit_of(
    std::uint64_t part) const {
  const auto after = units_.upper_bound(part);
  if (after == units_.begin()) return units_.end();
  const auto unit = std::prev(after);
  return unit->second.in_use.contains(part) ? unit : units_.end();
}

bool SharedUnits::has(std::uint64_t part) const { return unit_of(part) != units_.end(); }

std::uint64_t SharedUnits::give_back(std::uint64_t part) {
  const auto found = unit_of(part);
  check(found != units_.end(), "only a part in use is given back");
  Unit& unit = units_.at(found->first);
  const auto used = unit.in_use.find(part);
  const std::uint64_t bytes = used->second;
  const auto gap = unit.free.emplace(part, bytes).first;
  unit.in_use.erase(used);
  join_gaps(unit, gap);
  open_.insert(found->first);
  if (unit.in_use.empty()) empty_.insert(found->first);
  return bytes;
}

void SharedUnits::join_gaps(Unit& unit, std::map<std::uint64_t, std::uint64_t>::iterator gap) {
  if (const auto next = std::next(gap);
      next != unit.free.end() && next->first == gap->first + gap->second) {
    gap->second += next->second;
    unit.free.erase(next);
  }
  if (gap == unit.free.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  unit.free.erase(gap);
}

std::optional<SharedUnits::Range> SharedUnits::remove_empty() {
  if (empty_.empty()) return std::nullopt;
  const std::uint64_t at = *empty_.begin();
  const Range range{at, units_.at(at).bytes};
  empty_.erase(at);
  open_.erase(at);
  units_.erase(at);
  return range;
}

}  // namespace vramlab::dry_run
