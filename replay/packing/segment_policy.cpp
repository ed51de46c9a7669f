#include "replay/packing/segment_policy.h"

#include <algorithm>
#include <iterator>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

/// As the reference does for requests of a middle size.
constexpr Bytes least_segment{20ULL << 20};

}  // namespace

std::uint64_t block_size_of(Bytes request) {
  return round_up(request, allocator::minimum_block).count;
}

SegmentPolicy::Arena& SegmentPolicy::arena_of(const ArenaName& name) {
  return arenas_.try_emplace(name, Arena{FreeRanges(key_), {}}).first->second;
}

std::optional<Address> SegmentPolicy::malloc(const PolicyRequest& request) {
  if (request.bytes >= allocator::request_limit) return std::nullopt;
  const std::uint64_t size = block_size_of(request.bytes);
  Arena& arena = arena_of(request.arena);
  auto found = find(arena.free, size);
  if (!found) found = grow(arena, size, request.arena.stream);
  if (!found) {
    release_free_segments();
    found = grow(arena, size, request.arena.stream);
  }
  if (!found) return std::nullopt;
  const FreeRange block{found->begin, found->begin + size};
  arena.free.take(block);
  live_[request.id] = {block, &arena};
  return Address{block.begin};
}

std::optional<FreeRange> SegmentPolicy::grow(Arena& arena, std::uint64_t size, StreamId stream) {
  const Bytes segment = std::max(least_segment, round_up({size}, allocator::large_segment_step));
  const auto at = device_.allocate(segment, stream);
  if (!at) return std::nullopt;
  const FreeRange range{at->value, (*at + segment).value};
  arena.segments[range.begin] = range.end;
  arena.free.give_back(range, range);
  return range;
}

void SegmentPolicy::free(std::uint64_t id) {
  const auto at = live_.find(id);
  const Block block = at->second;
  live_.erase(at);
  const auto segment = std::prev(block.arena->segments.upper_bound(block.range.begin));
  block.arena->free.give_back(block.range, {segment->first, segment->second});
}

std::vector<streams::AddressRange> SegmentPolicy::memory_of(std::uint64_t id) const {
  const FreeRange& range = live_.at(id).range;
  return {{{range.begin}, {range.end}}};
}

void SegmentPolicy::release_free_segments() {
  for (auto& [name, arena] : arenas_)
    for (auto at = arena.segments.begin(); at != arena.segments.end();) {
      const FreeRange segment{at->first, at->second};
      if (!arena.free.is_free(segment)) {
        ++at;
        continue;
      }
      arena.free.take(segment);
      device_.release({segment.begin});
      at = arena.segments.erase(at);
    }
}

}  // namespace vramlab::replay
