// The facts an allocator announces, at the moment the reference updates its counters, and how
// listeners to them are put together at compile time: an allocator with Listeners<> pays nothing.
// The algorithm itself counts nothing. ActedRules, the smallest listener, stands here too.
#pragma once

#include <bitset>
#include <cstdint>
#include <utility>
#include <vector>

#include "allocator/blocks/pool.h"
#include "allocator/listeners/rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {

/// Whether a size is at or above the limit from which blocks are not split.
enum class Oversize : bool { no, yes };

struct BlockFact {
  Address address;
  Bytes size;
  Bytes requested;
  const Lane& lane;
};

/// A classic segment, or a range of an expandable one that was mapped or unmapped.
struct RangeFact {
  Address address;
  Bytes size;
  const Lane& lane;
};

/// A listener inherits this class and hides the functions of the facts that it wants to hear; the
/// calls are resolved at compile time.
struct Listener {
  /// Work that serves acted() alone is left out where nobody hears it.
  static constexpr bool hears_rules = false;
  /// A rule of the reference decided something.
  void acted(Rule) {}
  void handed_out(const BlockFact&, Oversize) {}
  void free_requested(const BlockFact&, Oversize) {}
  void free_completed(const BlockFact&) {}
  /// Requested and completed at once: nothing had to be waited for, as nearly always.
  void freed_at_once(const BlockFact&, Oversize) {}
  /// The number of free blocks of split segments changed, and their bytes; both in one booking.
  void inactive_split_changed(PoolKind, std::int64_t /*count*/, std::int64_t /*bytes*/) {}
  void segment_got(const RangeFact&, Oversize) {}
  void segment_released(const RangeFact&, Oversize) {}
  void range_mapped(const RangeFact&) {}
  void range_unmapped(const RangeFact&) {}
  void retried() {}
  void synchronised() {}
  void ran_out_of_memory(Bytes /*device_free*/, Bytes /*rounded*/, const Lane&) {}
  /// One attempt was refused for the configured share of the device.
  void attempt_rejected() {}
  void snapshot_taken(Bytes /*active*/) {}
  /// A stream's part of a pool is used for the first time.
  void lane_opened(const Lane&) {}
};

template <class... Each>
struct Listeners : Each... {
  static constexpr bool hears_rules = (Each::hears_rules || ...);
  void acted([[maybe_unused]] Rule rule) { (Each::acted(rule), ...); }
  void handed_out([[maybe_unused]] const BlockFact& block, [[maybe_unused]] Oversize oversize) {
    (Each::handed_out(block, oversize), ...);
  }
  void free_requested([[maybe_unused]] const BlockFact& block, [[maybe_unused]] Oversize oversize) {
    (Each::free_requested(block, oversize), ...);
  }
  void free_completed([[maybe_unused]] const BlockFact& block) {
    (Each::free_completed(block), ...);
  }
  void freed_at_once([[maybe_unused]] const BlockFact& block, [[maybe_unused]] Oversize oversize) {
    (Each::freed_at_once(block, oversize), ...);
  }
  void inactive_split_changed([[maybe_unused]] PoolKind kind, [[maybe_unused]] std::int64_t count,
                              [[maybe_unused]] std::int64_t bytes) {
    (Each::inactive_split_changed(kind, count, bytes), ...);
  }
  void segment_got([[maybe_unused]] const RangeFact& range, [[maybe_unused]] Oversize oversize) {
    (Each::segment_got(range, oversize), ...);
  }
  void segment_released([[maybe_unused]] const RangeFact& range,
                        [[maybe_unused]] Oversize oversize) {
    (Each::segment_released(range, oversize), ...);
  }
  void range_mapped([[maybe_unused]] const RangeFact& range) { (Each::range_mapped(range), ...); }
  void range_unmapped([[maybe_unused]] const RangeFact& range) {
    (Each::range_unmapped(range), ...);
  }
  void retried() { (Each::retried(), ...); }
  void synchronised() { (Each::synchronised(), ...); }
  void ran_out_of_memory([[maybe_unused]] Bytes device_free, [[maybe_unused]] Bytes rounded,
                         [[maybe_unused]] const Lane& lane) {
    (Each::ran_out_of_memory(device_free, rounded, lane), ...);
  }
  void attempt_rejected() { (Each::attempt_rejected(), ...); }
  void snapshot_taken([[maybe_unused]] Bytes bytes) { (Each::snapshot_taken(bytes), ...); }
  void lane_opened([[maybe_unused]] const Lane& lane) { (Each::lane_opened(lane), ...); }
};

/// The rules of the reference that decided something since they were last asked for: each once, in
/// the order in which they acted for the first time.
class ActedRules : public Listener {
 public:
  static constexpr bool hears_rules = true;

  void acted(Rule rule) {
    const auto place = std::size_t{rule.section} * numbers_of_a_section + rule.number;
    if (seen_[place]) return;
    seen_.set(place);
    rules_.push_back(rule);
  }
  /// Gives the rules, and forgets them.
  std::vector<Rule> take_rules() {
    seen_.reset();
    return std::exchange(rules_, {});
  }

 private:
  static constexpr std::size_t numbers_of_a_section = 32;
  static constexpr std::size_t sections = 19;
  std::bitset<sections * numbers_of_a_section> seen_;
  std::vector<Rule> rules_;
};

}  // namespace vramlab::allocator
