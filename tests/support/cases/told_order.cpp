#include "tests/support/cases/told_order.h"

#include <algorithm>

namespace vramlab::tests {

using namespace streams;
using allocator::EventId;

std::optional<OrderedPlace> ToldOrder::record_of(EventId event) const {
  const auto found = records_.find(event);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

bool ToldOrder::is_known(Epoch at) {
  return std::ranges::any_of(
      threads_, [&](ThreadId thread) { return order_.thread(thread).clock.covers(at); });
}

bool ToldOrder::is_known_to_be_done(StreamAt stream) {
  const bool is_legacy = stream.stream.value == 0;
  return std::ranges::all_of(given_, [&](const Given& given) {
    const bool is_asked_for = is_legacy ? given.stream.device == stream.device
                                        : given.stream == stream && !given.is_of_destroyed;
    return !is_asked_for || is_known(given.at);
  });
}

WorkRuns ToldOrder::known_to(ThreadId thread) {
  WorkRuns known;
  const VectorClock& clock = order_.thread(thread).clock;
  for (const OrderedRun& run : runs_)
    if (clock.covers(run.place.at)) known.insert(run.run);
  return known;
}

void ToldOrder::stream_created(StreamAt stream, StreamKind kind) {
  order_.stream_created(stream, kind);
}

void ToldOrder::issued(const IssuedItem& item) {
  threads_.insert(item.thread);
  const Strand& strand = order_.issued(item);
  given_.push_back({item.stream, strand.now()});
  if (item.kind == ItemKind::event_record) latest_record_ = {strand.now(), strand.clock};
  if (item.work == nullptr) return;
  const WorkRun run{item.tag, run_counts_[item.tag]++};
  runs_.push_back({run, item.number, {strand.now(), strand.clock}});
}

void ToldOrder::stream_follows(StreamAt stream, StreamAt before) {
  order_.stream_follows(stream, before);
}

void ToldOrder::event_recorded(EventId event, StreamAt stream) {
  records_[event] = latest_record_;
  order_.event_recorded(event, stream);
}

void ToldOrder::stream_follows_event(StreamAt stream, EventId event) {
  order_.stream_follows_event(stream, event);
}

void ToldOrder::thread_follows_stream(ThreadId thread, StreamAt stream) {
  if (is_asking_) return;
  threads_.insert(thread);
  order_.thread_follows_stream(thread, stream);
}

void ToldOrder::thread_follows_event(ThreadId thread, EventId event) {
  if (is_asking_) return;
  threads_.insert(thread);
  order_.thread_follows_event(thread, event);
}

void ToldOrder::graph_launched(const CapturedGraph& graph, GraphId name, StreamAt stream) {
  order_.graph_launched(graph, name, stream);
}

void ToldOrder::stream_destroyed(StreamAt stream) {
  order_.stream_destroyed(stream);
  for (Given& given : given_)
    if (given.stream == stream) given.is_of_destroyed = true;
}

void ToldOrder::event_destroyed(EventId event) {
  records_.erase(event);
  order_.event_destroyed(event);
}

void ToldOrder::graph_destroyed(GraphId graph) { order_.graph_destroyed(graph); }

}  // namespace vramlab::tests
