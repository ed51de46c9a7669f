#include "tools/preload/shim/history_stacks.h"

namespace vramlab::shim {

using preload::CodePlace;
using preload::CodePlaces;
using preload::ReturnAddresses;

StackNumber TakenStacks::take_one() {
  ReturnAddresses addresses;
  source_.take(addresses);
  ReturnAddresses unknown;
  {
    const std::lock_guard lock(mutex_);
    if (const StackNumber known = stacks_.known_number_of(addresses); known != 0) return known;
    unknown = stacks_.unknown_of(addresses);
  }
  // The loader may be waiting for a thread that is about to take a stack.
  const CodePlaces places = unknown.empty() ? CodePlaces() : source_.find(unknown);
  const std::lock_guard lock(mutex_);
  return stacks_.number_of(addresses, places);
}

std::string TakenStacks::frames_json(StackNumber stack) const {
  std::string json = "[";
  const std::lock_guard lock(mutex_);
  if (stack == 0) return json += "]";
  for (const std::uint32_t frame : stacks_.stacks()[stack - 1]) {
    const CodePlace& place = stacks_.frames()[frame - 1];
    if (json.size() > 1) json += ", ";
    add_json_text(json += "{\"name\": ", place.function);
    add_json_text(json += ", \"filename\": ", place.file);
    json.append(", \"line\": 0, \"offset\": ").append(std::to_string(place.offset)).append("}");
  }
  return json += "]";
}

void StackNotes::go_on_with(StackNumber stack, std::uint64_t recorded) {
  if (!notes_.empty() && notes_.back().first_entry == recorded) notes_.pop_back();
  if (notes_.empty() || notes_.back().stack != stack) notes_.push_back({recorded, stack});
  while (notes_.size() > 1 && notes_[1].first_entry + capacity_ <= recorded) notes_.pop_front();
}

std::vector<HistoryEntry> StackNotes::beside(const std::vector<allocator::AllocatorEvent>& newest,
                                             std::uint64_t recorded) const {
  std::vector<HistoryEntry> entries;
  entries.reserve(newest.size());
  std::uint64_t number = recorded - newest.size();
  auto next = notes_.begin();
  StackNumber stack = 0;
  for (const allocator::AllocatorEvent& event : newest) {
    for (; next != notes_.end() && next->first_entry <= number; ++next) stack = next->stack;
    entries.push_back({event, stack});
    ++number;
  }
  return entries;
}

void add_json_text(std::string& json, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  json += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      json.append("\\").push_back(letter);
    } else if (code < 0x20) {
      json.append("\\u00").push_back(digits[code >> 4U]);
      json += digits[code & 15U];
    } else {
      json += letter;
    }
  }
  json += '"';
}

}  // namespace vramlab::shim
