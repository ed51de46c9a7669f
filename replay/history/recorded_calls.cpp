#include "replay/history/recorded_calls.h"

#include <algorithm>
#include <iterator>

#include "allocator/options/size_rules.h"
#include "allocator/shapes/block.h"
#include "allocator/words/id_names.h"

namespace vramlab::replay {

namespace {

using allocator::Action;

class Cutter {
 public:
  explicit Cutter(const DeviceHistory& history)
      : history_(history), calls_(history.events.place()) {}

  RecordedCalls cut() {
    while (at_ < history_.events.size()) {
      const Action action = history_.events[at_].action;
      if (action == Action::snapshot)
        ++at_;
      else if (action == Action::free_requested)
        take_free();
      else if (action == Action::free_completed && !history_.traits.requests_frees)
        add(RecordedCallKind::free, at_ + 1);
      else
        take_run();
    }
    return std::move(calls_);
  }

 private:
  void add(RecordedCallKind kind, std::size_t end) {
    calls_.push_back({kind, at_, end});
    at_ = end;
  }
  void take_free() {
    const std::size_t next = at_ + 1;
    const bool is_back = next < history_.events.size() &&
                         history_.events[next].action == Action::free_completed &&
                         history_.events[next].address == history_.events[at_].address;
    add(is_back ? RecordedCallKind::free : RecordedCallKind::free_later, is_back ? at_ + 2 : next);
  }
  void take_run() {
    for (std::size_t end = at_; end < history_.events.size(); ++end) {
      const Action action = history_.events[end].action;
      if (action == Action::alloc || action == Action::oom)
        return add(RecordedCallKind::request, end + 1);
      if (action == Action::free_requested || action == Action::snapshot)
        return add(RecordedCallKind::release, end);
    }
    add(RecordedCallKind::release, history_.events.size());
  }

  const DeviceHistory& history_;
  std::size_t at_ = 0;
  RecordedCalls calls_;
};

}  // namespace

RecordedCalls cut_into_calls(const DeviceHistory& history) { return Cutter(history).cut(); }

std::string event_text(const allocator::AllocatorEvent& event) {
  std::string text(action_name(event.action));
  text += " of " + format_bytes(event.size);
  if (event.action != Action::oom) text += " at " + allocator::name_of(event.address);
  return text;
}

std::optional<RecordedCall> call_of(const RecordedCalls& calls, std::size_t event) {
  const auto call = std::ranges::upper_bound(calls, event, {}, &RecordedCall::end);
  if (call == calls.end()) return std::nullopt;
  return *call;
}

ExpandableModes::ExpandableModes(const DeviceHistory& history, const RecordedCalls& calls,
                                 const allocator::Settings& settings) {
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const RecordedCall bounds = calls[call];
    for (std::size_t event = bounds.first; event < bounds.end; ++event) {
      const Action action = history.events[event].action;
      if (action != Action::segment_alloc && action != Action::segment_map) continue;
      const bool is_on = action == Action::segment_map;
      // The first one tells of the calls before it, too.
      if (changes_.empty())
        changes_.push_back({0, is_on});
      else if (changes_.back().is_on != is_on)
        changes_.push_back({call, is_on});
    }
  }
  if (changes_.empty()) changes_.push_back({0, settings.expandable_segments});
}

bool ExpandableModes::at(std::size_t call) const {
  const auto after = std::ranges::upper_bound(changes_, call, {}, &Change::first_call);
  return std::prev(after)->is_on;
}

namespace {

using allocator::Address;
using allocator::Bytes;

bool is_place(Address at) {
  return at.value % allocator::minimum_block.count == 0 && at < allocator::highest_address;
}

bool is_range(Address at, Bytes size) {
  return is_place(at) && size.count % allocator::minimum_block.count == 0 && size > Bytes{0} &&
         size < allocator::largest_block && at + size < allocator::highest_address;
}

bool is_possible(const allocator::AllocatorEvent& event) {
  switch (event.action) {
    case Action::snapshot:
      return true;
    case Action::oom:
      return event.size < allocator::largest_block;
    case Action::alloc:
    case Action::free_requested:
    case Action::free_completed:
      return is_place(event.address) && event.size < allocator::largest_block;
    default:
      return is_range(event.address, event.size);
  }
}

std::string sentence(const std::string& what, Address at, Bytes size) {
  return what + " of " + std::to_string(size.count) + " bytes at " + name_of(at) +
         " is none that an allocator gives";
}

/// Blocks follow each other without gaps and fill the segment.
bool is_filled(const allocator::SnapshotSegment& segment) {
  Address at = segment.address;
  for (const allocator::SnapshotBlock& block : segment.blocks) {
    if (block.address != at || !is_range(block.address, block.size)) return false;
    at = at + block.size;
  }
  return at == segment.address + segment.total_size;
}

}  // namespace

std::string impossible_part(const DeviceHistory& history) {
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const allocator::AllocatorEvent& event = history.events[i];
    if (!is_possible(event))
      return "event " + std::to_string(i) + ": " +
             sentence(std::string(action_name(event.action)), event.address, event.size);
  }
  const allocator::SnapshotSegment* before = nullptr;
  for (const allocator::SnapshotSegment& segment : history.final_segments) {
    if (!is_range(segment.address, segment.total_size))
      return sentence("the final segment", segment.address, segment.total_size);
    if (before != nullptr && segment.address < before->address + before->total_size)
      return "two final segments overlap at " + name_of(segment.address);
    if (!is_filled(segment))
      return "the blocks of the final segment at " + name_of(segment.address) +
             " do not fill it one after another";
    before = &segment;
  }
  return {};
}

}  // namespace vramlab::replay
