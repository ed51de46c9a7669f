#include "traces/json/known_frames.h"

#include <algorithm>

namespace vramlab::traces {

void KnownFrames::remember(Place place, std::string_view letters, FrameId id) {
  if (letters.size() > longest_letters) return;
  const bool is_held = id.value < by_id_.size() && by_id_[id.value] != nullptr &&
                       by_id_[id.value]->letters == letters;
  const Frame* const frame = is_held ? by_id_[id.value] : keep(letters, id);
  at_places_[slot_number(place)] = frame;
}

const KnownFrames::Frame* KnownFrames::keep(std::string_view letters, FrameId id) {
  const std::size_t bytes = sizeof(Frame) + letters.size();
  if (held_bytes_ + bytes > most_bytes_) forget_all();
  held_bytes_ += bytes;
  frames_.push_back({std::string(letters), id});
  if (id.value >= by_id_.size()) by_id_.resize(std::size_t{id.value} + 1);
  by_id_[id.value] = &frames_.back();
  return &frames_.back();
}

void KnownFrames::forget_all() {
  held_bytes_ = 0;
  frames_.clear();
  by_id_.clear();
  std::ranges::fill(at_places_, nullptr);
}

}  // namespace vramlab::traces
