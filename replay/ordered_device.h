// OrderedDevice: a program's events on one device whose memory is CUDA's stream-ordered pool, used
// as PyTorch uses it with backend:cudaMallocAsync. docs/ordered_memory.md has what is documented of
// it and what is modelled.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "replay/program_device.h"
#include "replay/replay_conditions.h"
#include "replay/replay_report.h"
#include "streams/ordered_pool.h"
#include "streams/timed_free_order.h"

namespace vramlab::replay {

struct OrderedConditions {
  allocator::Bytes memory;
  std::optional<double> memory_fraction;
  FreeTiming timing = FreeTiming::modelled;
  /// Memory is kept until it is asked back, as PyTorch sets it.
  streams::OrderedPoolRules rules{.release_threshold = {UINT64_MAX}};
};

class OrderedDevice final : public ProgramDevice {
 public:
  /// The streams must outlive it, and the order is to watch them.
  OrderedDevice(traces::DeviceIndex device, const OrderedConditions& conditions,
                StreamProgram& streams, streams::TimedFreeOrder& order);

  /// What was live then is asked for, one after another.
  void adopt(const std::vector<StartingSegment>& start) override;
  bool apply(const traces::ProgramEvent& event, std::uint64_t number,
             const traces::TextTable& texts) override;
  DeviceReport report() const override;
  std::uint64_t options_left_out() const override { return options_left_out_; }
  const streams::OrderedPool& pool() const { return pool_; }

 private:
  using Event = traces::ProgramEvent;
  using Kind = traces::ProgramEventKind;

  struct Held {
    allocator::Address address;
    allocator::Bytes requested;
    allocator::StreamId stream;
    /// Others that used it.
    std::set<allocator::StreamId> users;
  };

  void apply_other(const Event& event);
  bool request(const Event& event, std::uint64_t number);
  std::optional<allocator::Address> allocate(allocator::Bytes size, allocator::StreamId stream);
  bool fail(const Event& event, std::uint64_t number);
  void free(const Event& event);
  void use(const Event& event);
  Held& held(const Event& event, const char* purpose);
  void apply_to_streams(const Event& event);
  void hold_back(const Event& event);
  void let_go(const Event& event);
  void empty_cache();
  void refuse_captured(const Event& event);
  void note(std::uint64_t number);
  std::optional<allocator::Bytes> allowed() const;
  streams::StreamAt stream_at(allocator::StreamId stream) const { return {index_.value, stream}; }

  traces::DeviceIndex index_;
  OrderedConditions conditions_;
  StreamProgram& streams_;
  streams::SimulatedMemory memory_;
  streams::OrderedPool pool_;
  std::unordered_map<std::uint64_t, Held> held_;
  std::unordered_set<std::uint64_t> failed_ids_;
  /// Of recorded timing: up to which value a stream's work has been let go.
  std::map<allocator::StreamId, std::uint64_t> let_go_;
  DeviceReport report_;
  std::uint64_t options_left_out_ = 0;
};

/// Throws InputError where the watch would look at segments and blocks: there are none.
void refuse_watch_of_ordered(const ReplayWatch& watch);
/// What a report says of the backend.
std::string modelled_backend_note(const allocator::Settings& settings);

}  // namespace vramlab::replay
