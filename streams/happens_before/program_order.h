// ProgramOrder: what comes before what by the words of a program, as vector clocks. Streams and
// host threads are strands; a graph that is launched runs along its stream's strand and as many
// branches beside it as it is wide. FlagOrder is the part of it that knows flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "streams/happens_before/vector_clock.h"
#include "streams/stream_model/stream_watcher.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

/// A wait whose write is issued at last.
struct ClosedWait {
  Epoch token;
  VectorClock writer;
  /// Open waits that the writer is behind.
  std::vector<Epoch> open;
};

/// The order that flags make. A wait comes after everything that all writes which could end it have
/// in common. Where no such write is issued yet the wait is open: a line of its own stands for the
/// writer, in the clocks of all that is behind the wait, until the first such write is issued.
///
/// The last few dozen writes of a flag are remembered; a wait for a lower value follows the oldest
/// of them.
class FlagOrder {
 public:
  bool has_open() const { return !open_.empty(); }
  /// The clock that all writes of at least this value share; empty before the first of them.
  std::optional<VectorClock> writes_before(FlagId flag, std::uint64_t value) const;
  void open(FlagId flag, std::uint64_t value, Epoch token) {
    open_.push_back({flag, value, token});
  }
  /// The waits that the write closes. A wait that the writer itself is behind stays: it never ends.
  std::vector<ClosedWait> written(FlagId flag, std::uint64_t value, const VectorClock& writer);

  /// The strand came to be behind open waits, as its clock says.
  void note(const Strand& strand);
  void line_ended(Epoch last);
  /// Open waits that come before the epoch.
  std::vector<Epoch> open_before(Epoch epoch) const;
  std::vector<Epoch> open_in(const VectorClock& clock) const;
  /// Visits the clocks that must learn about writers of closed waits.
  template <typename Visit>
  void visit_clocks(const Visit& visit) {
    for (auto& [flag, writes] : writes_)
      for (Write& write : writes) visit(write.clock);
  }

 private:
  struct Write {
    std::uint64_t value = 0;
    VectorClock clock;
  };
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  struct OpenWait {
    FlagId flag;
    std::uint64_t value = 0;
    Epoch token;
    /// By line: the ticks that are behind the wait.
    std::map<std::uint32_t, Span> behind{};
  };

  static constexpr std::size_t most_writes = 64;

  std::vector<OpenWait> open_;
  std::map<FlagId, std::deque<Write>> writes_;
};

class ProgramOrder : public StreamWatcher {
 public:
  /// The strand of the thread, made when it is first named.
  const Strand& strand_of(ThreadId thread) { return thread_at(thread); }
  /// Appends the clocks of everything that work would follow if it were put on the stream now.
  void add_clocks_of_next(StreamAt stream, std::vector<const VectorClock*>& clocks) const;

  /// Appends the clock of the event's latest record, if it has one.
  void add_clock_of_event(EventId event, std::vector<const VectorClock*>& clocks) const {
    if (const auto found = events_.find(event.value); found != events_.end())
      clocks.push_back(&found->second.clock);
  }

  /// Whether a thread follows it.
  bool is_known_to_threads(Epoch epoch) const;

  void issued(const IssuedItem& item) override { place_of(item); }
  void stream_follows(StreamAt stream, StreamAt before) override;
  void event_recorded(EventId event, StreamAt stream) override;
  void stream_follows_event(StreamAt stream, EventId event) override;
  void thread_follows_stream(ThreadId thread, StreamAt stream) override;
  void thread_follows_event(ThreadId thread, EventId event) override;
  void graph_launched(const CapturedGraph& graph, GraphId name, StreamAt stream) override;
  void node_recorded(EventId event) override { events_[event.value] = latest_node(); }
  void node_follows_event(EventId event) override;
  void stream_created(StreamAt stream, StreamKind kind) override { stream_at(stream).kind = kind; }
  void stream_destroyed(StreamAt stream) override;
  void event_destroyed(EventId event) override { events_.erase(event.value); }
  void graph_destroyed(GraphId graph) override { graph_ends_.erase(graph); }

 protected:
  /// The place of the item, itself included.
  const Strand& place_of(const IssuedItem& item);
  const FlagOrder& flags() const { return flags_; }
  /// Waits that were closed since this was asked last.
  std::vector<ClosedWait> take_closed_waits() { return std::exchange(closed_waits_, {}); }

  /// The node that was issued last, and the number of its graph_begin.
  const CapturedNode& node() const { return (*launch_.nodes)[launch_.next - 1]; }
  std::uint64_t launch_number() const { return launch_.number; }

  /// The stream that has the line; branches belong to their stream. Requires: no thread's line.
  StreamAt stream_of(LineIndex line) const { return names_[line.value]; }
  /// Whether the stream that has this name now goes along that line.
  bool is_line_of(StreamAt stream, LineIndex line) const {
    const auto found = streams_.find(stream);
    return found != streams_.end() && found->second.strand.line == line;
  }
  ClockLines& lines() { return lines_; }

 private:
  struct Stream {
    Strand strand;
    StreamKind kind = StreamKind::non_blocking;
    /// Lines for graphs that are launched here; each goes on from its last end.
    std::vector<Strand> branches;
  };
  struct StreamHash {
    std::size_t operator()(StreamAt at) const {
      return std::hash<std::uint64_t>{}((at.stream.value + at.device) * 0x9e3779b97f4a7c15ULL);
    }
  };
  /// A strand of the launch that is being told, and the place of its last node.
  struct Branch {
    Strand* strand = nullptr;
    std::uint32_t last = 0;
  };
  struct LaunchedNode {
    std::uint32_t branch = 0;
    std::uint32_t dependents_to_come = 0;
  };
  /// Place 0 is the graph_begin, node i has place i + 1.
  struct Launch {
    Stream* stream = nullptr;
    StreamAt stream_name;
    std::uint64_t number = 0;
    GraphId name;
    const std::vector<CapturedNode>* nodes = nullptr;
    std::size_t next = 0;
    /// Places that the node which is being told follows.
    NodePlaces followed;
    std::vector<LaunchedNode> places;
    std::vector<Branch> branches;
    /// For places that others still follow, though their branch went on.
    std::unordered_map<std::uint32_t, Strand> left_behind;
  };

  static constexpr StreamId legacy{0};

  Stream& stream_at(StreamAt stream);
  Strand& thread_at(ThreadId thread);
  Strand take_line(StreamAt name);
  void follow(Strand& strand, const Strand& before);

  Strand& put(const IssuedItem& item);
  /// The strand of the node that was issued last.
  Strand& latest_node();
  void write_flag(const Work& work, const Strand& strand);
  void await_flag(const Work& work, Strand& strand);
  Strand take_token();
  void close(const ClosedWait& wait);

  Strand& node_issued();
  std::uint32_t take_branch();
  const Strand& strand_at(std::uint32_t place) const;
  void end_launch();

  ClockLines lines_;
  /// By line.
  std::vector<StreamAt> names_;
  std::unordered_map<StreamAt, Stream, StreamHash> streams_;
  std::map<ThreadId, Strand> threads_;
  /// Strands as they were when the event was recorded.
  std::unordered_map<std::uint64_t, Strand> events_;
  /// Strands as they were when the latest launch ended: launches of a graph do not overlap.
  std::map<GraphId, Strand> graph_ends_;
  Launch launch_;
  FlagOrder flags_;
  std::vector<ClosedWait> closed_waits_;
  /// Lines that stood for open waits.
  std::vector<Strand> free_tokens_;
};

}  // namespace vramlab::streams
