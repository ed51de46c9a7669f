#include "streams/memory/placed_ranges.h"

#include <algorithm>
#include <map>

#include "allocator/options/size_rules.h"
#include "allocator/types/check.h"
#include "streams/memory/free_gaps.h"

namespace vramlab::streams {

namespace {

constexpr std::size_t most_notes = 200'000;
/// The answer to one question.
constexpr std::uint64_t most_looks = 4'000'000;
constexpr AddressRange all_addresses{{0}, {UINT64_MAX}};

}  // namespace

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

/// Empty if it would not be where the rule put it, or left it.
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
    // Without mapped memory there, nobody knows how it grows.
    if (!note.keeps_size && note.unit == Bytes{}) return false;
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
