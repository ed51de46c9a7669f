#include "replay/find_growth.h"

#include "traces/input_error.h"
#include "traces/read_snapshot.h"

namespace vramlab::replay {
namespace {

/// Reads a file for one who looks at a recording and one who looks at a program; true where it is
/// a program.
bool read_events(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                 MemoryEventSink& recorded, MemoryEventSink& program) {
  RecordedMemoryEvents recorded_events(recorded);
  ProgramMemoryEvents program_events(trace.file, tables, program);
  traces::read_trace(trace, tables, {recorded_events, program_events});
  return program_events.event_count() > 0;
}

IterationRule find_rule(const std::string& path, const traces::ProgressListener& listener) {
  traces::OpenTrace trace = traces::open_trace(path, listener);
  traces::SnapshotTables tables;
  IterationFinder recorded(tables);
  IterationFinder program(tables);
  return read_events(trace, tables, recorded, program) ? program.rule() : recorded.rule();
}

/// Iterations can only end where there are events.
void check_events(const IterationRule& rule, const GrowthFinder& finder, const std::string& file) {
  if (rule.events.empty() || (finder.last_event() && rule.events.back() <= *finder.last_event()))
    return;
  throw traces::InputError({file, "", "an event " + std::to_string(rule.events.back()),
                            finder.last_event()
                                ? std::to_string(*finder.last_event() + 1) + " events, from 0 on"
                                : "no history"});
}

}  // namespace

FoundGrowth find_growth(const std::string& path, const IterationRule& told,
                        const traces::ProgressListener& listener) {
  FoundGrowth found;
  found.rule = told;
  if (told.source == IterationSource::none) {
    if (path == "-")
      throw traces::InputError({traces::input_name(path), "",
                                "a file, as this looks for iterations first and reads it twice",
                                "standard input"});
    found.rule = find_rule(path, listener);
    if (found.rule.source == IterationSource::none) return found;
  }
  traces::OpenTrace trace = traces::open_trace(path, listener);
  GrowthFinder recorded(trace.file, KeyMeaning::address, found.rule, found.tables);
  GrowthFinder program(trace.file, KeyMeaning::id, found.rule, found.tables);
  GrowthFinder& finder = read_events(trace, found.tables, recorded, program) ? program : recorded;
  check_events(found.rule, finder, trace.file);
  found.devices = finder.finish();
  return found;
}

}  // namespace vramlab::replay
