// ProgramReplay: replays a program event by event, on as many devices as it names: as a reader
// gives the events, or out of memory.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "replay/replayer/program_device.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_setup.h"
#include "replay/replayer/replay_watch.h"
#include "replay/replayer/stream_program.h"
#include "streams/stream_model/torch_streams.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

class HostReplay;
class OrderedStreams;

class ProgramReplay : public traces::ProgramSink {
 public:
  /// For a program. `file` is for messages. The tables are those of the reader and must live as
  /// long. Options are read at the first event: a recording, which has none, may be of a version
  /// that knows others.
  ProgramReplay(std::string file, const traces::SnapshotTables& tables, ReplayConditions conditions,
                ReplayWatch watch);
  ProgramReplay(ReplaySetup setup, const traces::TextTable& texts, ReplayWatch watch);
  ~ProgramReplay() override;

  void header(const traces::TraceHeader& header) override;
  /// Throws InputError where the event must not be.
  void program_event(const traces::ProgramEvent& event) override;
  /// All of it, instead of single events.
  void run(const ProgramPart& part);

  /// Once the reader is through.
  ReplayReport finish();
  const ReferenceVersion& version() const { return *setup_.version; }
  const Settings& settings() const { return setup_.settings; }
  /// Null unless frees are modelled and there was an event.
  StreamProgram* streams() { return streams_.get(); }

 private:
  void settle_options();
  /// With what the watch makes of it.
  void replay_seen(traces::ProgramEvent event, std::uint64_t number);
  void replay(const traces::ProgramEvent& event, std::uint64_t number);
  void apply(const traces::ProgramEvent& event, std::uint64_t number);
  /// Turns what is thrown on the way into an InputError.
  template <class Call>
  void guard(std::uint64_t number, const Call& call);
  void note_time(const traces::ProgramEvent& event);
  bool is_over() const { return stopped_at_ || has_passed_last_; }
  traces::ProgramEvent with_streams_of_pools(const traces::ProgramEvent& event);
  ProgramDevice& device_of(traces::DeviceIndex index);
  /// Made at the first call; modelled timing needs them.
  StreamProgram& virtual_streams();
  OrderedStreams& ordered_streams();
  /// Null unless the program may have events about pinned memory.
  HostReplay* host();
  void apply_to_host(const traces::ProgramEvent& event, std::uint64_t number);
  std::unique_ptr<ProgramDevice> make_device(traces::DeviceIndex index);
  void add_device(ProgramDevice& device, traces::DeviceIndex index, ReplayReport& report);

  ReplaySetup setup_;
  /// Until the first event.
  std::optional<traces::TraceHeader> header_;
  const traces::TextTable& texts_;
  ReplayWatch watch_;
  /// For the backend that is ordered by streams.
  std::unique_ptr<OrderedStreams> ordered_streams_;
  std::map<traces::DeviceIndex, std::unique_ptr<ProgramDevice>> devices_;
  /// PyTorch's pools, where the program takes streams from them.
  std::map<traces::DeviceIndex, streams::TorchStreams> torch_streams_;
  /// For modelled timing.
  std::unique_ptr<StreamProgram> streams_;
  bool may_use_host_ = false;
  std::unique_ptr<HostReplay> host_;
  /// The next event in the program.
  std::uint64_t position_ = 0;
  /// Replayed ones.
  std::uint64_t events_ = 0;
  /// The last one of them.
  std::uint64_t last_number_ = 0;
  std::optional<std::uint64_t> first_time_ns_;
  /// The watch looks no further.
  bool has_passed_last_ = false;
  std::optional<std::uint64_t> stopped_at_;
  std::optional<std::string> endless_wait_;
};

}  // namespace vramlab::replay
