// LiveDevice: a real GPU behind the allocator's Device seam, through the CUDA driver, made of its
// memory, its streams and its events. It keeps the GPU's primary context, which PyTorch and CUDA's
// runtime use too, and gives back everything that it still holds when it goes.
//
// Any thread may call, one at a time. No driver's call is hidden: a failure that is not about
// memory is a DeviceError with the driver's own name of it.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "streams/live/driver_session.h"

namespace vramlab::streams {

/// A GPU's memory: ranges of cuMemAlloc, and physical units behind reserved addresses. Optionally
/// limited, so that a recording from a smaller GPU finds the same room: a limited memory counts
/// like SimulatedMemory, and asks the driver only for memory that fits. Requires of all calls: a
/// scope of the session is open.
class LiveMemory {
 public:
  /// The driver's own granularity on all GPUs so far; limits are counted in it.
  static constexpr Bytes granularity{2ULL << 20};

  LiveMemory(const DriverSession& session, std::optional<Bytes> limit)
      : session_(session), limit_(limit) {}
  LiveMemory(const LiveMemory&) = delete;
  LiveMemory& operator=(const LiveMemory&) = delete;

  allocator::MemoryInfo info() const;
  /// The answer of the driver, whatever the limit.
  allocator::MemoryInfo driver_info() const;
  Bytes used() const { return used_; }
  /// Memory that others hold of a limited memory.
  void set_external(Bytes size) { external_ = size; }

  std::optional<Address> allocate(Bytes size);
  bool is_allocated(Address at) const { return allocations_.contains(at.value); }
  void release(Address at);

  std::optional<Address> reserve(Bytes size);
  void release_reservation(Address at, Bytes size);
  bool map(const UnitRange& range);
  void unmap(const UnitRange& range);

  /// Gives back everything that is still held, whatever the driver answers.
  void give_everything_back();

 private:
  struct Allocation {
    Bytes requested;
    Bytes counted;
  };
  struct Unit {
    CUmemGenericAllocationHandle handle = 0;
    Bytes size;
  };
  bool is_within_limit(Bytes more) const;
  /// False where the device has no memory for the unit.
  bool create_and_map(Address at, Bytes size);
  void make_accessible(const UnitRange& range);
  void unmap_unit(Address at);
  /// Unmaps the first so many units of the range. For undoing: it ends at the first failure.
  void take_back(const UnitRange& range, std::uint64_t count);

  const DriverSession& session_;
  std::optional<Bytes> limit_;
  Bytes external_;
  Bytes used_;
  std::unordered_map<std::uint64_t, Allocation> allocations_;
  std::map<std::uint64_t, Bytes> reservations_;
  std::unordered_map<std::uint64_t, Unit> units_;
};

enum class StreamNames : std::uint8_t {
  /// A StreamId is the driver's handle: streams are the caller's.
  handles,
  /// Each number gets a stream of its own that waits for no other by itself; 0 is the legacy
  /// stream.
  made,
  /// Number 0 gets one too: the legacy stream can take part in no capture.
  made_for_0_too,
};

/// The driver's streams by their StreamId. Requires of all calls: a scope of the session is open.
class LiveStreams {
 public:
  LiveStreams(const DriverSession& session, StreamNames names) : session_(session), names_(names) {}
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  CUstream handle_of(StreamId stream);
  /// Whether a stream may take part in a capture now. Streams of the caller may be gone and must
  /// not be asked, so they count.
  bool may_be_capturing() const;
  void destroy_all();

 private:
  CUstream make();

  const DriverSession& session_;
  StreamNames names_;
  std::map<StreamId, CUstream> handles_;
};

/// Events on those streams, made once and used again. Requires of all calls: a scope of the session
/// is open.
class LiveEvents {
 public:
  explicit LiveEvents(const DriverSession& session) : session_(session) {}
  LiveEvents(const LiveEvents&) = delete;
  LiveEvents& operator=(const LiveEvents&) = delete;

  EventId record(CUstream stream);
  bool is_complete(EventId event);
  void wait(EventId event);
  void forget(EventId event);
  CUevent handle_of(EventId event) const { return at(event); }
  /// Events that are recorded and not yet forgotten.
  std::size_t count() const { return recorded_.size(); }
  void destroy_all();

 private:
  CUevent take_idle();
  CUevent at(EventId event) const;

  const DriverSession& session_;
  std::unordered_map<std::uint64_t, CUevent> recorded_;
  std::vector<CUevent> idle_;
  std::uint64_t next_ = 1;
};

struct LiveOptions {
  int device = 0;
  /// If empty, the driver's own limit.
  std::optional<Bytes> memory_limit = {};
  StreamNames streams = StreamNames::made;
  CallTiming timing = {};
};

class LiveDevice : public allocator::Device {
 public:
  /// Requires: find_gpu() found the device; the driver outlives this.
  LiveDevice(const CudaDriver& driver, LiveOptions options);
  ~LiveDevice() override;

  allocator::MemoryInfo memory_info() override {
    const auto scope = session_.enter();
    return memory_.info();
  }
  std::optional<Address> allocate(Bytes size, StreamId) override {
    const auto scope = session_.enter();
    return memory_.allocate(size);
  }
  void release(Address at) override;
  std::optional<Address> reserve(Bytes size, StreamId) override {
    const auto scope = session_.enter();
    return memory_.reserve(size);
  }
  void release_reservation(Address at, Bytes size) override {
    const auto scope = session_.enter();
    memory_.release_reservation(at, size);
  }
  [[nodiscard]] bool map(const UnitRange& range) override {
    const auto scope = session_.enter();
    return memory_.map(range);
  }
  void unmap(const UnitRange& range) override {
    const auto scope = session_.enter();
    memory_.unmap(range);
  }
  void wait_for_stream(StreamId stream) override;
  EventId record_event(StreamId stream) override {
    const auto scope = session_.enter();
    return events_.record(streams_.handle_of(stream));
  }
  bool is_complete(EventId event) override {
    const auto scope = session_.enter();
    return events_.is_complete(event);
  }
  void wait_for_event(EventId event) override {
    const auto scope = session_.enter();
    events_.wait(event);
  }
  void forget_event(EventId event) override { events_.forget(event); }
  std::optional<StreamCapture> capture_of(StreamId stream) override { return capture_now(stream); }
  std::vector<GraphNode> dependencies_of(GraphNode node) override;

  /// The answer of the driver, whatever the limit.
  allocator::MemoryInfo driver_memory() const {
    const auto scope = session_.enter();
    return memory_.driver_info();
  }
  void set_external_memory(Bytes size) { memory_.set_external(size); }
  Bytes used_memory() const { return memory_.used(); }
  bool is_allocated(Address at) const { return memory_.is_allocated(at); }
  CUstream handle_of(StreamId stream) const {
    const auto scope = session_.enter();
    return streams_.handle_of(stream);
  }
  /// Requires: the event is recorded and not yet forgotten.
  CUevent event_handle(EventId event) const { return events_.handle_of(event); }
  const DriverSession& session() const { return session_; }
  std::size_t event_count() const { return events_.count(); }

 protected:
  std::optional<StreamCapture> capture_now(StreamId stream) const;

 private:
  DriverSession session_;
  LiveMemory memory_;
  /// A stream is made when it is first asked about, which changes nothing else.
  mutable LiveStreams streams_;
  LiveEvents events_;
};

}  // namespace vramlab::streams
