// What stands behind the exports, by mode.
#pragma once

#include "tools/preload/ground/memory_calls.h"
#include "tools/preload/ground/preload_mode.h"

namespace vramlab::preload {

/// Never destroyed. Null for `off`. Requires: the driver is loaded.
MemoryCalls* make_behind(PreloadMode mode);

}  // namespace vramlab::preload
