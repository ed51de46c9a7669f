// KeptRest: what stays with a block that is larger than its request, and why it was not split off.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allocator/listeners/rules.h"
#include "allocator/options/settings.h"
#include "allocator/types/snapshot.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

enum class KeepReason : std::uint8_t {
  pool_never_splits,
  /// The request is at or above the split limit.
  above_split_limit,
  /// Outside small pools and expandable segments.
  at_most_1_mib,
};

struct KeptRest {
  Bytes size;
  KeepReason reason = KeepReason::at_most_1_mib;
};

/// Such as `its pool never splits`, to follow the rest.
std::string_view reason_text(KeepReason reason);
/// The rule that decides it.
allocator::Rule rule_of(KeepReason reason);

/// By the state after the request, the entries it left and the rules that acted. None where the
/// block is as large as the rounded request.
std::optional<KeptRest> rest_kept(const Snapshot& after, const traces::ProgramEvent& request,
                                  const std::vector<AllocatorEvent>& entries,
                                  const std::vector<allocator::Rule>& rules,
                                  const Settings& settings);

}  // namespace vramlab::replay
