// Size rules: how a request becomes a block size, a pool and a size to ask the device for. Pure
// functions over the settings in force, inline because every request passes through them. Nothing
// here overflows for requests below request_limit; refusing larger ones is the caller's business.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>

#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"

namespace vramlab::allocator {

/// Every block size is a multiple of this.
inline constexpr Bytes minimum_block{512};
/// Rounded sizes up to and including this come from a small pool.
inline constexpr Bytes small_limit{1ULL << 20};
/// The size that a miss in a small pool asks the device for.
inline constexpr Bytes small_segment{2ULL << 20};
/// From this rounded size on, a miss asks the device for the size itself, in whole steps.
inline constexpr Bytes medium_limit{10ULL << 20};
inline constexpr Bytes large_segment_step{2ULL << 20};
/// Requests of this size or more fail before they are rounded.
inline constexpr Bytes request_limit{1ULL << 60};

/// Which of the slots of the rounding divisions a size falls into: slot k holds the sizes from
/// 2^k MiB up to the next power of two, the first and the last also what lies beyond them.
/// Requires: size is not zero.
constexpr std::size_t rounding_slot(Bytes size) {
  constexpr int last_slot = 15;
  const int exponent = static_cast<int>(std::bit_width(size.count)) - 1;
  const int slot = exponent - 20;
  return static_cast<std::size_t>(slot < 0 ? 0 : slot > last_slot ? last_slot : slot);
}

/// The next of `divisions` equal steps between the power of two below the size and the one above.
/// Requires: divisions is a power of two and size is at least 512 times as large.
constexpr Bytes round_up_to_division(Bytes size, std::uint32_t divisions) {
  const std::uint64_t step =
      std::bit_floor(size.count) >> static_cast<unsigned>(std::countr_zero(divisions));
  return {(size.count + step - 1) & ~(step - 1)};
}

/// Whether the divisions in force, and not the minimum, round a request of at least a minimum
/// block.
constexpr bool is_rounded_by_divisions(Bytes request, const Settings& settings) {
  const std::uint32_t divisions = settings.roundup_divisions[rounding_slot(request)];
  return divisions > 1 && request > minimum_block * divisions;
}

/// The next multiple of the minimum block. Requires: size is not zero.
constexpr Bytes round_to_minimum(Bytes request) {
  return {(request.count + minimum_block.count - 1) & ~(minimum_block.count - 1)};
}

/// The size of the block that a request gets. Requires: the request is below request_limit.
constexpr Bytes round_request(Bytes request, const Settings& settings) {
  if (request < minimum_block) return minimum_block;
  if (is_rounded_by_divisions(request, settings)) [[unlikely]]
    return round_up_to_division(request, settings.roundup_divisions[rounding_slot(request)]);
  return round_to_minimum(request);
}

/// By the rules of classic segments, or with expandable segments on.
enum class Mode : bool { classic, expandable };

constexpr PoolKind pool_kind_of(Bytes rounded) {
  return rounded <= small_limit ? PoolKind::small : PoolKind::large;
}

/// The large segment size, cut to a size that no device has: the option may be the largest number.
constexpr Bytes large_segment_in_use(const Settings& settings) {
  return settings.large_segment_size < request_limit ? settings.large_segment_size : request_limit;
}

/// The size that a miss asks the device for, as one classic segment.
constexpr Bytes device_size_for_miss(Bytes rounded, const Settings& settings) {
  if (rounded <= small_limit) return small_segment;
  if (rounded < medium_limit) return large_segment_in_use(settings);
  return round_up(rounded, large_segment_step);
}

/// Whether a block is too large for a request that it would hold: the split limit keeps apart what
/// is below it and what is not, and beyond it little may be wasted.
constexpr bool is_oversize_mismatch(Bytes block, Bytes rounded, const Settings& settings) {
  if (block < settings.max_split_size) [[likely]]
    return false;
  if (rounded < settings.max_split_size) return true;
  // Not a sum: the limit may be all that a number holds.
  return block - rounded >= settings.max_non_split_rounding;
}

/// A share of the device's memory, or of another limit.
constexpr Bytes share_of(double share, Bytes whole) {
  return {static_cast<std::uint64_t>(share * static_cast<double>(whole.count))};
}

/// The size of the physical units of an expandable segment that is reserved now.
constexpr Bytes expandable_unit(PoolKind kind, const Settings& settings) {
  return kind == PoolKind::small ? small_segment : large_segment_in_use(settings);
}

/// The addresses that an expandable segment reserves, as the settings say.
using Reserve = std::optional<AddressReserve>;

/// The addresses that an expandable segment needs on a device: nine eighths of its memory, or the
/// reserve if that is less.
constexpr Bytes addresses_for(Bytes device_total, const Reserve& reserve = {}) {
  const Bytes most{device_total.count + device_total.count / 8};
  if (!reserve) return most;
  const bool is_share = reserve->unit == AddressReserve::Unit::device_memory;
  const double whole = is_share ? static_cast<double>(device_total.count) : double{1ULL << 30};
  const double wanted = reserve->amount * whole;
  // A larger number may be none that an integer holds.
  return wanted < static_cast<double>(most.count) ? Bytes{static_cast<std::uint64_t>(wanted)}
                                                  : most;
}

/// The range of addresses of an expandable segment, in whole units. Requires: unit is not zero.
constexpr Bytes reservation_size(Bytes device_total, Bytes unit, const Reserve& reserve = {}) {
  return round_up(addresses_for(device_total, reserve), unit);
}

/// Whether a block of this size is too large for an expandable segment that needs so many
/// addresses.
constexpr bool is_beyond(Bytes rounded, Bytes addresses, const Settings& settings) {
  return rounded > round_up(addresses, expandable_unit(pool_kind_of(rounded), settings));
}

/// The reserve that the text of a failure names as exceeded, by the size of a classic segment for
/// the miss: also where the request would fit when the reserve is rounded up to units. Empty where
/// the device itself is too small, or no option says a reserve.
constexpr std::optional<Bytes> exceeded_reserve(Bytes device_size, Bytes device_total,
                                                const Settings& settings) {
  if (!settings.expandable_segments || !settings.expandable_reserve) return std::nullopt;
  const Bytes reserve = addresses_for(device_total, settings.expandable_reserve);
  if (device_size <= reserve || device_size > device_total) return std::nullopt;
  return reserve;
}

/// The size of a device on which an expandable segment reserves that many addresses; empty where
/// that is nothing that the device's size decides.
constexpr std::optional<Bytes> device_total_for(Bytes reservation, const Reserve& reserve = {}) {
  if (reserve && reserve->unit == AddressReserve::Unit::gibibytes) return std::nullopt;
  if (!reserve || reserve->amount >= 1.125)
    return Bytes{reservation.count / 9 * 8 + reservation.count % 9 * 8 / 9};
  const double total = static_cast<double>(reservation.count) / reserve->amount;
  if (total >= static_cast<double>(request_limit.count)) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(total)};
}

}  // namespace vramlab::allocator
