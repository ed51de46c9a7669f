// TimedStreams: CUDA's streams, events and captures in virtual time, for all devices of a process.
// docs/reference/stream_model.md has each rule, where it is from, and what is decided where nobody
// says it.
//
// Host threads call in the order of the program. begin_call() says which thread calls; the
// functions called after it are part of that call. Its instant is the latest of: the time that the
// thread got to, the time given, the call before. Everything up to that instant has happened before
// the call is looked at.
//
// A call that waits returns at once here. Its thread goes on when the awaited work has ended, which
// is found out when the thread calls again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allocator/types/check.h"
#include "streams/stream_model/open_captures.h"
#include "streams/stream_model/stream_watcher.h"
#include "streams/stream_model/work.h"
#include "streams/stream_model/work_engine.h"

namespace vramlab::streams {

struct StreamTraits {
  /// It and the legacy default stream wait for each other.
  bool is_blocking = true;
  /// Lower numbers come sooner; held within greatest_priority and 0.
  std::int32_t priority = 0;
};
inline constexpr std::int32_t greatest_priority = -5;

struct ElapsedTime {
  CudaStatus status = CudaStatus::success;
  /// Negative where the end was recorded first.
  std::int64_t ns = 0;
};

/// A thread that waits for something that can't happen any more.
struct StuckThread {
  ThreadId thread;
  /// When it began to wait.
  Time since;
};

/// The first work of a stream that can't go on, and the flag that it waits for, if any.
struct StuckWork {
  StreamAt stream;
  std::uint64_t tag = 0;
  std::optional<FlagId> awaited;
};

/// A place in the work of a stream. It has been passed once everything up to it has ended.
struct StreamMark {
  WorkRef item;
};

/// The time of each host thread. Calls are made in their order: a call is never earlier than the
/// call before it, of whichever thread, and never while its own thread waits.
class HostClocks {
 public:
  HostClocks() = default;
  HostClocks(const HostClocks&) = delete;
  HostClocks& operator=(const HostClocks&) = delete;

  /// The instant of a call that its thread gets to make then, or later.
  Time begin_call(ThreadId thread, std::optional<Time> not_before) {
    Time& clock = clock_of(thread);
    clock = std::max({clock, not_before.value_or(Time{}), last_call_});
    last_call_ = clock;
    return clock;
  }
  void pass(ThreadId thread, Duration by) { clock_of(thread) = clock_of(thread) + by; }
  void wait_until(ThreadId thread, Time at) { clock_of(thread) = std::max(clock_of(thread), at); }
  Time time_of(ThreadId thread) const {
    const auto found = clocks_.find(thread);
    return found == clocks_.end() ? Time{} : found->second;
  }

 private:
  /// The same thread calls again, as a rule.
  Time& clock_of(ThreadId thread) {
    if (latest_ == nullptr || latest_->first != thread)
      latest_ = &*clocks_.try_emplace(thread).first;
    return latest_->second;
  }

  std::map<ThreadId, Time> clocks_;
  std::pair<const ThreadId, Time>* latest_ = nullptr;
  Time last_call_;
};

inline constexpr std::uint32_t no_place = 0xffffffff;

/// The place that a stream is kept at, by its name. Nearly all names are small numbers and are
/// looked up in a row; the rest in a map.
class StreamPlaces {
 public:
  /// The place of the stream, or no_place.
  std::uint32_t find(StreamAt stream) const {
    if (is_small(stream)) {
      if (stream.device >= rows_.size()) return no_place;
      const std::vector<std::uint32_t>& row = rows_[stream.device];
      return stream.stream.value < row.size() ? row[as_index(stream.stream.value)] : no_place;
    }
    const auto found = others_.find(stream);
    return found == others_.end() ? no_place : found->second;
  }
  void set(StreamAt stream, std::uint32_t place) { slot_of(stream) = place; }
  void erase(StreamAt stream) { slot_of(stream) = no_place; }

