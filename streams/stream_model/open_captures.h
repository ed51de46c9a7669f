// OpenCaptures: the captures that are under way and the graphs that they build. It knows which
// stream takes part in which capture, and which nodes the stream's next node depends on.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "allocator/types/device.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

enum class CaptureMode : std::uint8_t { global, thread_local_only, relaxed };

struct GraphId {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(GraphId, GraphId) = default;
};

/// Places in CapturedGraph::nodes, ascending.
using NodePlaces = std::vector<std::uint32_t>;

/// Events of other streams and of the host in a graph (cudaEventRecordExternal).
enum class EventUse : std::uint8_t { none, record, wait };

/// An event's name may be given to another; its number is not.
struct ExternalEvent {
  EventUse use = EventUse::none;
  EventId event{};
  std::uint64_t number = 0;
};

struct CapturedNode {
  /// Its tag alone counts for a node with an event.
  Work work;
  /// The stream that it was captured on.
  StreamAt stream;
  std::int32_t priority = 0;
  NodePlaces after;
  ExternalEvent external{};
};

struct CapturedGraph {
  /// Nodes stand behind those that they depend on.
  std::vector<CapturedNode> nodes;
};

/// The nodes on which no other depends.
NodePlaces terminals_of(const CapturedGraph& graph);

struct Capture {
  CaptureId id;
  StreamAt origin;
  CaptureMode mode = CaptureMode::global;
  ThreadId thread;
  bool is_invalidated = false;
  /// The number of the graph's first node for the allocator.
  std::uint64_t first_node = 0;
  CapturedGraph graph;
};

class OpenCaptures {
 public:
  struct Member {
    Capture* capture = nullptr;
    /// The nodes that the stream's next node depends on.
    NodePlaces tips;
    bool is_blocking = true;
  };

  bool is_empty() const { return captures_.empty(); }
  Member* find(StreamAt stream);
  const Member* find(StreamAt stream) const;
  Capture* find(CaptureId id);
  bool contains(CaptureId id) const { return captures_.contains(id); }
  std::map<CaptureId, Capture>& captures() { return captures_; }
  const std::map<StreamAt, Member>& members() const { return members_; }

  /// Requires: the stream takes part in no capture.
  void begin(StreamAt origin, bool is_blocking, CaptureMode mode, ThreadId thread);
  /// Requires: the stream takes part in no capture.
  void join(StreamAt stream, bool is_blocking, Capture& capture, const NodePlaces& tips);
  static void add_node(Member& member, CapturedNode node);
  static void add_tips(Member& member, const NodePlaces& tips);
  /// Whether everything that was captured comes before the next work of the stream.
  static bool is_joined(const Member& member);
  /// The stream is destroyed. Its nodes stay; a capture that it began is over, without a graph.
  void leave(StreamAt stream);
  /// Gives the graph; the streams take part in the capture no more.
  CapturedGraph end(CaptureId id);

  /// Whether a capture is under way that the legacy stream of the device would be waiting for.
  bool has_blocking_member(std::uint32_t device) const;
  std::optional<StreamCapture> capture_of(StreamAt stream) const;
  /// Requires: the node belongs to a capture that is under way.
  std::vector<GraphNode> dependencies_of(GraphNode node) const;

 private:
  static constexpr std::uint64_t nodes_per_capture = 1ULL << 32;

  std::map<CaptureId, Capture> captures_;
  std::map<StreamAt, Member> members_;
  std::uint64_t next_capture_ = 1;
};

}  // namespace vramlab::streams
