// ReplayHost: the system behind the allocator of pinned memory while a program is replayed. Memory
// is that of a simulated host without a limit. Streams are those of the program: work on them ends
// when the program says so, or in virtual time.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "allocator/pinned/host_memory.h"
#include "replay/replayer/stream_program.h"
#include "streams/device/simulated_host.h"

namespace vramlab::streams {
class MemoryDevice;
class SimulatedDevice;
}  // namespace vramlab::streams

namespace vramlab::replay {

class ReplayHost final : public allocator::HostSystem {
 public:
  /// Null where work ends when the program says so; otherwise it must outlive this.
  explicit ReplayHost(StreamProgram* streams);
  ~ReplayHost() override;

  std::optional<Address> obtain(Bytes size, allocator::PinnedBy way) override {
    return memory_.obtain(size, way);
  }
  /// As in CUDA, all work on the devices ends first.
  void release(Address at, allocator::PinnedBy way) override;
  std::uint64_t time_us() override { return memory_.time_us(); }

  EventId record_event(StreamId stream) override;
  bool is_complete(EventId event) override;
  void forget_event(EventId event) override;
  bool is_capturing(StreamId stream) const override;

  /// The allocator's name for a stream of a device.
  StreamId name_of(streams::StreamAt stream);
  /// The program's work on its streams, unless they are in virtual time.
  void drive_streams(const traces::ProgramEvent& event);

  Bytes pinned() const { return memory_.pinned(); }
  const std::vector<HostSystemCall>& calls() const { return memory_.calls(); }

 private:
  struct Recorded {
    std::uint32_t device = 0;
    EventId event;
  };
  streams::MemoryDevice& device_at(std::uint32_t device);
  void wait_for_device(std::uint32_t device);

  StreamProgram* streams_;
  streams::SimulatedHost memory_;
  /// For their streams and events alone.
  std::map<std::uint32_t, std::unique_ptr<streams::MemoryDevice>> devices_;
  /// The devices whose work ends when the program says so.
  std::map<std::uint32_t, streams::SimulatedDevice*> driven_;
  std::map<streams::StreamAt, StreamId> names_;
  /// By the allocator's name.
  std::vector<streams::StreamAt> named_;
  std::unordered_map<std::uint64_t, Recorded> events_;
  std::uint64_t event_count_ = 0;
};

}  // namespace vramlab::replay
