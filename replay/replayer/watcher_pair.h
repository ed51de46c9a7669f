// WatcherPair: two watchers of streams that hear the same.
#pragma once

#include <memory>
#include <utility>

#include "streams/stream_model/stream_watcher.h"

namespace vramlab::replay {

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
