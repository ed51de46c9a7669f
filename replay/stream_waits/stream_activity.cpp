#include "replay/stream_waits/stream_activity.h"

#include <algorithm>
#include <utility>

namespace vramlab::replay {

using streams::Duration;
using streams::EndedItem;
using streams::IssuedItem;
using streams::ItemKind;
using streams::StreamAt;
using streams::Time;

void StreamActivity::issued(const IssuedItem& item) {
  Pending& pending = pending_[item.number];
  pending.issued = item.issued;
  if (item.work != nullptr) pending.work = item.work->kind;
  last_issued_[item.stream] = item.number;
}

/// The record is the last item that its stream was given.
void StreamActivity::event_recorded(EventId event, StreamAt stream) {
  auto point = std::make_shared<RecordPoint>(RecordPoint{stream, std::nullopt});
  if (const auto found = pending_.find(last_issued_[stream]); found != pending_.end())
    found->second.record = point;
  records_[event.value] = std::move(point);
}

/// The wait is the last item that the stream was given.
void StreamActivity::stream_follows_event(StreamAt stream, EventId event) {
  const auto record = records_.find(event.value);
  const auto wait = pending_.find(last_issued_[stream]);
  if (record != records_.end() && wait != pending_.end()) wait->second.awaited = record->second;
}

void StreamActivity::thread_waits(const streams::ThreadWait& wait) {
  WaitingThread waiting{wait.thread, wait.since, 0};
  for (const std::uint64_t number : wait.items) {
    if (!pending_.contains(number)) continue;
    awaited_items_.emplace(number, waiting_.size());
    ++waiting.left;
  }
  if (waiting.left == 0) return;
  ++report_.threads[wait.thread].waits;
  waiting_.push_back(waiting);
}

void StreamActivity::ended(const EndedItem& item) {
  const auto found = pending_.find(item.number);
  Pending pending = found == pending_.end() ? Pending{} : std::move(found->second);
  if (found != pending_.end()) pending_.erase(found);
  if (pending.record) pending.record->at = item.end;
  Time& last_end = last_end_[item.stream];
  const FinishedItem finished{item, pending.work, std::max(pending.issued, last_end),
                              std::move(pending.awaited)};
  add_figures(finished);
  last_end = item.end;
  report_.end = std::max(report_.end, item.end);
  end_waits(item);
  if (listener_) listener_(finished);
}

void StreamActivity::add_figures(const FinishedItem& finished) {
  const EndedItem& item = finished.item;
  StreamFigures& figures = report_.streams[item.stream];
  if (item.kind == ItemKind::graph_begin) ++figures.launches;
  if (item.kind != ItemKind::graph_node) {
    // A mark begins when the items that it waits for have ended; work also needs a place to run.
    const Time begin = item.begin;
    if (item.kind != ItemKind::graph_end && begin > finished.could_begin)
      figures.held_up.ns += (begin - finished.could_begin).ns;
  }
  if (item.kind != ItemKind::work && item.kind != ItemKind::graph_node) return;
  if (figures.work_count++ == 0) figures.first_begin = item.begin;
  figures.first_begin = std::min(figures.first_begin, item.begin);
  figures.last_end = std::max(figures.last_end, item.end);
  figures.busy.ns += (item.end - item.begin).ns;
  busy_[item.stream.device].add({item.begin, item.end});
}

void StreamActivity::end_waits(const EndedItem& item) {
  const auto [first, last] = awaited_items_.equal_range(item.number);
  for (auto it = first; it != last; ++it) {
    WaitingThread& waiting = waiting_[it->second];
    if (--waiting.left == 0)
      report_.threads[waiting.thread].waited.ns += (item.end - waiting.since).ns;
  }
  awaited_items_.erase(first, last);
  if (awaited_items_.empty()) waiting_.clear();
}

ActivityReport StreamActivity::report() const {
  ActivityReport report = report_;
  for (const auto& [device, busy] : busy_)
    report.devices[device] = {busy.at_least_one(), busy.at_least_two()};
  return report;
}

void BusyTime::add(BusySpan span) {
  if (span.begin < span.end) merge(once_, span, &twice_);
}

void BusyTime::merge(std::vector<BusySpan>& spans, BusySpan span, std::vector<BusySpan>* twice) {
  std::vector<BusySpan> common;
  std::vector<BusySpan> later;
  while (!spans.empty() && spans.back().end >= span.begin) {
    const BusySpan last = spans.back();
    spans.pop_back();
    if (last.begin > span.end) {
      later.push_back(last);
      continue;
    }
    const BusySpan both{std::max(last.begin, span.begin), std::min(last.end, span.end)};
    if (both.begin < both.end) common.push_back(both);
    span.begin = std::min(span.begin, last.begin);
    span.end = std::max(span.end, last.end);
  }
  spans.push_back(span);
  spans.insert(spans.end(), later.rbegin(), later.rend());
  if (twice == nullptr) return;
  for (auto it = common.rbegin(); it != common.rend(); ++it) merge(*twice, *it, nullptr);
}

Duration BusyTime::total(const std::vector<BusySpan>& spans) {
  Duration sum;
  for (const BusySpan& span : spans) sum.ns += (span.end - span.begin).ns;
  return sum;
}

}  // namespace vramlab::replay