 private:
  static constexpr std::uint32_t devices_in_rows = 64;
  static constexpr std::uint64_t streams_in_rows = 1 << 16;

  static bool is_small(StreamAt stream) {
    return stream.device < devices_in_rows && stream.stream.value < streams_in_rows;
  }
  std::uint32_t& slot_of(StreamAt stream) {
    if (!is_small(stream)) return others_[stream];
    if (rows_.size() <= stream.device) rows_.resize(stream.device + 1);
    std::vector<std::uint32_t>& row = rows_[stream.device];
    if (row.size() <= stream.stream.value) row.resize(as_index(stream.stream.value + 1), no_place);
    return row[as_index(stream.stream.value)];
  }

  std::vector<std::vector<std::uint32_t>> rows_;
  std::map<StreamAt, std::uint32_t> others_;
};

class TimedStreams final : private WorkListener {
 public:
  /// The watcher is told everything; it must outlive this.
  TimedStreams(const StreamModel& model, StreamWatcher& watcher);

  /// False where the thread never gets to make the call: the work that it waits for never ends.
  [[nodiscard]] bool begin_call(ThreadId thread, std::optional<Time> not_before);
  Time now() const { return engine_.now(); }
  ThreadId caller() const { return caller_; }

  // Streams. Stream 0 of a device is there from the start.
  /// A stream in use already is invalid_value.
  CudaStatus create_stream(StreamAt stream, const StreamTraits& traits);
  /// Work that was put on it still runs.
  CudaStatus destroy_stream(StreamAt stream);
  bool has_stream(StreamAt stream) const {
    return stream.stream.value == 0 || find_stream(stream) != nullptr;
  }
  CudaStatus submit(StreamAt stream, const Work& work);
  CudaStatus query_stream(StreamAt stream);
  CudaStatus synchronize_stream(StreamAt stream);
  CudaStatus synchronize_device(std::uint32_t device);

  // Events. They are named by their user, over all devices.
  CudaStatus create_event(EventId event, std::uint32_t device, bool has_timing);
  CudaStatus destroy_event(EventId event);
  bool has_event(EventId event) const { return events_.contains(event.value); }
  CudaStatus record_event(EventId event, StreamAt stream, std::uint64_t tag);
  /// Behind all that the device was given, on streams destroyed since too: cuCtxRecordEvent.
  CudaStatus record_device_event(EventId event, std::uint32_t device, std::uint64_t tag);
  CudaStatus wait_for_event(StreamAt stream, EventId event, std::uint64_t tag);
  // As nodes of the graph that the stream captures. The event is recorded, or waited for as it was
  // recorded last, by each launch. A stream that does not capture is an illegal_state.
  CudaStatus record_event_in_graph(EventId event, StreamAt stream, std::uint64_t tag);
  CudaStatus wait_for_event_in_graph(StreamAt stream, EventId event, std::uint64_t tag);
  CudaStatus query_event(EventId event);
  CudaStatus synchronize_event(EventId event);
  ElapsedTime elapsed(EventId from, EventId to);

  // Captures and graphs.
  CudaStatus begin_capture(StreamAt stream, CaptureMode mode);
  /// The graph gets this name where the capture succeeded.
  CudaStatus end_capture(StreamAt stream, GraphId graph);
  CudaStatus launch_graph(GraphId graph, StreamAt stream, std::uint64_t tag);
  CudaStatus destroy_graph(GraphId graph);
  /// Like destroy_graph(), for a graph that no capture protects. False if there is none.
  bool forget_graph(GraphId graph);
  /// A graph that was not captured; nodes stand behind those that they depend on.
  void define_graph(GraphId graph, CapturedGraph nodes);
  /// The graph of that name, or null.
  const CapturedGraph* find_graph(GraphId graph) const;
  /// Sets which calls captures forbid the calling thread (cudaThreadExchangeStreamCaptureMode), and
  /// gives the mode before.
  CaptureMode exchange_capture_mode(CaptureMode mode);
  /// Whether the thread may make a call that could disturb a capture, such as cudaMalloc.
  CudaStatus check_unsafe_call();
  /// The answer to asking whether the stream captures; capture_of() has the capture itself.
  CudaStatus check_capture_query(StreamAt stream) const;
  std::optional<StreamCapture> capture_of(StreamAt stream) const;
  bool is_under_way(CaptureId capture) const { return captures_.contains(capture); }
  std::vector<GraphNode> dependencies_of(GraphNode node) const {
    return captures_.dependencies_of(node);
  }

