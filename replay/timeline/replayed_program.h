// How a program is replayed for a picture of its memory: what the allocator does is kept as a
// recording would have it.
#pragma once

#include <vector>

#include "replay/recording/recorded_history.h"
#include "replay/replayer/replay_conditions.h"
#include "replay/replayer/replay_watch.h"
#include "replay/timeline/perfetto_timeline.h"

namespace vramlab::replay {

/// Events of a program without times follow each other by a microsecond. Each device's history is
/// added once it is through; ranges of the program go to `spans`. Both must outlive the watch.
/// Requires: the conditions are keeping_all().
ReplayWatch watch_for_picture(std::vector<DeviceHistory>& histories, AnnotationCollector& spans);

/// The same with every entry of the history.
ReplayConditions keeping_all(ReplayConditions conditions);

}  // namespace vramlab::replay
