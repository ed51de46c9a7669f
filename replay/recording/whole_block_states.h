// States of a history whose blocks are whole, as that of pinned memory: following it needs none of
// the rules of a device's allocator.
#pragma once

#include "replay/recording/followed_blocks.h"

namespace vramlab::replay {

/// After so many events, or after the last of them that has a place.
Snapshot whole_blocks_after(const DeviceHistory& history, const HistoryWalk& walk,
                            HistoryStep count);

}  // namespace vramlab::replay
