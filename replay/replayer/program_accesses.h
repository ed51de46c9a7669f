// ProgramAccesses: which memory the work of a program reads and writes, by the number of the work's
// event. What a program says of its next work on a stream is held until that work comes; of
// captured work it is held on, as every launch of the graph asks again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "streams/hazards/hazard_checker.h"
#include "streams/stream_model/stream_watcher.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// Hazards are counted by it: the place in the program. An access without a stack is a
/// site of its own.
inline std::uint64_t site_of(traces::StackId stack, std::uint64_t event) {
  constexpr std::uint64_t without_stack = 1ULL << 32;
  return stack == traces::StackId{} ? without_stack + event : stack.value;
}

class ProgramAccesses final : public streams::AccessSource {
 public:
  /// If nobody asks, nothing is kept, and ids need not be known.
  enum class Use : std::uint8_t { none, hazards };
  explicit ProgramAccesses(Use use) : use_(use) {}

  bool are_asked_for() const { return use_ == Use::hazards; }
  /// A block was handed out under this id, by this event.
  streams::BlockNumber hand_out(std::uint64_t id, std::uint64_t event) {
    events_.push_back(event);
    return blocks_[id] = streams::BlockNumber{events_.size()};
  }
  /// The events that handed out block 1, 2 and so on.
  const std::vector<std::uint64_t>& block_events() const { return events_; }
  /// The latest one of this id; nothing where there never was one.
  std::optional<streams::BlockNumber> block_of(std::uint64_t id) const;

  void add_read(streams::StreamAt stream, streams::BlockNumber block) {
    next_[stream].read.push_back(block);
  }
  void add_write(streams::StreamAt stream, streams::BlockNumber block) {
    next_[stream].written.push_back(block);
  }
  /// The work of this event comes now.
  void begin_work(std::uint64_t event, streams::StreamAt stream, traces::StackId site);
  /// Nobody will ask about it again.
  void forget_work(std::uint64_t event) { works_.erase(event); }

  streams::WorkAccesses accesses_of(std::uint64_t tag) override;

 private:
  struct Accesses {
    std::vector<streams::BlockNumber> read;
    std::vector<streams::BlockNumber> written;
    std::uint64_t site = 0;
  };

  Use use_;
  std::unordered_map<std::uint64_t, streams::BlockNumber> blocks_;
  std::vector<std::uint64_t> events_;
  std::map<streams::StreamAt, Accesses> next_;
  std::unordered_map<std::uint64_t, Accesses> works_;
};

// WatcherPair: two watchers of streams that hear the same.

class WatcherPair final : public streams::StreamWatcher {
 public:
  using Watcher = std::shared_ptr<streams::StreamWatcher>;
  WatcherPair(Watcher first, Watcher second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void issued(const streams::IssuedItem& item) override {
    both(&streams::StreamWatcher::issued, item);
  }
  void ended(const streams::EndedItem& item) override {
    both(&streams::StreamWatcher::ended, item);
  }
  void stream_follows(streams::StreamAt stream, streams::StreamAt before) override {
    both(&streams::StreamWatcher::stream_follows, stream, before);
  }
  void event_recorded(EventId event, streams::StreamAt stream) override {
    both(&streams::StreamWatcher::event_recorded, event, stream);
  }
  void stream_follows_event(streams::StreamAt stream, EventId event) override {
    both(&streams::StreamWatcher::stream_follows_event, stream, event);
  }
  void thread_follows_stream(streams::ThreadId thread, streams::StreamAt stream) override {
    both(&streams::StreamWatcher::thread_follows_stream, thread, stream);
  }
  void thread_follows_event(streams::ThreadId thread, EventId event) override {
    both(&streams::StreamWatcher::thread_follows_event, thread, event);
  }
  void thread_waits(const streams::ThreadWait& wait) override {
    both(&streams::StreamWatcher::thread_waits, wait);
  }
  void graph_launched(const streams::CapturedGraph& graph, streams::GraphId name,
                      streams::StreamAt stream) override {
    both(&streams::StreamWatcher::graph_launched, graph, name, stream);
  }
  void node_recorded(EventId event) override {
    both(&streams::StreamWatcher::node_recorded, event);
  }
  void node_follows_event(EventId event) override {
    both(&streams::StreamWatcher::node_follows_event, event);
  }
  void stream_created(streams::StreamAt stream, streams::StreamKind kind) override {
    both(&streams::StreamWatcher::stream_created, stream, kind);
  }
  void stream_destroyed(streams::StreamAt stream) override {
    both(&streams::StreamWatcher::stream_destroyed, stream);
  }
  void event_destroyed(EventId event) override {
    both(&streams::StreamWatcher::event_destroyed, event);
  }
  void graph_destroyed(streams::GraphId graph) override {
    both(&streams::StreamWatcher::graph_destroyed, graph);
  }

 private:
  template <class Call, class... Values>
  void both(Call call, const Values&... values) {
    (first_.get()->*call)(values...);
    (second_.get()->*call)(values...);
  }

  Watcher first_;
  Watcher second_;
};

}  // namespace vramlab::replay
