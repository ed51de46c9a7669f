// The best packing beside other answers: how far an allocator is from perfect foresight.
#pragma once

#include "replay/replayer/replayer.h"
#include "tools/cli/commands/pack/pack_report.h"

namespace vramlab::tools {

/// With smaller budgets than `vramlab pack`, so that it takes no longer than the replays beside it:
/// what is left out is said.
replay::PackingResult packing_beside(const replay::PackGroup& group);

/// What is there over time in a replay without a limit, of each device that has something.
PackOutcome packing_beside(const replay::Replayer& replayer,
                           const replay::ReplayConditions& conditions);

/// The packing of the device that needs most; empty if nothing is packed.
std::optional<std::size_t> largest_packing(const PackOutcome& outcome);

/// Null for nothing.
nlohmann::ordered_json best_packing_json(const replay::PackingResult* result);

}  // namespace vramlab::tools
