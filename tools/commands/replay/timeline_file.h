// A timeline of a replay as CSV: what was held after each event.
#pragma once

#include <string>

#include "replay/run/replay_watch.h"
#include "traces/files/output_file.h"

namespace vramlab::tools {

class TimelineFile {
 public:
  TimelineFile(const std::string& path, traces::Overwrite overwrite);

  /// One line, unless the event changed none of the figures.
  void add(const replay::DeviceReplay& replay, const traces::ProgramEvent& event,
           std::uint64_t number);
  void finish() { output_.finish(); }
  const std::string& temporary_path() const { return output_.temporary_path(); }

 private:
  traces::OutputFile output_;
  std::map<traces::DeviceIndex, std::string> last_figures_;
};

}  // namespace vramlab::tools
