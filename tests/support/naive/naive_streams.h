// NaiveStreams: the rules of docs/reference/stream_model.md in their plainest form, to be compared
// with TimedStreams. It remembers everything that was ever issued and goes from instant to instant;
// at each it looks through all of it, until nothing more begins or ends. Keep it slow and obvious.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::tests {

struct NaiveItem {
  streams::ItemKind kind = streams::ItemKind::work;
  streams::StreamAt stream;
  /// Its place in the list of all streams ever made.
  std::size_t owner = 0;
  streams::ThreadId thread;
  streams::Time issued;
  streams::Time arrival;
  std::uint64_t tag = 0;
  /// Work and graph nodes have it.
  std::optional<streams::Work> work;
  streams::Duration duration;
  std::int32_t priority = 0;
  /// The kind of place that it takes, such as "0 kernels"; empty where there is no limit.
  std::string place;
  /// Items that have to end first, and items that have to begin first.
  std::vector<std::size_t> ends_before;
  std::vector<std::size_t> begins_before;
  std::optional<streams::Time> ready;
  std::optional<streams::Time> begin;
  std::optional<streams::Time> end;
};

class NaiveStreams {
 public:
  explicit NaiveStreams(const streams::StreamModel& model) : model_(model) {}

  bool begin_call(streams::ThreadId thread, std::optional<streams::Time> not_before);
  streams::Time now() const { return now_; }

  streams::CudaStatus create_stream(streams::StreamAt stream, const streams::StreamTraits& traits);
  streams::CudaStatus destroy_stream(streams::StreamAt stream);
  streams::CudaStatus submit(streams::StreamAt stream, const streams::Work& work);
  streams::CudaStatus query_stream(streams::StreamAt stream);
  streams::CudaStatus synchronize_stream(streams::StreamAt stream);
  streams::CudaStatus synchronize_device(std::uint32_t device);

  streams::CudaStatus create_event(allocator::EventId event, std::uint32_t device, bool has_timing);
  streams::CudaStatus destroy_event(allocator::EventId event);
  streams::CudaStatus record_event(allocator::EventId event, streams::StreamAt stream,
                                   std::uint64_t tag);
  streams::CudaStatus wait_for_event(streams::StreamAt stream, allocator::EventId event,
                                     std::uint64_t tag);
  streams::CudaStatus query_event(allocator::EventId event);
  streams::CudaStatus synchronize_event(allocator::EventId event);
  streams::ElapsedTime elapsed(allocator::EventId from, allocator::EventId to);

  streams::CudaStatus begin_capture(streams::StreamAt stream, streams::CaptureMode mode);
  streams::CudaStatus end_capture(streams::StreamAt stream, streams::GraphId graph);
  streams::CudaStatus launch_graph(streams::GraphId graph, streams::StreamAt stream,
                                   std::uint64_t tag);
  streams::CudaStatus destroy_graph(streams::GraphId graph);
  streams::CaptureMode exchange_capture_mode(streams::CaptureMode mode);
  streams::CudaStatus check_unsafe_call();
  streams::CudaStatus check_capture_query(streams::StreamAt stream) const;
  std::optional<allocator::StreamCapture> capture_of(streams::StreamAt stream) const;
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) const;

  std::vector<streams::StuckThread> finish();
  std::vector<streams::StuckWork> stuck_work() const;
  streams::CudaStatus lost_context() const { return lost_; }

  /// The item of number 1 first.
  const std::vector<NaiveItem>& items() const { return items_; }

 private:
  using Places = std::set<std::uint32_t>;

  struct Stream {
    streams::StreamAt name;
    bool exists = true;
    bool is_blocking = true;
    std::int32_t priority = 0;
    std::uint32_t queue = 0;
  };
  struct Event {
    std::uint32_t device = 0;
    bool has_timing = true;
    /// The item of the latest record.
    std::optional<std::size_t> record;
    /// The item at which a capturing stream last recorded it.
    std::optional<std::size_t> capture;
    Places captured_after;
  };
  struct Capture {
    streams::StreamAt origin;
    streams::CaptureMode mode = streams::CaptureMode::global;
    streams::ThreadId thread;
    bool is_open = true;
    bool is_invalid = false;
    std::vector<streams::CapturedNode> nodes;
    /// By stream that takes part: the nodes that its next node depends on.
    std::map<streams::StreamAt, Places> members;
  };
  struct Graph {
    std::vector<streams::CapturedNode> nodes;
    std::optional<std::size_t> latest_end;
  };
  struct Thread {
    streams::Time clock;
    streams::Time waits_since;
    std::vector<std::size_t> awaited;
    streams::CaptureMode mode = streams::CaptureMode::global;
  };

  // Time.
  std::optional<streams::Time> next_instant() const;
  void step_to(streams::Time instant);
  void settle();
  void begin_what_can();
  bool is_let_go(const NaiveItem& item) const;
  bool end_the_first();
  void take_effect(const NaiveItem& item);
  bool give_places();
  std::size_t free_places(const std::string& place) const;
  std::size_t place_count(const std::string& place) const;
  bool has_ended(std::size_t item) const { return items_[item].end.has_value(); }

  // Streams.
  std::optional<std::size_t> find_stream(streams::StreamAt name) const;
  void add_stream(streams::StreamAt name, const streams::StreamTraits& traits);
  void make_legacy(std::uint32_t device);
  static bool is_legacy(const Stream& stream) { return stream.name.stream.value == 0; }
  std::string place_of(std::uint32_t device, streams::WorkKind kind) const;
  std::size_t issue(streams::ItemKind kind, streams::StreamAt stream, std::uint64_t tag);
  void give_work(NaiveItem& item, const streams::CapturedNode& node) const;
  void order_behind_others(std::size_t item);
  bool comes_before(const NaiveItem& earlier, const NaiveItem& later) const;
  std::vector<std::size_t> pending_of(streams::StreamAt stream) const;
  void wait_for(const std::vector<std::size_t>& items);

  // Calls that captures forbid.
  streams::CudaStatus check_put(streams::StreamAt stream);
  streams::CudaStatus check_ask(streams::StreamAt stream);
  streams::CudaStatus check_ask(allocator::EventId event);
  bool takes_part(const Capture& capture, streams::StreamAt stream) const {
    return capture.is_open && capture.members.contains(stream);
  }
  static bool is_valid(const Capture& capture) { return capture.is_open && !capture.is_invalid; }
  Capture* capture_with(streams::StreamAt stream);
  streams::CudaStatus refuse_event(streams::StreamAt stream);
  bool stops_legacy(const Capture& capture, streams::StreamAt legacy) const;
  bool invalidate_for_legacy(streams::StreamAt stream);
  streams::CudaStatus join(streams::StreamAt stream, const Event& event);

  streams::StreamModel model_;
  streams::Time now_;
  streams::Time last_call_;
  streams::ThreadId caller_;
  streams::CudaStatus lost_ = streams::CudaStatus::success;
  std::vector<NaiveItem> items_;
  std::vector<Stream> streams_;
  std::map<allocator::EventId, Event> events_;
  std::map<streams::FlagId, std::uint64_t> flags_;
  std::vector<Capture> captures_;
  std::map<streams::GraphId, Graph> graphs_;
  std::map<streams::ThreadId, Thread> threads_;
};

}  // namespace vramlab::tests
