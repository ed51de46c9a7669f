#include "tests/support/naive/stream_words.h"

namespace vramlab::tests {

using namespace streams;
using allocator::EventId;

void StreamWords::add(Numbers& to, const Numbers& numbers) {
  if (to.size() < numbers.size()) to.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i]) to[i] = true;
}

void StreamWords::stream_created(StreamAt stream, streams::StreamKind) {
  given_.erase(stream);
  before_next_.erase(stream);
}

void StreamWords::issued(const IssuedItem& item) {
  const std::size_t place = item.number - 1;
  before_.resize(item.number);
  Numbers& given = given_[item.stream];
  if (item.kind == ItemKind::graph_node) {
    issue_node(place);
  } else {
    before_[place] = given;
    add(before_[place], threads_[item.thread]);
    add(before_[place], before_next_[item.stream]);
  }
  // The items that are known to have ended once this one has: itself, and all known before it.
  Numbers own = before_[place];
  own.resize(item.number);
  own[place] = true;
  add(given, own);
}

void StreamWords::issue_node(std::size_t item) {
  Numbers& before = before_[item] = before_[graph_begin_];
  before.resize(item);
  before[graph_begin_] = true;
  for (const std::uint32_t node : graph_->nodes[item - graph_begin_ - 1].after) {
    const std::size_t earlier = graph_begin_ + 1 + node;
    add(before, before_[earlier]);
    before[earlier] = true;
  }
}

void StreamWords::graph_launched(const CapturedGraph& graph, GraphId /*name*/,
                                 StreamAt /*stream*/) {
  graph_ = &graph;
  graph_begin_ = before_.size() - 1;
}

void StreamWords::stream_follows(StreamAt stream, StreamAt before) {
  const bool is_grave =
      stream.stream == destroyed_blocking_streams || stream.stream == destroyed_other_streams;
  // A destroyed stream gets no new items: it counts as given.
  add(is_grave ? given_[stream] : before_next_[stream], given_[before]);
}
void StreamWords::event_recorded(EventId event, StreamAt stream) {
  events_[event] = given_[stream];
}
void StreamWords::stream_follows_event(StreamAt stream, EventId event) {
  add(before_next_[stream], events_[event]);
}
void StreamWords::thread_follows_stream(ThreadId thread, StreamAt stream) {
  add(threads_[thread], given_[stream]);
}
void StreamWords::thread_follows_event(ThreadId thread, EventId event) {
  add(threads_[thread], events_[event]);
}

std::optional<std::string> StreamWords::first_fault(const std::vector<NaiveItem>& items) const {
  const auto says = [](std::size_t item, std::size_t before) {
    return "item " + std::to_string(item + 1) + " after item " + std::to_string(before + 1);
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    const NaiveItem& item = items[i];
    for (std::size_t before = 0; before < before_[i].size(); ++before)
      if (before_[i][before] && item.begin &&
          (!items[before].end || *items[before].end > *item.begin))
        return "a word that is wrong: " + says(i, before);
    for (const std::size_t before : item.ends_before) {
      const bool is_said = before < before_[i].size() && before_[i][before];
      // A wait for an event is told after it; no word says that launches of a graph take turns.
      const bool is_by_stream =
          item.kind != ItemKind::event_wait && item.kind != ItemKind::graph_begin;
      if (!is_said && (is_by_stream || items[before].owner == item.owner))
        return "a word that is missing: " + says(i, before);
    }
  }
  return std::nullopt;
}

}  // namespace vramlab::tests
