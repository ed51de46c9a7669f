// A program on its way to a picture of its memory: it is replayed, and what the allocator did is
// kept as a recording would have it.
#pragma once

#include <string>
#include <vector>

#include "replay/history/recorded_history.h"
#include "replay/run/program_replay.h"
#include "replay/timeline/annotation_spans.h"

namespace vramlab::replay {

class ReplayedProgram : public traces::ProgramSink {
 public:
  /// Ranges of the program go to `spans`. All but the conditions must live as long.
  ReplayedProgram(const std::string& file, const traces::SnapshotTables& tables,
                  ReplayConditions conditions, AnnotationCollector& spans);

  void header(const traces::TraceHeader& header) override { replay_.header(header); }
  void program_event(const traces::ProgramEvent& event) override;

  bool has_events() const { return count_ > 0; }
  /// Once the reader is through; then the histories are there, too.
  ReplayReport finish() { return replay_.finish(); }
  std::vector<DeviceHistory> take_histories() { return std::move(histories_); }
  /// The conditions of those histories.
  const allocator::ReferenceVersion& version() const { return replay_.version(); }
  const allocator::Settings& settings() const { return replay_.settings(); }

 private:
  void add_span(const traces::ProgramEvent& event);

  AnnotationCollector& spans_;
  std::vector<DeviceHistory> histories_;
  ProgramReplay replay_;
  std::uint64_t count_ = 0;
};

}  // namespace vramlab::replay
