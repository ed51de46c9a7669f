// ProgramReplay: replays a program's events as a reader gives them, on as many devices as the
// program names.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "replay/run/ordered_device.h"
#include "replay/run/replay_conditions.h"
#include "replay/run/replay_report.h"
#include "streams/time/torch_streams.h"
#include "traces/values/program_sink.h"

namespace vramlab::replay {

class ProgramReplay : public traces::ProgramSink {
 public:
  /// `file` is for messages. The tables are those of the reader and must live as long.
  ProgramReplay(std::string file, const traces::SnapshotTables& tables, ReplayConditions conditions,
                ReplayWatch watch);

  void header(const traces::TraceHeader& header) override;
  /// Throws InputError where the event must not be.
  void program_event(const traces::ProgramEvent& event) override;

  /// Once the reader is through.
  ReplayReport finish();
  const allocator::ReferenceVersion& version() const { return *version_; }
  const allocator::Settings& settings() const { return settings_; }
  /// Null unless frees are modelled and there was an event.
  StreamProgram* streams() { return streams_.get(); }

 private:
  void replay(const traces::ProgramEvent& event, std::uint64_t number);
  traces::ProgramEvent with_streams_of_pools(const traces::ProgramEvent& event);
  ProgramDevice& device_of(traces::DeviceIndex index);
  std::unique_ptr<OrderedDevice> make_ordered_device(traces::DeviceIndex index);
  DeviceConditions conditions_of(traces::DeviceIndex index);
  allocator::Bytes memory_of(traces::DeviceIndex index, std::string* origin = nullptr) const;

  std::string file_;
  const traces::SnapshotTables& tables_;
  ReplayConditions conditions_;
  ReplayWatch watch_;
  traces::TraceHeader header_;
  const allocator::ReferenceVersion* version_ = nullptr;
  allocator::Settings settings_;
  /// Of the backend that is ordered by streams.
  std::unique_ptr<OrderedStreams> ordered_streams_;
  std::map<traces::DeviceIndex, std::unique_ptr<ProgramDevice>> devices_;
  /// PyTorch's pools, where the program takes streams from them.
  std::map<traces::DeviceIndex, streams::TorchStreams> torch_streams_;
  /// Of modelled timing.
  std::unique_ptr<StreamProgram> streams_;
  /// Of the next event in the program.
  std::uint64_t position_ = 0;
  /// Replayed ones.
  std::uint64_t events_ = 0;
  std::optional<std::uint64_t> first_time_ns_;
  /// The time up to which was asked for has passed.
  bool is_over_ = false;
  std::optional<std::uint64_t> stopped_at_;
  std::optional<std::string> endless_wait_;
};

}  // namespace vramlab::replay
