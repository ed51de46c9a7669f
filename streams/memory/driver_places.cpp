#include "streams/memory/driver_places.h"

#include <iterator>

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

/// The greatest of those that have at least the size.
template <typename Rank>
std::optional<Rank> greatest_with(const std::map<Bytes, std::set<Rank>>& by_size, Bytes size) {
  std::optional<Rank> found;
  for (auto those = by_size.lower_bound(size); those != by_size.end(); ++those) {
    const Rank greatest = *those->second.rbegin();
    if (!found || greatest > *found) found = greatest;
  }
  return found;
}

template <typename Rank>
void erase_rank(std::map<Bytes, std::set<Rank>>& by_size, Bytes size, Rank rank) {
  const auto found = by_size.find(size);
  found->second.erase(rank);
  if (found->second.empty()) by_size.erase(found);
}

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

void DriverPlaces::start_kernels() {
  if (has_kernels_) return;
  has_kernels_ = true;
  // Both are never given back.
  take(for_a_kernel);
  take(for_kernels);
  const Address at = regions_.at(second_region).range.begin;
  free_part(second_region, {at, at + before_kernels});
}

void DriverPlaces::start_libraries() {
  if (has_libraries_) return;
  has_libraries_ = true;
  start_kernels();
  take(for_libraries);
}

std::optional<std::uint64_t> DriverPlaces::region_with(Bytes size) const {
  return greatest_with(with_room_, size);
}

std::optional<std::uint64_t> DriverPlaces::make_region(Bytes size) {
  const Bytes whole = round_up(size, step);
  const auto hole = holes_.highest_with(whole + room_around);
  if (!hole) return std::nullopt;
  const AddressRange range{{hole->end.value - whole.count}, hole->end};
  holes_.take(*hole, range);
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
  region.gaps.take(gap, {gap.begin, gap.begin + size});
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
  if (!gaps.is_empty()) erase_rank(with_room_, gaps.largest(), number);
}

std::optional<AddressRange> DriverPlaces::FreeRanges::smallest_with(Bytes size) const {
  const auto found = by_size_.lower_bound(size);
  if (found == by_size_.end()) return std::nullopt;
  const Address at = *found->second.begin();
  return AddressRange{at, at + found->first};
}

std::optional<AddressRange> DriverPlaces::FreeRanges::highest_with(Bytes size) const {
  const auto found = greatest_with(by_size_, size);
  if (!found) return std::nullopt;
  return AddressRange{*found, end_of_.at(*found)};
}

void DriverPlaces::FreeRanges::add(AddressRange range) {
  const auto after = end_of_.lower_bound(range.begin);
  if (after != end_of_.begin() && std::prev(after)->second == range.begin) {
    const AddressRange before{std::prev(after)->first, range.begin};
    erase(before);
    range.begin = before.begin;
  }
  if (const auto next = end_of_.find(range.end); next != end_of_.end()) {
    const AddressRange behind{next->first, next->second};
    erase(behind);
    range.end = behind.end;
  }
  insert(range);
}

void DriverPlaces::FreeRanges::take(AddressRange range, AddressRange part) {
  erase(range);
  if (range.begin < part.begin) insert({range.begin, part.begin});
  if (part.end < range.end) insert({part.end, range.end});
}

void DriverPlaces::FreeRanges::insert(AddressRange range) {
  end_of_[range.begin] = range.end;
  by_size_[range.size()].insert(range.begin);
}

void DriverPlaces::FreeRanges::erase(AddressRange range) {
  end_of_.erase(range.begin);
  erase_rank(by_size_, range.size(), range.begin);
}

}  // namespace vramlab::streams
