// StreamWords: the order of items as a listener to a watcher's words would have it; and a check
// that the words can be trusted: they say only orders that hold, and leave out none that must hold.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "streams/stream_model/stream_watcher.h"
#include "tests/support/naive/naive_streams.h"

namespace vramlab::tests {

class StreamWords : public streams::StreamWatcher {
 public:
  void stream_created(streams::StreamAt stream, streams::StreamKind kind) override;
  void issued(const streams::IssuedItem& item) override;
  void stream_follows(streams::StreamAt stream, streams::StreamAt before) override;
  void event_recorded(allocator::EventId event, streams::StreamAt stream) override;
  void stream_follows_event(streams::StreamAt stream, allocator::EventId event) override;
  void thread_follows_stream(streams::ThreadId thread, streams::StreamAt stream) override;
  void thread_follows_event(streams::ThreadId thread, allocator::EventId event) override;
  void graph_launched(const streams::CapturedGraph& graph, streams::GraphId name,
                      streams::StreamAt stream) override;

  /// The first word that is wrong or missing, beside what the naive executor did.
  std::optional<std::string> first_fault(const std::vector<NaiveItem>& items) const;

 private:
  /// By number of the item, less one.
  using Numbers = std::vector<bool>;

  static void add(Numbers& to, const Numbers& numbers);
  void issue_node(std::size_t item);

  std::vector<Numbers> before_;
  /// The items of a stream with all that are before them, and those before its next item too.
  std::map<streams::StreamAt, Numbers> given_;
  std::map<streams::StreamAt, Numbers> before_next_;
  std::map<allocator::EventId, Numbers> events_;
  std::map<streams::ThreadId, Numbers> threads_;
  /// The graph whose nodes are being issued, and its begin.
  const streams::CapturedGraph* graph_ = nullptr;
  std::size_t graph_begin_ = 0;
};

}  // namespace vramlab::tests
