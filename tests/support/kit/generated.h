// Generated workloads, in the forms in which tests look at them.
#pragma once

#include <string>
#include <vector>

#include "traces/formats/open_trace.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/workloads/workload.h"

namespace vramlab::support {

inline constexpr const char* workload_names[] = {"training", "serving", "experts",   "diffusion",
                                                 "graphs",   "leak",    "fragments", "dataloader"};

inline traces::WorkloadRequest small_workload(const std::string& name, std::uint64_t seed = 1) {
  return {.name = name, .seed = seed, .event_count = 20'000, .sizes = {}};
}

/// The bytes of the whole file.
std::string generated_file(const traces::WorkloadRequest& request, traces::TraceFormat format);

/// All events, and the tables that they refer to.
class GeneratedEvents : private traces::ProgramSink {
 public:
  explicit GeneratedEvents(const traces::WorkloadRequest& request);

  std::vector<traces::ProgramEvent> events;
  traces::SnapshotTables tables;

  std::string text(const traces::ProgramEvent& event) const {
    return std::string(tables.texts.text(event.text));
  }
  /// The mallocs with a frame in that file on their stack.
  std::vector<traces::ProgramEvent> mallocs_below(const std::string& file) const;

 private:
  void program_event(const traces::ProgramEvent& event) override { events.push_back(event); }
};

}  // namespace vramlab::support
