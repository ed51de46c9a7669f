// ProgramOrder: what comes before what by the words of a program, as vector clocks. Streams and
// host threads are strands; a graph that is launched runs along its stream's strand and as many
// branches beside it as it is wide.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "streams/happens_before/flag_order.h"
#include "streams/stream_model/stream_watcher.h"

namespace vramlab::streams {

class ProgramOrder : public StreamWatcher {
 public:
  /// Made when it is first named.
  const Strand& strand_of(ThreadId thread) { return thread_at(thread); }
  /// Appends the clocks of all that something would follow if it were put on the stream now.
  void add_clocks_of_next(StreamAt stream, std::vector<const VectorClock*>& clocks) const;

  /// Empty if it was not recorded.
  void add_clock_of_event(EventId event, std::vector<const VectorClock*>& clocks) const {
    if (const auto found = events_.find(event.value); found != events_.end())
      clocks.push_back(&found->second.clock);
  }

  /// A thread follows it.
  bool is_known_to_threads(Epoch epoch) const;

  void issued(const IssuedItem& item) override { place_of(item); }
  void stream_follows(StreamAt stream, StreamAt before) override;
  void event_recorded(EventId event, StreamAt stream) override;
  void stream_follows_event(StreamAt stream, EventId event) override;
  void thread_follows_stream(ThreadId thread, StreamAt stream) override;
  void thread_follows_event(ThreadId thread, EventId event) override;
  void graph_launched(const CapturedGraph& graph, GraphId name, StreamAt stream) override;
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

  /// Whose line it is; branches are their stream's. Requires: no thread's line.
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
    /// Lines for graphs that are launched here; each goes on where it ended before.
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
    /// By the node that is being told.
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
  /// As they were when the event was recorded.
  std::unordered_map<std::uint64_t, Strand> events_;
  /// As they were when the latest launch ended: launches of a graph do not overlap.
  std::map<GraphId, Strand> graph_ends_;
  Launch launch_;
  FlagOrder flags_;
  std::vector<ClosedWait> closed_waits_;
  /// Lines that stood for open waits.
  std::vector<Strand> free_tokens_;
};

}  // namespace vramlab::streams
