#include "streams/ordered_pool/ordered_pool.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

namespace {

/// Addresses cost nothing; no device that exists uses up so many.
constexpr Bytes reserved_addresses{1ULL << 44};
/// No larger size is asked of a device, so that sums cannot wrap around.
constexpr Bytes largest_request{1ULL << 43};

/// The reserved addresses, from the first one on that a unit can begin at.
AddressRange reserve_addresses(SimulatedMemory& memory, Bytes unit) {
  const auto at = memory.reserve(reserved_addresses, {0});
  check(at.has_value(), "there are addresses for a pool");
  return {{round_up({at->value}, unit).count}, *at + reserved_addresses};
}

}  // namespace

OrderedPool::OrderedPool(const OrderedPoolRules& rules, std::uint32_t device,
                         SimulatedMemory& memory, FreeOrder& order)
    : rules_(rules),
      device_(device),
      memory_(memory),
      order_(order),
      addresses_(reserve_addresses(memory, rules.unit)),
      gaps_(addresses_) {
  check(rules.alignment.count > 0 && rules.unit.count % rules.alignment.count == 0,
        "a unit is made of aligned pieces");
}

std::optional<Address> OrderedPool::allocate(Bytes size, StreamId stream) {
  check(size.count > 0, "a request is not empty");
  if (size > largest_request) return std::nullopt;
  const Bytes rounded = round_up(size, rules_.alignment);
  const StreamAt asking = stream_at(stream);
  const NextOnStream next = order_.next_on(asking);
  if (const auto found = holes_.smallest_fit(
          rounded, [&](const FreePoint& point) { return use_of(point, next); })) {
    ++counts_.reused;
    return hand_out(*found);
  }
  if (const auto placed = place_units(rounded)) return hand_out(*placed);
  if (!rules_.adds_dependencies) return std::nullopt;
  const auto waited_for = wait_for_others(rounded, asking);
  if (!waited_for) return std::nullopt;
  ++counts_.made_to_wait;
  return hand_out(*waited_for);
}

/// Whether the next work of the stream may use memory that is free from there on.
PieceUse OrderedPool::use_of(const FreePoint& point, const NextOnStream& next) const {
  const bool is_over = order_.is_over(point);
  if (is_over && (rules_.is_opportunistic || order_.is_known_to_host(point)))
    return PieceUse::settled;
  if (order_.is_same_stream(point, next.stream)) return PieceUse::allowed;
  if (rules_.follows_events && order_.is_behind(point, next)) return PieceUse::allowed;
  return PieceUse::forbidden;
}

Address OrderedPool::hand_out(AddressRange range) {
  holes_.take(range);
  in_use_[range.begin.value] = range.size();
  used_ += range.size();
  return range.begin;
}

/// Free units move together, wherever they are, before new ones are asked for.
std::optional<AddressRange> OrderedPool::place_units(Bytes size) {
  const Bytes whole = round_up(size, rules_.unit);
  const std::uint64_t needed = whole / rules_.unit;
  std::vector<Address> moved = free_units();
  moved.resize(as_index(std::min<std::uint64_t>(moved.size(), needed)));
  const auto place = gaps_.lowest_fit({whole, rules_.unit, addresses_});
  if (!place) return std::nullopt;
  Address end = *place + rules_.unit * moved.size();
  const std::uint64_t missing = needed - moved.size();
  if (missing > 0 && !memory_.map({end, rules_.unit, missing}).mapped) return std::nullopt;
  const AddressRange placed{*place, *place + whole};
  gaps_.take(placed);
  end = *place;
  for (const Address unit : moved) {
    unmap_unit(unit);
    check(memory_.map({end, rules_.unit, 1}).mapped, "what was unmapped can be mapped again");
    end = end + rules_.unit;
  }
  units_ += needed;
  counts_.units_created += missing;
  counts_.units_moved += moved.size();
  ++(moved.empty() ? counts_.grown : counts_.moved);
  holes_.add({placed, std::nullopt});
  return AddressRange{placed.begin, placed.begin + size};
}

/// Memory that other streams will have freed, if this one waits for them.
std::optional<AddressRange> OrderedPool::wait_for_others(Bytes size, StreamAt stream) {
  const NextOnStream next = order_.next_on(stream);
  const auto found = holes_.smallest_fit(size, [&](const FreePoint& point) {
    const PieceUse use = use_of(point, next);
    return use == PieceUse::forbidden ? PieceUse::allowed : use;
  });
  if (!found) return std::nullopt;
  for (const FreePoint& point : holes_.points_in(*found))
    if (use_of(point, order_.next_on(stream)) == PieceUse::forbidden &&
        !order_.make_follow(stream, point))
      return std::nullopt;
  return found;
}

void OrderedPool::free(Address at, StreamId stream) {
  const FreePoint point = order_.free_point(stream_at(stream));
  holes_.add({{at, at + take_back(at)}, point});
}

void OrderedPool::free_at_once(Address at) { holes_.add({{at, at + take_back(at)}, std::nullopt}); }

Bytes OrderedPool::take_back(Address at) {
  const auto found = in_use_.find(at.value);
  check(found != in_use_.end(), "only what is in use is freed");
  const Bytes size = found->second;
  in_use_.erase(found);
  used_ -= size;
  return size;
}

/// Units that are free from end to end, by address.
std::vector<Address> OrderedPool::free_units() {
  return holes_.whole_units(addresses_.begin, rules_.unit, [&](const FreePoint& point) {
    return order_.is_over(point) ? PieceUse::allowed : PieceUse::forbidden;
  });
}

void OrderedPool::trim_to(Bytes kept) {
  if (reserved() <= kept) return;
  std::vector<Address> units = free_units();
  for (; !units.empty() && reserved() > kept; units.pop_back()) {
    unmap_unit(units.back());
    ++counts_.units_released;
  }
}

void OrderedPool::unmap_unit(Address at) {
  const AddressRange range{at, at + rules_.unit};
  holes_.take(range);
  gaps_.give_back(range);
  memory_.unmap({at, rules_.unit, 1});
  --units_;
}

}  // namespace vramlab::streams