  // For the allocator, inside a call of the program: nothing is refused because of a capture.
  /// The place that the stream has reached. A stream that is not there is made, non-blocking.
  /// Requires: it does not capture.
  StreamMark put_mark(StreamAt stream);
  bool has_passed(const StreamMark& mark) const { return engine_.has_ended(mark.item); }
  // The call goes on when the mark is passed, or when all work of the stream or the device has
  // ended; false where that never comes.
  [[nodiscard]] bool wait_for_mark(const StreamMark& mark) { return wait_inside({mark.item}); }
  [[nodiscard]] bool wait_for_stream(StreamAt stream);
  [[nodiscard]] bool wait_for_device(std::uint32_t device);

  /// Whether anything was put on a stream that has not ended.
  bool has_pending_work() const { return engine_.pending_count() > 0; }
  /// Goes on until nothing more can happen. Gives the threads that would wait for ever, by thread.
  std::vector<StuckThread> finish();
  /// The work that is left, by stream.
  std::vector<StuckWork> stuck_work() const;
  /// Set once a kernel ended with an error.
  CudaStatus lost_context() const { return lost_; }

 private:
  struct Device;
  struct Stream {
    StreamAt name;
    Device* device = nullptr;
    std::int32_t priority = 0;
    bool is_legacy = false;
    bool is_blocking = true;
    /// Its name may be that of another stream now.
    bool is_destroyed = false;
    /// Has work that the legacy stream does not follow yet.
    bool is_ahead = false;
    std::uint32_t queue = 0;
    WorkRef last{};
    /// The number of the legacy stream's work that it follows already.
    std::uint64_t followed_legacy = 0;
  };
  struct Event {
    /// No other event has it.
    std::uint64_t number = 0;
    std::uint32_t device = 0;
    bool has_timing = true;
    bool is_recorded = false;
    WorkRef record{};
    /// When the latest record ended.
    std::optional<Time> at{};
    /// Set where it was last recorded by a capturing stream.
    std::optional<CaptureId> capture{};
    NodePlaces captured_after{};
  };
  struct Device {
    PlaceIndex kernels;
    PlaceIndex copies_in;
    PlaceIndex copies_out;
    PlaceIndex host_functions;
    std::uint32_t legacy = 0;
    bool has_destroyed_streams = false;
    /// Blocking streams that are ahead of the legacy one, and all streams that may have work left.
    std::vector<std::uint32_t> ahead;
    std::vector<std::uint32_t> streams;
    /// By hardware queue: the item that was put there last.
    std::vector<WorkRef> queue_ends;
    std::uint32_t next_queue = 0;
  };
  struct Item {
    ItemKind kind = ItemKind::work;
    WorkKind work = WorkKind::kernel;
    CudaStatus fault = CudaStatus::success;
    bool is_pending = false;
    std::uint32_t stream = 0;
    std::uint64_t number = 0;
    /// The event, the flag or the graph.
    std::uint64_t subject = 0;
    /// A node that records the event.
    bool is_record = false;
    std::uint64_t value = 0;
  };
  struct PlacedWork {
    const Work& work;
    const Device& device;
    std::int32_t priority;
  };
  struct Flag {
    std::uint64_t value = 0;
    std::vector<std::pair<std::uint64_t, WorkRef>> waiting;
  };
  struct Graph {
    CapturedGraph graph;
    NodePlaces terminals;
    WorkRef last_launch;
  };
  struct WaitingThread {
    Time since;
    std::vector<WorkRef> awaited;
  };

