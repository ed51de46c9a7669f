// Pools that never split a block, as MemPool(no_split=True) makes them. A dry run notes them; in
// all other files they are told apart by what their events show.
#pragma once

#include <set>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

/// Pools of a history that names them: those that are noted, and those all of whose blocks begin
/// where memory was got, and in which some block was kept whole that another pool would have split.
/// `settings`: in force then.
std::set<PoolId> find_whole_pools(const DeviceHistory& history,
                                  const allocator::Settings& settings);

}  // namespace vramlab::replay
