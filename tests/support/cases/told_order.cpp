#include "tests/support/cases/told_order.h"

#include <algorithm>

namespace vramlab::tests {

using namespace streams;
using allocator::EventId;

std::optional<OrderedPlace> ToldOrder::record_of(EventId event) const {
  const auto found = records_.find(event);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

bool ToldOrder::is_known_to_be_done(StreamAt stream) {
  const bool is_legacy = stream.stream.value == 0;
  return std::ranges::all_of(given_, [&](const Given& given) {
    const bool is_asked_for = is_legacy ? given.stream.device == stream.device
                                        : given.stream == stream && !given.is_of_destroyed;
    return !is_asked_for || is_known_to_threads(given.at);
  });
}

WorkRuns ToldOrder::known_to(ThreadId thread) {
  WorkRuns known;
  const VectorClock& clock = strand_of(thread).clock;
  for (const OrderedRun& run : runs_)
    if (clock.covers(run.place.at)) known.insert(run.run);
  return known;
}

void ToldOrder::issued(const IssuedItem& item) {
  const Strand& strand = place_of(item);
  given_.push_back({item.stream, strand.now()});
  if (item.kind == ItemKind::event_record) latest_record_ = {strand.now(), strand.clock};
  if (item.work == nullptr) return;
  const WorkRun run{item.tag, run_counts_[item.tag]++};
  runs_.push_back({run, item.number, {strand.now(), strand.clock}});
}

void ToldOrder::event_recorded(EventId event, StreamAt stream) {
  records_[event] = latest_record_;
  ProgramOrder::event_recorded(event, stream);
}

void ToldOrder::thread_follows_stream(ThreadId thread, StreamAt stream) {
  if (!is_asking_) ProgramOrder::thread_follows_stream(thread, stream);
}

void ToldOrder::thread_follows_event(ThreadId thread, EventId event) {
  if (!is_asking_) ProgramOrder::thread_follows_event(thread, event);
}

void ToldOrder::stream_destroyed(StreamAt stream) {
  ProgramOrder::stream_destroyed(stream);
  for (Given& given : given_)
    if (given.stream == stream) given.is_of_destroyed = true;
}

void ToldOrder::event_destroyed(EventId event) {
  records_.erase(event);
  ProgramOrder::event_destroyed(event);
}

}  // namespace vramlab::tests