  void work_ended(const EndedWork& work) override;
  void note_record(EventId event, const EndedWork& work);
  void write_flag(FlagId id, std::uint64_t value);
  void lose_context(CudaStatus why);

  bool resume(ThreadId thread);
  void wait_here(std::vector<WorkRef> awaited);
  void tell_wait(const std::vector<WorkRef>& awaited);
  bool wait_inside(const std::vector<WorkRef>& awaited);
  bool is_awaiting_flag(const Item& item) const;
  std::vector<WorkRef> ends_of(StreamAt stream);
  std::vector<WorkRef> ends_of_device(std::uint32_t device);
  void tell_known(StreamAt stream);
  static StreamAt name_in_orders(const Stream& stream);

  const Stream* find_stream(StreamAt stream) const;
  /// The device, made if it is new.
  Device& device_at(std::uint32_t device);
  std::uint32_t add_stream(Device& device, const Stream& stream);
  static PlaceIndex place_of(const Device& device, WorkKind kind);

  WorkRef add_item(const Item& item, NewWork work);
  WorkRef put_work(std::uint32_t stream, const Work& work);
  WorkRef add_on_place(ItemKind kind, std::uint32_t stream, const PlacedWork& placed);
  void await_flag(const Work& work, WorkRef item);
  WorkRef put_mark(std::uint32_t stream, ItemKind kind, std::uint64_t subject, std::uint64_t tag);
  std::vector<WorkRef> add_nodes(const Graph& graph, std::uint32_t stream, WorkRef begin);
  WorkRef add_node(const CapturedNode& node, std::uint32_t stream);
  WorkRef add_event_node(const CapturedNode& node, std::uint32_t stream);
  CudaStatus capture_event(EventUse use, StreamAt stream, EventId event, std::uint64_t tag);
  void put(std::uint32_t stream, WorkRef item);
  void follow_blocking_streams(Device& device, WorkRef item);
  void follow_legacy_stream(Device& device, Stream& stream, std::uint32_t place, WorkRef item);

  CudaStatus check_use(StreamAt stream);
  CudaStatus check_outside_use(StreamAt stream);
  CudaStatus check_legacy(StreamAt stream);
  CudaStatus check_event_use(EventId event);
  Capture* find_valid_capture(const Event& event);
  CudaStatus refuse_event(StreamAt stream);
  CudaStatus refuse_captures_on(std::uint32_t device);
  static CudaStatus invalidate(Capture& capture, CudaStatus why);
  CudaStatus join_capture(StreamAt stream, const Event& event);

  StreamModel model_;
  StreamWatcher& watcher_;
  WorkEngine engine_;
  HostClocks clocks_;
  ThreadId caller_;
  CudaStatus lost_ = CudaStatus::success;
  std::map<std::uint32_t, Device> devices_;
  std::vector<Stream> streams_;
  StreamPlaces stream_places_;
  std::unordered_map<std::uint64_t, Event> events_;
  std::uint64_t event_count_ = 0;
  std::map<FlagId, Flag> flags_;
  std::map<GraphId, Graph> graphs_;
  std::map<ThreadId, WaitingThread> waiting_threads_;
  std::map<ThreadId, CaptureMode> thread_modes_;
  OpenCaptures captures_;
  /// By slot of the engine.
  std::vector<Item> items_;
};

/// One stream waits for another, as programs write it: an event is recorded on the one and waited
/// for by the other. `between` names no event that is in use. Both streams are there.
CudaStatus wait_for_other_stream(TimedStreams& streams, StreamAt stream, StreamAt waited,
                                 EventId between, std::uint64_t tag);

}  // namespace vramlab::streams
