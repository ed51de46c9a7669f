#include "traces/json/json_stacks.h"

#include <algorithm>
#include <cstring>

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

StackId JsonStacks::read() {
  frames_.clear();
  KnownFrames::Place place;
  tokens_.take_each(']', [&] {
    if (frames_.size() == JsonGeneric::most_parts)
      tokens_.fail("at most " + std::to_string(JsonGeneric::most_parts) + " frames of a stack",
                   "more");
    if (tokens_.peek_value() != '{') tokens_.fail_at_value("a list of frames under 'frames'");
    const FrameId frame = read_frame(place);
    frames_.push_back(frame);
    place.pass(frame);
  });
  return tables_.stacks.intern(frames_);
}

FrameId JsonStacks::read_frame(KnownFrames::Place place) {
  if (const auto known = take_known(place)) return *known;
  LetterWindow& window = tokens_.window();
  // So that the letters are mostly still there when the frame is through.
  window.has(KnownFrames::longest_letters);
  const std::uint64_t fill_count = window.fill_count();
  const std::uint64_t begin = window.bytes_taken();
  const FrameValue frame = read_fields();
  const FrameId id = tables_.frames.intern(frame);
  if (can_be_compared(frame) && window.fill_count() == fill_count) {
    const auto size = static_cast<std::size_t>(window.bytes_taken() - begin);
    known_frames_.remember(place, {window.at() - size, size}, id);
  }
  tokens_.begin_quotes_here();
  return id;
}

std::optional<FrameId> JsonStacks::take_known(KnownFrames::Place place) {
  const KnownFrames::Frame* const guess = known_frames_.guess(place);
  if (guess == nullptr) return std::nullopt;
  LetterWindow& window = tokens_.window();
  const std::size_t size = guess->letters.size();
  if (!window.has(size) || std::memcmp(window.at(), guess->letters.data(), size) != 0)
    return std::nullopt;
  window.go_to(window.at() + size);
  tokens_.begin_quotes_here();
  return guess->id;
}

FrameValue JsonStacks::read_fields() {
  FrameValue frame;
  tokens_.take_each('}', [&] { read_field(frame); });
  return frame;
}

/// A key that comes again counts instead of the one before.
void JsonStacks::read_field(FrameValue& frame) {
  const TextId key = tokens_.take_key();
  const auto known = known_key(key);
  if (!known || !FieldsOf<FrameValue>::keys.has(*known)) {
    frame.unknown.push_back({key, generic_.read()});
    return;
  }
  GenericPointer generic;
  FieldValue field;
  if (const char letter = tokens_.peek_value(); letter == '{' || letter == '[') {
    generic = generic_.read();
    field = field_from_generic(generic, *known, tables_);
  } else {
    tokens_.take_scalar(field);
  }
  put_field(frame, *known, field);
}

}  // namespace vramlab::traces
