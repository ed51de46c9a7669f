#include "streams/memory/mapped_units.h"

#include "allocator/words/check.h"

namespace vramlab::streams {

bool MappedUnits::has_any_in(AddressRange range) const {
  if (run_at(range.begin) != runs_.end()) return true;
  const auto next = runs_.lower_bound(range.begin);
  return next != runs_.end() && next->first < range.end;
}

void MappedUnits::add(const UnitRange& range) {
  Address begin = range.at;
  Address end = range.at + range.size();
  check(!has_any_in({begin, end}), "a range is mapped once");
  const auto next = runs_.find(end);
  if (next != runs_.end() && next->second.unit == range.unit) {
    end = next->second.end;
    runs_.erase(next);
  }
  const auto after = runs_.lower_bound(begin);
  if (after != runs_.begin()) {
    const auto before = std::prev(after);
    if (before->second.end == begin && before->second.unit == range.unit) begin = before->first;
  }
  runs_[begin] = {end, range.unit};
}

void MappedUnits::remove(const UnitRange& range) {
  const auto found = run_at(range.at);
  const Address end = range.at + range.size();
  check(found != runs_.end() && end <= found->second.end, "only mapped units are unmapped");
  const Address run_begin = found->first;
  const Run run = found->second;
  check(run.unit == range.unit && (range.at - run_begin).count % run.unit.count == 0,
        "units are unmapped whole, as they were mapped");
  runs_.erase(found);
  if (run_begin < range.at) runs_[run_begin] = {range.at, run.unit};
  if (end < run.end) runs_[end] = {run.end, run.unit};
}

MappedUnits::Runs::const_iterator MappedUnits::run_at(Address address) const {
  const auto after = runs_.upper_bound(address);
  if (after == runs_.begin()) return runs_.end();
  const auto candidate = std::prev(after);
  return address < candidate->second.end ? candidate : runs_.end();
}

}  // namespace vramlab::streams
