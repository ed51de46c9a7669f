#include "streams/memory/simulated_memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "allocator/options/size_rules.h"
#include "allocator/types/check.h"
#include "streams/memory/free_gaps.h"

namespace vramlab::streams {

using allocator::MemoryInfo;

namespace {

constexpr Address end_of_addresses{std::numeric_limits<std::uint64_t>::max()};
/// No larger size is ever placed, so that rounding and sums cannot wrap around.
constexpr Bytes largest_range{1ULL << 62};
constexpr std::size_t most_notes = 200'000;
/// One question looks at no more notes.
constexpr std::uint64_t most_looks = 4'000'000;
constexpr AddressRange all_addresses{{0}, {UINT64_MAX}};

}  // namespace

SimulatedMemory::SimulatedMemory(MemoryOptions options)
    : options_(std::move(options)), gaps_({{0}, end_of_addresses}) {
  check(options_.granularity.count > 0, "the granularity is at least one byte");
  if (options_.usual_places == UsualPlaces::driver) driver_places_.emplace(options_.allocations);
  if (options_.keeps_ranges == KeepsRanges::yes)
    placed_ranges_ = std::make_shared<PlacedRanges>(
        PlacingRules{options_.total + options_.kept, options_.granularity, options_.allocations,
                     options_.reservations, options_.dictated_below});
}

MemoryInfo SimulatedMemory::info() const {
  const Bytes room = options_.total - std::min(options_.total, used_);
  return {room - std::min(room, external_), options_.total + options_.kept};
}

std::optional<Address> SimulatedMemory::allocate(Bytes size, StreamId stream) {
  check(size.count > 0, "an allocation is not empty");
  if (size > largest_range || !grants(rounded(size))) return std::nullopt;
  const auto at = place({PlaceKind::allocation, size, stream});
  if (!at) return std::nullopt;
  gaps_.take({*at, *at + rounded(size)});
  allocations_[at->value] = rounded(size);
  used_ += rounded(size);
  return at;
}

Bytes SimulatedMemory::release(Address at) {
  const auto found = allocations_.find(at.value);
  check(found != allocations_.end(), "only what was allocated is released");
  if (placed_ranges_) placed_ranges_->gave_back(at);
  const AddressRange range{at, at + found->second};
  gaps_.give_back(range);
  if (DriverPlaces* const places = driver_places(); places != nullptr && places->has(at))
    places->give_back(at);
  used_ -= found->second;
  allocations_.erase(found);
  if (options_.released) options_.released(range);
  return range.size();
}

std::optional<Address> SimulatedMemory::reserve(Bytes size, StreamId stream) {
  check(size.count > 0, "a reservation is not empty");
  if (size > largest_range) return std::nullopt;
  const auto at = place({PlaceKind::reservation, size, stream});
  if (!at) return std::nullopt;
  gaps_.take({*at, *at + rounded(size)});
  reservations_[*at].size = rounded(size);
  return at;
}

bool SimulatedMemory::grants(Bytes size) {
  // Neither sum can wrap around: sizes are limited, and so is what is in use.
  const Bytes needed = used_ + std::min(external_, largest_range) + size;
  if (needed <= options_.total) {
    same_answers_.at_least = std::max(same_answers_.at_least, needed);
    return true;
  }
  same_answers_.below = std::min(same_answers_.below, needed);
  return false;
}

void SimulatedMemory::release_reservation(Address at, Bytes size) {
  const auto found = reservations_.find(at);
  check(found != reservations_.end() && found->second.size == rounded(size),
        "only what was reserved is released, as a whole");
  check(found->second.units.is_empty(), "a reservation is unmapped before it is released");
  if (placed_ranges_) placed_ranges_->gave_back(at);
  gaps_.give_back({at, at + found->second.size});
  reservations_.erase(found);
}

SimulatedMemory::MapResult SimulatedMemory::map(const UnitRange& range) {
  Reservation& reservation = reservation_of(range);
  check(!reservation.units.has_any_in({range.at, range.at + range.size()}),
        "a range is mapped once");
  if (placed_ranges_) placed_ranges_->uses_unit(range.at, range.unit);
  const std::uint64_t fitting = info().free / range.unit;
  if (!grants(range.size())) return {false, fitting};
  reservation.units.add(range);
  used_ += range.size();
  return {true, range.count};
}

void SimulatedMemory::unmap(const UnitRange& range) {
  reservation_of(range).units.remove(range);
  used_ -= range.size();
  if (options_.released) options_.released({range.at, range.at + range.size()});
}

std::optional<Address> SimulatedMemory::place(const PlaceRequest& request) {
  auto dictated = options_.placement ? options_.placement(request) : std::nullopt;
  std::optional<Address> at = dictated_place(request, dictated);
  if (!at && driver_places_ && request.kind == PlaceKind::allocation)
    at = dictated = drivers_place(request.size);
  const AddressRange window =
      request.kind == PlaceKind::allocation ? options_.allocations : options_.reservations;
  if (!at) at = gaps_.lowest_fit({rounded(request.size), options_.granularity, window});
  if (at && placed_ranges_)
    placed_ranges_->placed({request.kind, rounded(request.size), *at, dictated});
  return at;
}

DriverPlaces* SimulatedMemory::driver_places() {
  if (!driver_places_) return nullptr;
  if (options_.work_so_far) driver_places_->reach(options_.work_so_far());
  return &*driver_places_;
}

std::optional<Address> SimulatedMemory::drivers_place(Bytes asked) {
  DriverPlaces* const places = driver_places();
  const Bytes size = rounded(asked);
  const auto at = places->take(size);
  if (!at || gaps_.is_free({*at, *at + size})) return at;
  places->give_back(*at);
  return std::nullopt;
}

std::optional<Address> SimulatedMemory::dictated_place(const PlaceRequest& request,
                                                       const std::optional<Address>& at) const {
  if (!at) return std::nullopt;
  const Bytes size = rounded(request.size);
  const bool is_free = end_of_addresses - *at >= size && gaps_.is_free({*at, *at + size});
  if (!is_free && options_.when_taken == WhenTaken::lowest_gap) return std::nullopt;
  if (!is_free)
    throw DeviceError("the dictated address " + std::to_string(at->value) + " for " +
                      std::to_string(request.size.count) + " bytes is not free");
  return at;
}

Bytes SimulatedMemory::rounded(Bytes size) const { return round_up(size, options_.granularity); }

SimulatedMemory::Reservation& SimulatedMemory::reservation_of(const UnitRange& range) {
  check(range.count > 0 && range.unit.count > 0, "a range of units is not empty");
  const auto after = reservations_.upper_bound(range.at);
  check(after != reservations_.begin(), "units lie in a reservation");
  const auto found = std::prev(after);
  const Bytes room = found->second.size - std::min(found->second.size, range.at - found->first);
  check(room / range.unit >= range.count, "units lie in one reservation");
  return found->second;
}

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

void PlacedRanges::add(const Note& note) {
  is_full_ = is_full_ || notes_.size() >= most_notes;
  if (!is_full_) notes_.push_back(note);
}

void PlacedRanges::placed(const GivenPlace& place) {
  was_dictated_ = was_dictated_ || place.dictated;
  if (place.kind == PlaceKind::reservation) reservations_.push_back(notes_.size());
  add({place, {}, false, place.kind == PlaceKind::allocation});
  grows_ = grows_ || place.kind == PlaceKind::reservation;
}

void PlacedRanges::gave_back(Address at) {
  GivenPlace place;
  place.at = at;
  const auto found = std::ranges::find_if(reservations_, [&](std::size_t note) {
    return note < notes_.size() && notes_[note].place.at == at;
  });
  if (found != reservations_.end()) {
    gave_back_ = true;
    reservations_.erase(found);
  }
  add({place, {}, true, true});
}

PlacedRanges::Note* PlacedRanges::reservation_with(Address at) {
  for (const std::size_t index : reservations_) {
    if (index >= notes_.size()) continue;
    Note& note = notes_[index];
    if (note.place.at <= at && at < note.place.at + note.place.size) return &note;
  }
  return nullptr;
}

void PlacedRanges::uses_unit(Address at, Bytes unit) {
  if (Note* note = reservation_with(at); note != nullptr && note->unit == Bytes{})
    note->unit = unit;
}

void PlacedRanges::keeps_size(Address at) {
  if (Note* note = reservation_with(at)) note->keeps_size = true;
}

Bytes PlacedRanges::size_on(const Note& note, Bytes device_total) const {
  if (note.keeps_size) return note.place.size;
  return round_up(allocator::reservation_size(device_total, note.unit), rules_.granularity);
}

/// Empty if the range would not be where the rule put it, or left it.
std::optional<Address> PlacedRanges::place_on(const Note& note, Bytes size,
                                              const FreeGaps& gaps) const {
  const GivenPlace& place = note.place;
  if (place.dictated) {
    const bool is_free = all_addresses.end - *place.dictated >= size &&
                         gaps.is_free({*place.dictated, *place.dictated + size});
    if (is_free != (*place.dictated == place.at)) return std::nullopt;
    if (!note.keeps_size && size >= rules_.dictated_below) return std::nullopt;
    if (is_free) return place.at;
  }
  const AddressRange window =
      place.kind == PlaceKind::allocation ? rules_.allocations : rules_.reservations;
  return gaps.lowest_fit({size, rules_.granularity, window});
}

bool PlacedRanges::same_order_on(Bytes device_total) const {
  if (!grows_) return true;
  if (is_full_) return false;
  FreeGaps gaps(all_addresses);
  std::map<Address, AddressRange> there;
  for (const Note& note : notes_) {
    if (note.gives_back) {
      const auto found = there.find(note.place.at);
      check(found != there.end(), "only what is there is given back");
      gaps.give_back(found->second);
      there.erase(found);
      continue;
    }
    // Without mapped memory its units are unknown, and so is its size on another device.
    if (!note.keeps_size && note.unit == Bytes{}) return false;
    // A reserve that an option says grows otherwise.
    if (size_on(note, rules_.device_total) != note.place.size) return false;
    const Bytes size = size_on(note, device_total);
    const auto at = place_on(note, size, gaps);
    if (!at) return false;
    const auto next = there.lower_bound(note.place.at);
    if (next != there.end() && next->second.begin < *at) return false;
    if (next != there.begin() && *at < std::prev(next)->second.begin) return false;
    gaps.take({*at, *at + size});
    there.emplace_hint(next, note.place.at, AddressRange{*at, *at + size});
  }
  return true;
}

Bytes PlacedRanges::first_other_order(const Sizes& sizes) const {
  if (!grows_ || sizes.from >= sizes.below) return std::max(sizes.from, sizes.below);
  // A row that fits when its parts are largest fits always.
  if (is_plain_row() && same_order_on(sizes.below)) return sizes.below;
  std::uint64_t looks = 0;
  for (Bytes size = sizes.from; size < sizes.below; size += sizes.step) {
    looks += notes_.size();
    if (looks > most_looks || !same_order_on(size)) return size;
  }
  return sizes.below;
}

}  // namespace vramlab::streams
