#include "streams/memory/driver_places.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

using namespace allocator::literals;

constexpr Bytes step = 32_MiB;
/// A hole is that much larger than the region that is made in it.
constexpr Bytes room_around = step;

/// The two regions of a context. The second lies below the first.
constexpr std::uint64_t first_region = 0;
constexpr std::uint64_t second_region = 1;
constexpr Bytes first_size = 32_MiB;
constexpr Bytes second_size = 480_MiB;
/// Room that is free in them: in the first all from here on, in the second a part.
constexpr Bytes free_in_first = 8_MiB;
constexpr Bytes free_in_second = 414_MiB;
constexpr Bytes small_part = 2_MiB;
/// The memory of the second that the first kernel puts elsewhere, and what it takes for it.
constexpr Bytes before_kernels = 414_MiB;
constexpr Bytes for_a_kernel = 2_MiB;
constexpr Bytes for_kernels = 506_MiB;
/// Room that cuBLAS takes.
constexpr Bytes for_libraries = 74_MiB;

}  // namespace

DriverPlaces::DriverPlaces(AddressRange window) {
  const Address end{window.end.value - window.end.value % step.count};
  check(end - window.begin > first_size + second_size, "a window has room for a context");
  const Address first{end.value - first_size.count};
  const Address second{first.value - second_size.count};
  holes_.add({window.begin, second});
  regions_[first_region] = {{first, end}, {}, {}};
  regions_[second_region] = {{second, first}, {}, {}};
  next_region_ = second_region + 1;
  free_part(first_region, {first + free_in_first, end});
  free_part(second_region, {second + free_in_second, second + free_in_second + small_part});
}

std::optional<Address> DriverPlaces::take(Bytes size) {
  check(size.count > 0, "a range is not empty");
  auto number = region_with(size);
  if (!number) number = make_region(size);
  if (!number) return std::nullopt;
  const Address at = take_in(*number, size);
  held_[at] = {size, *number};
  return at;
}

void DriverPlaces::give_back(Address at) {
  const auto found = held_.find(at);
  check(found != held_.end(), "only what is held is given back");
  const auto [size, number] = found->second;
  held_.erase(found);
  regions_.at(number).in_use -= size;
  if (number > second_region && regions_.at(number).in_use == Bytes{})
    remove_region(number);
  else
    free_part(number, {at, at + size});
}

void DriverPlaces::reach(WorkSoFar work) {
  if (work <= work_) return;
  if (work_ == WorkSoFar::none) launch_first_kernel();
  if (work == WorkSoFar::libraries) take(for_libraries);
  work_ = work;
}

void DriverPlaces::launch_first_kernel() {
  // Both are never given back.
  take(for_a_kernel);
  take(for_kernels);
  const Address at = regions_.at(second_region).range.begin;
  free_part(second_region, {at, at + before_kernels});
}

std::optional<std::uint64_t> DriverPlaces::region_with(Bytes size) const {
  std::optional<std::uint64_t> newest;
  for (auto those = with_room_.lower_bound(size); those != with_room_.end(); ++those)
    newest = std::max(newest, std::optional(*those->second.rbegin()));
  return newest;
}

std::optional<std::uint64_t> DriverPlaces::make_region(Bytes size) {
  const Bytes whole = round_up(size, step);
  const auto hole = holes_.highest_with(whole + room_around);
  if (!hole) return std::nullopt;
  const AddressRange range{{hole->end.value - whole.count}, hole->end};
  holes_.take(range);
  const std::uint64_t number = next_region_++;
  regions_[number] = {range, {}, {}};
  free_part(number, range);
  return number;
}

void DriverPlaces::remove_region(std::uint64_t number) {
  forget_room(number);
  const auto found = regions_.find(number);
  holes_.add(found->second.range);
  regions_.erase(found);
}

void DriverPlaces::free_part(std::uint64_t number, AddressRange part) {
  forget_room(number);
  regions_.at(number).gaps.add(part);
  note_room(number);
}

Address DriverPlaces::take_in(std::uint64_t number, Bytes size) {
  forget_room(number);
  Region& region = regions_.at(number);
  const AddressRange gap = region.gaps.smallest_with(size).value();
  region.gaps.take({gap.begin, gap.begin + size});
  region.in_use += size;
  note_room(number);
  return gap.begin;
}

void DriverPlaces::note_room(std::uint64_t number) {
  const FreeRanges& gaps = regions_.at(number).gaps;
  if (!gaps.is_empty()) with_room_[gaps.largest()].insert(number);
}

void DriverPlaces::forget_room(std::uint64_t number) {
  const FreeRanges& gaps = regions_.at(number).gaps;
  if (gaps.is_empty()) return;
  const auto found = with_room_.find(gaps.largest());
  found->second.erase(number);
  if (found->second.empty()) with_room_.erase(found);
}

}  // namespace vramlab::streams
