// NotedProgram: hands a program on to its replay, and knows whether there was one at all.
#pragma once

#include "replay/run/program_replay.h"

namespace vramlab::replay {

class NotedProgram : public traces::ProgramSink {
 public:
  explicit NotedProgram(ProgramReplay& replay) : replay_(replay) {}
  void header(const traces::TraceHeader& header) override { replay_.header(header); }
  void program_event(const traces::ProgramEvent& event) override {
    has_events_ = true;
    replay_.program_event(event);
  }
  bool has_events() const { return has_events_; }

 private:
  ProgramReplay& replay_;
  bool has_events_ = false;
};

}  // namespace vramlab::replay
