// Stitching: device memory is physical units of 2 MiB, and a block is any free units of its arena,
// mapped one after another to addresses of its own. So no free unit is ever too small or in the
// wrong place; the costs are mapping, and the rest of the last unit. Requests of up to 1 MiB share
// units, first fit. Not in PyTorch.
//
// If the device has no more memory, free units of the default pool's other streams are taken, after
// waiting for these streams.
#include <map>
#include <set>
#include <unordered_map>

#include "allocator/options/size_rules.h"
#include "allocator/types/check.h"
#include "replay/packing/free_ranges.h"
#include "replay/packing/policies.h"
#include "replay/packing/segment_policies.h"

namespace vramlab::replay {
namespace {

constexpr Bytes unit{2ULL << 20};

class StitchingPolicy final : public Policy {
 public:
  explicit StitchingPolicy(streams::MemoryDevice& device) : device_(device) {
    const Bytes size = allocator::reservation_size(device.memory_info().total, unit);
    const auto home = device.reserve(size, {});
    check(home.has_value(), "there are addresses for all units of the device");
    next_unit_ = home->value;
    next_address_ = (*home + size).value;
  }

  std::optional<Address> malloc(const PolicyRequest& request) override {
    if (request.bytes >= allocator::request_limit) return std::nullopt;
    return request.bytes <= allocator::small_limit ? malloc_small(request) : malloc_large(request);
  }

  void free(std::uint64_t id) override {
    const auto at = live_.find(id);
    const Block block = std::move(at->second);
    live_.erase(at);
    if (block.small.size() > 0) return free_small(*block.arena, block.small);
    block.arena->free_units.insert(block.units.begin(), block.units.end());
    free_addresses_[block.units.size()].push_back(block.address);
  }

  std::vector<streams::AddressRange> memory_of(std::uint64_t id) const override {
    const Block& block = live_.at(id);
    if (block.small.size() > 0) return {{{block.small.begin}, {block.small.end}}};
    std::vector<streams::AddressRange> ranges;
    for (const std::uint64_t at : block.units) ranges.push_back({{at}, {at + unit.count}});
    return ranges;
  }

  PolicyReport report() const override { return {units_remapped_, stream_waits_, {}}; }

 private:
  struct Arena {
    ArenaName name;
    /// First addresses of free units; the lowest are taken first.
    std::set<std::uint64_t> free_units;
    /// Free ranges in units that small blocks share.
    FreeRanges small;
  };
  struct Block {
    Arena* arena = nullptr;
    std::uint64_t address = 0;
    std::vector<std::uint64_t> units;
    /// Empty for a large block.
    FreeRange small;
  };

  Arena& arena_of(const ArenaName& name) {
    Arena& arena = arenas_[name];
    arena.name = name;
    return arena;
  }

  std::optional<Address> malloc_small(const PolicyRequest& request) {
    Arena& arena = arena_of(request.arena);
    const std::uint64_t size = block_size_of(request.bytes);
    auto found = arena.small.first_fit(size);
    if (!found) {
      const auto got = take_units(arena, 1);
      if (got.empty()) return std::nullopt;
      found = FreeRange{got[0], got[0] + unit.count};
      arena.small.give_back(*found, *found);
    }
    const FreeRange range{found->begin, found->begin + size};
    arena.small.take(range);
    live_[request.id] = {&arena, range.begin, {}, range};
    return Address{range.begin};
  }

  void free_small(Arena& arena, FreeRange range) {
    const std::uint64_t home = range.begin - (range.begin % unit.count);
    const FreeRange whole{home, home + unit.count};
    arena.small.give_back(range, whole);
    if (!arena.small.is_free(whole)) return;
    arena.small.take(whole);
    arena.free_units.insert(home);
  }

  std::optional<Address> malloc_large(const PolicyRequest& request) {
    Arena& arena = arena_of(request.arena);
    const std::uint64_t count = round_up(request.bytes, unit) / unit;
    std::vector<std::uint64_t> units = take_units(arena, count);
    if (units.empty()) return std::nullopt;
    const std::uint64_t address = addresses_for(count);
    live_[request.id] = {&arena, address, std::move(units), {}};
    return Address{address};
  }

  /// Takes `count` units, or none. New units are mapped where they are needed, others once more.
  std::vector<std::uint64_t> take_units(Arena& arena, std::uint64_t count) {
    if (arena.free_units.size() < count && !make_units(arena, count - arena.free_units.size()) &&
        !take_from_others(arena, count))
      return {};
    std::vector<std::uint64_t> units;
    while (units.size() < count) {
      const auto first = arena.free_units.begin();
      units.push_back(*first);
      if (!new_units_.erase(*first)) ++units_remapped_;
      arena.free_units.erase(first);
    }
    return units;
  }

  bool make_units(Arena& arena, std::uint64_t count) {
    if (unit * count > device_.memory_info().free || !device_.map({{next_unit_}, unit, count}))
      return false;
    for (; count > 0; --count, next_unit_ += unit.count) {
      arena.free_units.insert(next_unit_);
      new_units_.insert(next_unit_);
    }
    return true;
  }

  /// Takes free units of other arenas one by one, as few as needed, and new ones for the rest.
  bool take_from_others(Arena& arena, std::uint64_t count) {
    if (arena.name.pool != default_pool) return false;
    for (auto& [name, other] : arenas_) {
      if (&other == &arena || name.pool != default_pool || other.free_units.empty()) continue;
      device_.wait_for_stream(name.stream);
      ++stream_waits_;
      while (arena.free_units.size() < count && !other.free_units.empty())
        arena.free_units.insert(other.free_units.extract(other.free_units.begin()));
      if (arena.free_units.size() >= count) return true;
      if (make_units(arena, count - arena.free_units.size())) return true;
    }
    return false;
  }

  /// Addresses for a block of `count` units: those of a freed block, otherwise new ones.
  std::uint64_t addresses_for(std::uint64_t count) {
    std::vector<std::uint64_t>& free = free_addresses_[count];
    if (free.empty()) {
      const std::uint64_t address = next_address_;
      next_address_ += count * unit.count;
      return address;
    }
    const std::uint64_t address = free.back();
    free.pop_back();
    return address;
  }

  streams::MemoryDevice& device_;
  std::uint64_t next_unit_ = 0;
  std::uint64_t next_address_ = 0;
  std::map<ArenaName, Arena> arenas_;
  /// Addresses of freed blocks, by number of units.
  std::map<std::uint64_t, std::vector<std::uint64_t>> free_addresses_;
  /// Units made and not used yet.
  std::set<std::uint64_t> new_units_;
  /// Looked up only.
  std::unordered_map<std::uint64_t, Block> live_;
  std::uint64_t units_remapped_ = 0;
  std::uint64_t stream_waits_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_stitching_policy(streams::MemoryDevice& device,
                                              const PolicyConditions&) {
  return std::make_unique<StitchingPolicy>(device);
}

}  // namespace vramlab::replay
