// OrderedDevice: a program's events on one device whose memory is CUDA's stream-ordered pool, used
// as PyTorch uses it with backend:cudaMallocAsync. docs/reference/ordered_memory.md has what is
// documented of it and what is modelled.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "allocator/options/size_margin.h"
#include "replay/replayer/program_accesses.h"
#include "replay/replayer/program_device.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_watch.h"
#include "replay/replayer/stream_program.h"
#include "streams/happens_before/free_order.h"
#include "streams/ordered_pool/ordered_pool.h"

namespace vramlab::replay {

/// The streams that all devices of a program share; must outlive them.
class OrderedStreams {
 public:
  /// The watcher hears of the streams, too. The accesses must outlive this.
  OrderedStreams(const streams::StreamModel& model, std::shared_ptr<streams::StreamWatcher> watcher,
                 ProgramAccesses& accesses)
      : watchers_(std::move(watcher), order_), program_(model, watchers_, accesses) {
    order_->watch(program_.streams());
  }

  StreamProgram& program() { return program_; }
  streams::TimedFreeOrder& order() { return *order_; }
  WorkGates& held() { return held_; }

 private:
  std::shared_ptr<streams::TimedFreeOrder> order_ = std::make_shared<streams::TimedFreeOrder>();
  WatcherPair watchers_;
  StreamProgram program_;
  WorkGates held_{program_, *order_};
};

class OrderedDevice final : public ProgramDevice {
 public:
  OrderedDevice(traces::DeviceIndex device, const DeviceConditions& conditions,
                OrderedStreams& shared);

  /// Requests of all blocks that were live then, one after another.
  void adopt(const std::vector<StartingSegment>& start) override;
  bool apply(const traces::ProgramEvent& event, std::uint64_t number,
             const traces::TextTable& texts) override;
  DeviceReport report() const override;
  std::uint64_t options_left_out() const override { return options_left_out_; }
  const streams::OrderedPool& pool() const { return pool_; }

 private:
  using Event = traces::ProgramEvent;
  using Kind = traces::ProgramEventKind;

  /// A stream, and how many of its name were destroyed before.
  struct StreamUse {
    StreamId stream;
    std::uint64_t destroyed = 0;
    friend auto operator<=>(const StreamUse&, const StreamUse&) = default;
  };
  struct Held {
    Address address;
    Bytes requested;
    StreamUse owner;
    /// Others that used it.
    std::set<StreamUse> users;
  };

  void apply_other(const Event& event);
  bool request(const Event& event, std::uint64_t number);
  std::optional<Address> allocate(Bytes size, StreamId stream);
  void hold(std::uint64_t id, const Held& block);
  bool fail(const Event& event, std::uint64_t number);
  void free(const Event& event);
  void use(const Event& event);
  Held& held(const Event& event, const char* purpose);
  void apply_to_streams(const Event& event);
  void wait(const Event& event);
  void destroy_stream(const Event& event);
  StreamUse use_of(StreamId stream) const;
  bool is_destroyed(const StreamUse& use) const { return use != use_of(use.stream); }
  void join(StreamId stream);
  void empty_cache();
  void refuse_captured(StreamId stream, const char* what) const;
  void note(std::uint64_t number);
  std::optional<Bytes> allowed() const;
  Bytes allowed_on(Bytes total) const;
  streams::StreamAt stream_at(StreamId stream) const { return {index_.value, stream}; }

  traces::DeviceIndex index_;
  DeviceConditions conditions_;
  StreamProgram& streams_;
  WorkGates& gates_;
  streams::SimulatedMemory memory_;
  streams::OrderedPool pool_;
  allocator::SizeMargin margin_;
  std::unordered_map<std::uint64_t, Held> held_;
  /// By all that is held.
  Bytes requested_;
  std::unordered_set<std::uint64_t> failed_ids_;
  std::map<StreamId, std::uint64_t> destroyed_;
  DeviceReport report_;
  std::uint64_t options_left_out_ = 0;
};

/// Throws InputError where the watch would look at segments and blocks: there are none.
void refuse_watch_of_ordered(const ReplayWatch& watch);
/// A report's sentence about the backend.
std::string modelled_backend_note(const Settings& settings);

}  // namespace vramlab::replay
