// The rhythm in which a program empties its cache. Where nothing is cached, a call of empty_cache
// leaves no entry in a recording, and under other options it may release something. A program that
// empties its cache each time after the same number of requests and frees did so there, too.
#pragma once

#include <vector>

#include "replay/recording/recorded_calls.h"

namespace vramlab::replay {

/// The first events of the calls before which the rhythm misses an emptied cache; empty if there is
/// no rhythm. Whether nothing was cached then is for others to see. `emptied`: an event of each
/// emptied cache, ascending.
std::vector<std::size_t> missing_in_rhythm(const RecordedCalls& calls,
                                           const std::vector<std::size_t>& emptied);

}  // namespace vramlab::replay
