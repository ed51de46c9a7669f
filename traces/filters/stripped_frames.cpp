#include "traces/filters/stripped_frames.h"

namespace vramlab::traces {

void StrippedFrames::segment(const SegmentValue& segment) {
  SegmentValue stripped = segment;
  stripped.stack = {};
  for (BlockValue& block : stripped.blocks) {
    block.stack = {};
    for (HistoryEntry& entry : block.history) entry.keys.remove(KnownText::frames);
  }
  next_.segment(stripped);
}

void StrippedFrames::trace_entry(DeviceIndex device, const TraceEntry& entry) {
  TraceEntry stripped = entry;
  stripped.keys.remove(KnownText::frames);
  stripped.keys.remove(KnownText::forward_frames);
  next_.trace_entry(device, stripped);
}

}  // namespace vramlab::traces
