// WatcherPair: two watchers of streams that hear the same.
#pragma once

#include <memory>
#include <utility>

#include "streams/time/stream_watcher.h"

namespace vramlab::replay {

class WatcherPair final : public streams::StreamWatcher {
 public:
  using Watcher = std::shared_ptr<streams::StreamWatcher>;
  WatcherPair(Watcher first, Watcher second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void issued(const streams::IssuedItem& item) override {
    first_->issued(item);
    second_->issued(item);
  }
  void ended(const streams::EndedItem& item) override {
    first_->ended(item);
    second_->ended(item);
  }
  void stream_follows(streams::StreamAt stream, streams::StreamAt before) override {
    first_->stream_follows(stream, before);
    second_->stream_follows(stream, before);
  }
  void event_recorded(allocator::EventId event, streams::StreamAt stream) override {
    first_->event_recorded(event, stream);
    second_->event_recorded(event, stream);
  }
  void stream_follows_event(streams::StreamAt stream, allocator::EventId event) override {
    first_->stream_follows_event(stream, event);
    second_->stream_follows_event(stream, event);
  }
  void thread_follows_stream(streams::ThreadId thread, streams::StreamAt stream) override {
    first_->thread_follows_stream(thread, stream);
    second_->thread_follows_stream(thread, stream);
  }
  void thread_follows_event(streams::ThreadId thread, allocator::EventId event) override {
    first_->thread_follows_event(thread, event);
    second_->thread_follows_event(thread, event);
  }
  void thread_waits(const streams::ThreadWait& wait) override {
    first_->thread_waits(wait);
    second_->thread_waits(wait);
  }
  void graph_launched(const streams::CapturedGraph& graph, streams::GraphId name,
                      streams::StreamAt stream) override {
    first_->graph_launched(graph, name, stream);
    second_->graph_launched(graph, name, stream);
  }
  void stream_created(streams::StreamAt stream, streams::StreamKind kind) override {
    first_->stream_created(stream, kind);
    second_->stream_created(stream, kind);
  }
  void stream_destroyed(streams::StreamAt stream) override {
    first_->stream_destroyed(stream);
    second_->stream_destroyed(stream);
  }
  void event_destroyed(allocator::EventId event) override {
    first_->event_destroyed(event);
    second_->event_destroyed(event);
  }
  void graph_destroyed(streams::GraphId graph) override {
    first_->graph_destroyed(graph);
    second_->graph_destroyed(graph);
  }

 private:
  Watcher first_;
  Watcher second_;
};

}  // namespace vramlab::replay
