#include "replay/packing/segment_policies.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

/// The segment that the reference takes for requests of a middle size.
constexpr Bytes least_segment{20ULL << 20};

/// First fit: a request gets the lowest free range that it fits into, so that live blocks gather at
/// low addresses. Not in PyTorch.
class FirstFitPolicy final : public SegmentPolicy {
 public:
  explicit FirstFitPolicy(streams::MemoryDevice& device) : SegmentPolicy(device, size_itself) {}

 private:
  std::optional<FreeRange> find(const FreeRanges& free, std::uint64_t size) const override {
    return free.first_fit(size);
  }
};

constexpr unsigned class_bits = 4;

/// Requires: a size of at least 16.
std::uint64_t class_of(std::uint64_t size) {
  const auto exponent = static_cast<unsigned>(std::bit_width(size)) - 1;
  const std::uint64_t part = (size >> (exponent - class_bits)) & ((1U << class_bits) - 1);
  return (std::uint64_t{exponent} << class_bits) + part;
}

/// The first class without smaller ranges.
std::uint64_t class_from(std::uint64_t size) {
  const auto exponent = static_cast<unsigned>(std::bit_width(size)) - 1;
  return class_of(size + (std::uint64_t{1} << (exponent - class_bits)) - 1);
}

/// Two-level segregated fit, after TLSF: free ranges are sorted into classes, sixteen for each
/// power of two, and a request takes from the first class in which every range is large enough, so
/// that finding one always takes the same time. Only before the device is asked for more memory,
/// the request's own class is searched as well. TLSF takes the range of a class that was freed
/// last; here it is the lowest one. Not in PyTorch.
class TlsfPolicy final : public SegmentPolicy {
 public:
  explicit TlsfPolicy(streams::MemoryDevice& device) : SegmentPolicy(device, class_of) {}

 private:
  std::optional<FreeRange> find(const FreeRanges& free, std::uint64_t size) const override {
    const auto found = free.first_of_key(class_from(size));
    return found ? found : free.best_fit(size, 1);
  }
};

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

std::unique_ptr<SegmentPolicy> make_first_fit(streams::MemoryDevice& device) {
  return std::make_unique<FirstFitPolicy>(device);
}

std::unique_ptr<Policy> make_first_fit_policy(streams::MemoryDevice& device,
                                              const PolicyConditions&) {
  return make_first_fit(device);
}

std::unique_ptr<Policy> make_tlsf_policy(streams::MemoryDevice& device, const PolicyConditions&) {
  return std::make_unique<TlsfPolicy>(device);
}

}  // namespace vramlab::replay
