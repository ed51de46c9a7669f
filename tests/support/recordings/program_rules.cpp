#include "tests/support/recordings/program_rules.h"

#include <algorithm>

namespace vramlab::support {

using traces::ProgramEvent;
using traces::ProgramEventKind;

void ProgramRules::expect(bool holds, const std::string& otherwise) {
  constexpr std::size_t enough = 10;
  if (!holds && broken_.size() < enough)
    broken_.push_back("event " + std::to_string(event_count_) + ": " + otherwise);
}

void ProgramRules::header(const traces::TraceHeader& header) {
  expect(event_count_ == 0 && ++header_count_ == 1, "the header comes once, before all events");
  expect(header.origin.starts_with("workload "), "the header says where the trace is from");
  version_ = header.version;
  expect(header.devices.size() == 1 && header.devices[0].memory.count > 0,
         "the header gives the device's memory");
}

void ProgramRules::program_event(const ProgramEvent& event) {
  expect(header_count_ == 1, "events come after the header");
  check_time_and_place(event);
  check_memory(event);
  check_host_memory(event);
  check_streams(event);
  check_pools(event);
  check_ranges(event);
  ++counts_[static_cast<std::size_t>(event.kind)];
  ++event_count_;
}

void ProgramRules::check_time_and_place(const ProgramEvent& event) {
  expect(event.time_ns.has_value(), "there is no time");
  expect(event.time_ns >= time_ns_, "time goes back");
  time_ns_ = event.time_ns.value_or(time_ns_);
  const bool is_mark = event.kind == ProgramEventKind::marker;
  expect(is_mark || !tables_.stacks.frames(event.stack).empty(), "there is no call stack");
}

void ProgramRules::check_memory(const ProgramEvent& event) {
  if (event.kind == ProgramEventKind::malloc) {
    expect(event.bytes.count > 0, "nothing is asked for");
    expect(live_.emplace(event.id, event.bytes.count).second, "the id names another one already");
    live_bytes_ += event.bytes.count;
    requested_bytes_ += event.bytes.count;
    peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  }
  if (event.kind != ProgramEventKind::free && event.kind != ProgramEventKind::use) return;
  const auto found = live_.find(event.id);
  expect(found != live_.end(), "the id names nothing that lives");
  if (event.kind == ProgramEventKind::use || found == live_.end()) return;
  live_bytes_ -= found->second;
  live_.erase(found);
}

void ProgramRules::check_host_memory(const ProgramEvent& event) {
  if (!traces::is_of_host(event.kind)) return;
  expect(version_ == 2, "the header is of a version without pinned memory");
  if (event.kind == ProgramEventKind::host_malloc) {
    expect(event.bytes.count > 0, "nothing is asked for");
    expect(live_host_ids_.insert(event.id).second, "the id names other pinned memory already");
  } else if (event.kind == ProgramEventKind::host_use) {
    expect(live_host_ids_.contains(event.id), "the id names no pinned memory that lives");
  } else if (event.kind == ProgramEventKind::host_free) {
    expect(live_host_ids_.erase(event.id) == 1, "the id names no pinned memory that lives");
  }
}

void ProgramRules::check_streams(const ProgramEvent& event) {
  if (event.kind == ProgramEventKind::work) expect(event.duration_ns > 0, "work takes no time");
  if (event.kind == ProgramEventKind::stream_done)
    expect(!capturing_.contains(event.stream), "a stream that captures is waited for");
  if (event.kind == ProgramEventKind::event_record) recorded_.insert(event.event);
  if (event.kind == ProgramEventKind::event_wait)
    expect(recorded_.contains(event.event), "the event was never recorded");
  if (event.kind == ProgramEventKind::capture_begin)
    expect(capturing_.insert(event.stream).second, "the stream captures already");
  if (event.kind == ProgramEventKind::capture_end)
    expect(capturing_.erase(event.stream) == 1, "the stream does not capture");
}

void ProgramRules::check_pools(const ProgramEvent& event) {
  if (event.kind == ProgramEventKind::pool_begin) {
    expect(open_pools_.insert(event.pool).second, "the pool's scope is open already");
    ++pool_uses_[event.pool];
  }
  if (event.kind == ProgramEventKind::pool_end)
    expect(open_pools_.erase(event.pool) == 1, "the pool has no open scope");
  if (event.kind == ProgramEventKind::pool_release)
    expect(pool_uses_[event.pool]-- > 0, "nobody uses the pool");
}

void ProgramRules::check_ranges(const ProgramEvent& event) {
  if (event.kind == ProgramEventKind::range_begin)
    ranges_.emplace_back(tables_.texts.text(event.text));
  if (event.kind != ProgramEventKind::range_end) return;
  expect(!ranges_.empty() && ranges_.back() == tables_.texts.text(event.text),
         "another range ends than was begun last");
  if (!ranges_.empty()) ranges_.pop_back();
}

void ProgramRules::finish() {
  expect(ranges_.empty(), "a range is never ended");
  expect(capturing_.empty(), "a capture is never ended");
  expect(open_pools_.empty(), "a scope is never closed");
  for (const auto& [pool, uses] : pool_uses_) expect(uses == 0, "a pool is never released");
}

}  // namespace vramlab::support
