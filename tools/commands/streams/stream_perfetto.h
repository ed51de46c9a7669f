// StreamPicture: what streams did as a trace that ui.perfetto.dev shows: a track for each stream,
// arrows from the records of events to those who waited for them, curves of memory, and marks where
// hazards are. It is written as things end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/hazards/stream_simulation.h"
#include "traces/files/byte_sink.h"

namespace vramlab::tools {

class StreamPicture {
 public:
  /// Both must outlive it.
  StreamPicture(traces::ByteSink& sink, const traces::SnapshotTables& tables);

  void add(const replay::FinishedItem& finished);
  /// After each event of the program.
  void add_moment(const replay::DeviceReplay& device, streams::Time now);
  void finish(const replay::StreamReport& report);

 private:
  struct Place {
    streams::StreamAt stream;
    streams::Time at;
  };

  std::uint64_t track_of(streams::StreamAt stream);
  void event(const std::string& members);
  void arrow(const Place& from, const Place& to);
  static std::string at_text(std::uint64_t track, std::uint32_t device, streams::Time at);

  traces::ByteSink& sink_;
  const traces::SnapshotTables& tables_;
  std::map<streams::StreamAt, std::uint64_t> tracks_;
  /// When each event of the program was called.
  std::vector<streams::Time> called_;
  std::map<traces::DeviceIndex, std::string> last_figures_;
  std::uint64_t arrow_count_ = 0;
  bool is_first_ = true;
};

}  // namespace vramlab::tools
