#include "replay/recording/host_sections.h"

#include "traces/filters/host_recording.h"

namespace vramlab::replay {

RecordedHistory host_history_in(const RecordedHistory& history, traces::SnapshotTables& tables) {
  HistoryCollector collector;
  traces::ProgramCounter none;
  traces::HostRecording view(tables, {collector, none});
  for (const traces::UnknownField& section : history.other_sections)
    view.unknown_section(section.key, section.value);
  RecordedHistory host = collector.take();
  take_as_host(host);
  return host;
}

}  // namespace vramlab::replay
