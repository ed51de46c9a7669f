#include "streams/memory/free_gaps.h"

#include <algorithm>
#include <utility>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

constexpr std::size_t chunk_limit = 128;

Bytes largest_of(const std::vector<AddressRange>& gaps) {
  Bytes largest;
  for (const AddressRange& gap : gaps) largest = std::max(largest, gap.size());
  return largest;
}

std::optional<Address> place_in(AddressRange gap, const FreeGaps::Wish& wish) {
  const Address begin = std::max(gap.begin, wish.window.begin);
  const Address end = std::min(gap.end, wish.window.end);
  const Address at{round_up(Bytes{begin.value}, wish.alignment).count};
  // Written without sums of the caller's numbers: a huge size must not wrap around.
  if (at < begin || at >= end || end - at < wish.size) return std::nullopt;
  return at;
}

}  // namespace

FreeGaps::FreeGaps(AddressRange whole) { insert_before({0, 0}, whole); }

std::optional<Address> FreeGaps::lowest_fit(const Wish& wish) const {
  const Position start = first_gap_ending_after(wish.window.begin);
  std::size_t index = start.index;
  for (std::size_t chunk = start.chunk; chunk < chunks_.size(); ++chunk, index = 0) {
    if (chunks_[chunk].gaps.front().begin >= wish.window.end) break;
    if (chunks_[chunk].largest < wish.size) continue;
    for (; index < chunks_[chunk].gaps.size(); ++index)
      if (const auto at = place_in(chunks_[chunk].gaps[index], wish)) return at;
  }
  return std::nullopt;
}

bool FreeGaps::is_free(AddressRange range) const {
  const AddressRange* gap = gap_at(first_gap_ending_after(range.begin));
  return gap != nullptr && gap->begin <= range.begin && range.end <= gap->end;
}

void FreeGaps::take(AddressRange range) {
  check(range.begin < range.end && is_free(range), "only free addresses are taken");
  const Position position = first_gap_ending_after(range.begin);
  const AddressRange gap = *gap_at(position);
  const AddressRange front{gap.begin, range.begin};
  const AddressRange back{range.end, gap.end};
  if (front.is_empty() && back.is_empty()) return erase(position);
  if (front.is_empty()) return set_gap(position, back);
  set_gap(position, front);
  if (!back.is_empty()) insert_before({position.chunk, position.index + 1}, back);
}

void FreeGaps::give_back(AddressRange range) {
  check(range.begin < range.end, "a range that is given back is not empty");
  const Position after = first_gap_ending_after(range.begin);
  const std::optional<Position> before = previous(after);
  const AddressRange* next = gap_at(after);
  check(next == nullptr || range.end <= next->begin, "addresses are given back once");
  const bool joins_next = next != nullptr && next->begin == range.end;
  const bool joins_previous = before && gap_at(*before)->end == range.begin;
  if (joins_next && joins_previous) {
    set_gap(*before, {gap_at(*before)->begin, next->end});
    erase(after);
  } else if (joins_next) {
    set_gap(after, {range.begin, next->end});
  } else if (joins_previous) {
    set_gap(*before, {gap_at(*before)->begin, range.end});
  } else {
    insert_before(after, range);
  }
}

std::size_t FreeGaps::gap_count() const {
  std::size_t count = 0;
  for (const Chunk& chunk : chunks_) count += chunk.gaps.size();
  return count;
}

FreeGaps::Position FreeGaps::first_gap_ending_after(Address address) const {
  const auto chunk = std::partition_point(
      chunks_.begin(), chunks_.end(),
      [address](const Chunk& candidate) { return candidate.gaps.back().end <= address; });
  if (chunk == chunks_.end()) return {chunks_.size(), 0};
  const auto gap =
      std::partition_point(chunk->gaps.begin(), chunk->gaps.end(),
                           [address](AddressRange candidate) { return candidate.end <= address; });
  return {static_cast<std::size_t>(chunk - chunks_.begin()),
          static_cast<std::size_t>(gap - chunk->gaps.begin())};
}

std::optional<FreeGaps::Position> FreeGaps::previous(Position position) const {
  if (position.index > 0) return Position{position.chunk, position.index - 1};
  if (position.chunk == 0) return std::nullopt;
  return Position{position.chunk - 1, chunks_[position.chunk - 1].gaps.size() - 1};
}

const AddressRange* FreeGaps::gap_at(Position position) const {
  return position.chunk < chunks_.size() ? &chunks_[position.chunk].gaps[position.index] : nullptr;
}

void FreeGaps::set_gap(Position position, AddressRange gap) {
  Chunk& chunk = chunks_[position.chunk];
  chunk.gaps[position.index] = gap;
  chunk.largest = largest_of(chunk.gaps);
}

void FreeGaps::insert_before(Position position, AddressRange gap) {
  if (chunks_.empty()) chunks_.emplace_back();
  if (position.chunk == chunks_.size()) position = {chunks_.size() - 1, chunks_.back().gaps.size()};
  Chunk& chunk = chunks_[position.chunk];
  chunk.gaps.insert(chunk.gaps.begin() + static_cast<std::ptrdiff_t>(position.index), gap);
  if (chunk.gaps.size() > chunk_limit) {
    const auto middle = chunk.gaps.begin() + static_cast<std::ptrdiff_t>(chunk_limit / 2);
    Chunk upper{{middle, chunk.gaps.end()}, {}};
    upper.largest = largest_of(upper.gaps);
    chunk.gaps.erase(middle, chunk.gaps.end());
    chunk.largest = largest_of(chunk.gaps);
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(position.chunk) + 1,
                   std::move(upper));
  } else {
    chunk.largest = std::max(chunk.largest, gap.size());
  }
}

void FreeGaps::erase(Position position) {
  Chunk& chunk = chunks_[position.chunk];
  chunk.gaps.erase(chunk.gaps.begin() + static_cast<std::ptrdiff_t>(position.index));
  chunk.largest = largest_of(chunk.gaps);
  if (chunk.gaps.empty())
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(position.chunk));
}

}  // namespace vramlab::streams
