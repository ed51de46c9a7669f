#include "replay/holders/find_growth.h"

#include "replay/holders/read_memory_events.h"
#include "traces/files/input_error.h"

namespace vramlab::replay {
namespace {

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
    found.rule = find_iterations(path, listener);
    if (found.rule.source == IterationSource::none) return found;
  }
  traces::OpenTrace trace = traces::open_trace(path, listener);
  GrowthFinder recorded(trace.file, KeyMeaning::address, found.rule, found.tables);
  GrowthFinder program(trace.file, KeyMeaning::id, found.rule, found.tables);
  GrowthFinder& finder =
      read_memory_events(trace, found.tables, recorded, program) ? program : recorded;
  check_events(found.rule, finder, trace.file);
  found.devices = finder.finish();
  return found;
}

}  // namespace vramlab::replay
