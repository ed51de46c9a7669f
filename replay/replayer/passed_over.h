// PassedOver: a free block that is large enough for a request and did not get it, with the reason.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "allocator/listeners/rules.h"
#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

enum class PassReason : std::uint8_t {
  /// A small block where the request is large, or the other way round.
  other_kind,
  other_pool,
  other_stream,
  /// In an expandable segment, while these are off.
  expandable_off,
  /// At or above the split limit, and the request is below it.
  above_split_limit,
  /// Above the split limit, as the request is, but larger by the non-split rounding or more.
  wastes_too_much,
  /// It can grow where it lies, further than the block that is taken.
  reaches_further,
  larger_than_taken,
  /// As large as the block that is taken, and behind it.
  behind_taken,
};

struct PassedOver {
  Address address;
  Bytes size;
  PassReason reason = PassReason::other_kind;
};

/// Such as `another stream's`, to follow the block.
std::string_view reason_text(PassReason reason);
/// The rule that decides it.
allocator::Rule rule_of(PassReason reason);

/// The free blocks before a request that are large enough for it and did not get it, smallest
/// first. None where it failed, or where blocks were given back or became free meanwhile: the state
/// before it is not the one that was searched then.
std::vector<PassedOver> blocks_passed_over(const Snapshot& before, const Snapshot& after,
                                           const traces::ProgramEvent& request,
                                           const std::vector<AllocatorEvent>& entries,
                                           const Settings& settings);

}  // namespace vramlab::replay
