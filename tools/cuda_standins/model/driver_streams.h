// DriverStreams: the driver's streams, events and graphs, over those of the simulator in virtual
// time. A context is a device there, so that each has a default stream of its own. It keeps the
// memory that each piece of work uses, and the action at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "streams/stream_model/timed_streams.h"
#include "tools/cuda_standins/model/contexts.h"
#include "tools/cuda_standins/model/driver_watcher.h"

namespace vramlab::dry_run {

/// Which stream the handle 0 means in this call.
enum class NullStream : std::uint8_t { legacy, per_thread };

struct StreamFacts {
  std::uint32_t context = 0;
  unsigned flags = 0;
  int priority = 0;
};

struct EventFacts {
  std::uint32_t context = 0;
  unsigned flags = 0;
};

/// As cudaError: the numbers are the same.
CUresult result_of(streams::CudaStatus status);

class DriverStreams final : private streams::StreamWatcher {
 public:
  explicit DriverStreams(DriverWatcher* watcher);

  streams::TimedStreams& timed() { return timed_; }

  // Streams.
  CUstream create_stream(const StreamFacts& facts);
  const StreamFacts* facts_of(CUstream stream) const;
  CUresult destroy_stream(CUstream stream);
  /// The thread's own default stream in the context.
  streams::StreamAt per_thread_stream(std::uint32_t context, streams::ThreadId thread);
  CUresult submit(streams::StreamAt stream, WorkOrder order);
  /// The captured work becomes this graph.
  CUresult end_capture(streams::StreamAt stream, streams::GraphId graph);
  /// Work of a graph that is not captured.
  streams::Work keep_for_graph(streams::GraphId graph, WorkOrder order);
  /// Asks all work of the graph whether it can be launched now.
  CUresult prepare_launch(streams::GraphId graph);
  void destroy_graph(streams::GraphId graph);
  /// Work that is kept for a graph is kept for the other one from then on.
  void move_payloads(streams::GraphId graph, streams::GraphId to);

  // Events.
  CUevent create_event(const EventFacts& facts);
  const EventFacts* facts_of(CUevent event) const;
  CUresult destroy_event(CUevent event);
  std::size_t event_count() const { return events_.size(); }

  /// A handle for a graph, an executable graph or another object without streams.
  std::uint64_t take_handle() { return handles_.take(); }

  /// Its streams and events are gone. What was put on them still runs.
  void drop_context(std::uint32_t context);

 private:
  struct Payload {
    std::vector<MemoryUse> uses;
    std::function<void()> body;
    std::function<CUresult()> before_launch;
    bool is_captured = false;
  };

  /// The tag of work that uses no memory and does nothing when it ends.
  static constexpr std::uint64_t no_payload = 0;

  static bool has_payload(const WorkOrder& order);
  void keep_payload(std::uint64_t tag, WorkOrder order, bool is_captured);
  std::vector<std::uint64_t> take_captured_tags(allocator::CaptureId capture);
  void drop_payloads(const std::vector<std::uint64_t>& tags);
  void issued(const streams::IssuedItem& item) override;
  void ended(const streams::EndedItem& item) override;

  DriverWatcher* watcher_;
  HandleBook handles_{0x70000000};
  std::map<std::uint64_t, StreamFacts> streams_;
  std::map<std::uint64_t, EventFacts> events_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> per_thread_;
  std::unordered_map<std::uint64_t, Payload> payloads_;
  /// Tags of the work in captures and in graphs, as far as it has a payload.
  std::map<allocator::CaptureId, std::vector<std::uint64_t>> captured_tags_;
  std::map<streams::GraphId, std::vector<std::uint64_t>> graph_tags_;
  std::uint64_t next_tag_ = 1;
  streams::TimedStreams timed_;
};

}  // namespace vramlab::dry_run
