#include "traces/model/snapshot_tables.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>

namespace vramlab::traces {
namespace {

constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15U;

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * odd_factor;
  return hash ^ (hash >> 29);
}

constexpr std::uint32_t finish(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = text.size();
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    hash = mix(hash, word);
    text.remove_prefix(sizeof word);
  }
  std::uint64_t rest = 0;
  if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
  return finish(mix(hash, rest));
}

std::uint32_t hash_of(const FrameValue& frame) {
  const std::uint64_t hash = mix(frame.name.value, frame.filename.value);
  return finish(mix(hash, static_cast<std::uint64_t>(frame.line)));
}

bool is_same_scalar(const GenericValue& a, const GenericValue& b) {
  if (a.content.index() != b.content.index()) return false;
  const auto is_same = [&]<typename Content>(const Content& content) {
    const auto& other = std::get<Content>(b.content);
    if constexpr (std::is_same_v<Content, double>)
      return std::bit_cast<std::uint64_t>(content) == std::bit_cast<std::uint64_t>(other);
    else if constexpr (std::equality_comparable<Content>)
      return content == other;
    else
      return false;
  };
  return std::visit(is_same, a.content);
}

bool is_same_field(const UnknownField& a, const UnknownField& b) {
  return a.key == b.key && is_same_scalar(*a.value, *b.value);
}

std::uint32_t hash_of(std::span<const FrameId> frames) {
  std::uint64_t hash = frames.size();
  for (const FrameId frame : frames) hash = mix(hash, frame.value);
  return finish(hash);
}

}  // namespace

void IdIndex::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id_plus_1 == 0) continue;
    std::size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].id_plus_1 != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

TextTable::TextTable() {
  for (const std::string_view text : known_texts) intern(text);
}

TextId TextTable::intern(std::string_view text) {
  return TextId(index_.find_or_add(
      hash_of(text), [&](std::uint32_t id) { return texts_[id] == text; },
      [&] {
        texts_.push_back(keep(text));
        return static_cast<std::uint32_t>(texts_.size() - 1);
      }));
}

std::string_view TextTable::keep(std::string_view text) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 16;
  if (text.empty()) return {};
  if (text.size() > room_bytes_) {
    room_bytes_ = std::max(piece_bytes, text.size());
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(room_bytes_));
    room_ = pieces_.back().get();
  }
  std::memcpy(room_, text.data(), text.size());
  const std::string_view kept(room_, text.size());
  room_ += text.size();
  room_bytes_ -= text.size();
  held_bytes_ += text.size();
  return kept;
}

bool can_be_compared(const FrameValue& frame) {
  return std::ranges::all_of(frame.unknown,
                             [](const UnknownField& field) { return field.value->depth == 0; });
}

FrameId FrameTable::intern(const FrameValue& frame) {
  const auto add = [&] {
    frames_.push_back(frame);
    return static_cast<std::uint32_t>(frames_.size() - 1);
  };
  if (!can_be_compared(frame)) return {add()};
  const auto is_same = [&](std::uint32_t id) {
    const FrameValue& other = frames_[id];
    return other.name == frame.name && other.filename == frame.filename &&
           other.line == frame.line && other.keys == frame.keys &&
           std::ranges::equal(other.unknown, frame.unknown, is_same_field);
  };
  return {index_.find_or_add(hash_of(frame), is_same, add)};
}

StackId StackTable::intern(std::span<const FrameId> frames) {
  const auto is_same = [&](std::uint32_t id) {
    return std::ranges::equal(this->frames({id}), frames);
  };
  const auto add = [&] {
    frames_.insert(frames_.end(), frames.begin(), frames.end());
    ends_.push_back(frames_.size());
    return static_cast<std::uint32_t>(ends_.size() - 1);
  };
  return {index_.find_or_add(hash_of(frames), is_same, add)};
}

std::span<const FrameId> StackTable::frames(StackId id) const {
  const std::size_t begin = id.value == 0 ? 0 : ends_[id.value - 1];
  return std::span(frames_).subspan(begin, ends_[id.value] - begin);
}

}  // namespace vramlab::traces
