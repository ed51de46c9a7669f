#include "replay/recording/recorded_calls.h"

#include <algorithm>
#include <map>
#include <optional>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {
namespace {

using traces::StackId;

/// The origin of a free's stack: where stacks were recorded for allocations only, it is the stack
/// of its block's request.
enum class FreeStacks : std::uint8_t { of_requests, their_own };

/// How many frees are looked at.
constexpr int most_compared_frees = 4096;

FreeStacks free_stacks_of(const DeviceHistory& history) {
  std::map<Address, StackId> requested;
  int compared = 0;
  for (std::size_t i = 0; i < history.stacks.size() && compared < most_compared_frees; ++i) {
    const AllocatorEvent& event = history.events[i];
    if (event.action == Action::alloc) requested[event.address] = history.stacks[i];
    if (event.action != Action::free_requested) continue;
    const auto found = requested.find(event.address);
    if (found == requested.end()) continue;
    if (found->second != history.stacks[i]) return FreeStacks::their_own;
    ++compared;
  }
  return FreeStacks::of_requests;
}

class Cutter {
 public:
  Cutter(const DeviceHistory& history, const DeviceRoom& room)
      : history_(history),
        has_stacks_(has_stacks(history)),
        free_stacks_(free_stacks_of(history)),
        room_(room),
        reserved_(room_.reserved_at_start),
        calls_(history.events.place()) {}

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
  void add(RecordedCallKind kind, std::size_t end, ReleaseOrigin origin = ReleaseOrigin::guessed) {
    RecordedCall call{kind, origin, false, false, at_, end};
    follow_reserved(call);
    call.had_room = call.had_room && kind == RecordedCallKind::request;
    // The stack of an emptied cache may be the request's by chance: then room decides.
    if (call.had_room && free_stacks_ == FreeStacks::of_requests)
      call.origin = ReleaseOrigin::guessed;
    calls_.push_back(call);
    at_ = end;
  }
  /// Whether the completion has no stack of its free, but that of the event after all completions.
  bool is_completed_by_next(std::size_t completion) const {
    const StackId stack = stack_of(history_, completion);
    if (stack == StackId{} || stack == stack_of(history_, completion - 1)) return false;
    std::size_t next = completion + 1;
    while (next < history_.events.size() && history_.events[next].action == Action::free_completed)
      ++next;
    return next < history_.events.size() && stack_of(history_, next) == stack;
  }
  void take_free() {
    const std::size_t next = at_ + 1;
    const bool is_back = next < history_.events.size() &&
                         history_.events[next].action == Action::free_completed &&
                         history_.events[next].address == history_.events[at_].address &&
                         !is_completed_by_next(next);
    add(is_back ? RecordedCallKind::free : RecordedCallKind::free_later, is_back ? at_ + 2 : next);
  }
  void take_run() {
    for (std::size_t end = at_; end < history_.events.size(); ++end) {
      const Action action = history_.events[end].action;
      if (action == Action::alloc || action == Action::oom) return take_request(end);
      if (action == Action::free_requested || action == Action::snapshot)
        return add(RecordedCallKind::release, end);
    }
    add(RecordedCallKind::release, history_.events.size());
  }

  /// Memory that was released with another stack than the request's was released before it. The
  /// stack of a request is empty where no Python runs, as in a thread of a backward pass.
  void take_request(std::size_t request) {
    if (!has_stacks_) return add(RecordedCallKind::request, request + 1);
    const StackId stack = stack_of(history_, request);
    std::size_t own = request;
    while (own > at_ && !is_foreign_release(own - 1, stack)) --own;
    // Blocks that were there before may have had this very stack.
    if (own > at_ && free_stacks_ == FreeStacks::of_requests)
      while (is_release(history_.events[own].action)) ++own;
    if (own > at_) add(RecordedCallKind::release, own, ReleaseOrigin::by_stacks);
    // An entry without a stack looks the same as one whose stack is empty.
    add(RecordedCallKind::request, request + 1,
        stack == StackId{} ? ReleaseOrigin::guessed : ReleaseOrigin::by_stacks);
  }
  bool is_foreign_release(std::size_t event, StackId stack) const {
    return is_release(history_.events[event].action) && stack_of(history_, event) != stack;
  }
  /// Follows the reserved memory through the call, and notes what that says of it.
  void follow_reserved(RecordedCall& call) {
    const Bytes before = reserved_;
    Bytes got;
    for (std::size_t i = call.first; i < call.end; ++i) {
      const AllocatorEvent& event = history_.events[i];
      if (!is_segment_call(event.action)) continue;
      call.has_segment_calls = true;
      if (is_release(event.action))
        reserved_ = reserved_ - std::min(reserved_, event.size);
      else
        got += event.size;
    }
    reserved_ += got;
    call.had_room =
        got > Bytes{} && before + got <= std::min(room_.at_least(), share_at(call.first));
  }
  /// As much as the memory fraction that was noted last lets the program reserve.
  Bytes share_at(std::size_t event) {
    const std::vector<traces::NotedCall>& noted = history_.noted_calls;
    for (; next_noted_ < noted.size() && noted[next_noted_].before <= event; ++next_noted_)
      if (noted[next_noted_].kind == traces::ProgramEventKind::memory_fraction)
        share_ = allocator::share_of(noted[next_noted_].fraction, noted[next_noted_].device_memory);
    return share_;
  }

  const DeviceHistory& history_;
  bool has_stacks_;
  FreeStacks free_stacks_;
  const DeviceRoom& room_;
  Bytes reserved_;
  Bytes share_{~std::uint64_t{0}};
  std::size_t next_noted_ = 0;
  std::size_t at_ = 0;
  RecordedCalls calls_;
};

/// Shorter steps, and fewer of them, may have the same length by chance.
constexpr std::size_t shortest_step = 16;
constexpr std::size_t fewest_emptied = 4;
/// Most of the beats are there.
constexpr std::size_t emptied_for_a_missing_one = 4;

/// How many requests and frees came before each emptied cache.
std::vector<std::size_t> calls_before(const RecordedCalls& calls,
                                      const std::vector<std::size_t>& emptied) {
  std::vector<std::size_t> counts;
  std::size_t count = 0;
  auto next = emptied.begin();
  for (const RecordedCall& call : calls) {
    for (; next != emptied.end() && *next < call.end; ++next)
      if (counts.empty() || counts.back() != count) counts.push_back(count);
    if (call.kind != RecordedCallKind::release) ++count;
  }
  return counts;
}

/// Counts that are missing between the given ones; empty if the steps are no multiples of the
/// shortest one.
std::optional<std::vector<std::size_t>> between(const std::vector<std::size_t>& counts) {
  std::size_t step = ~std::size_t{0};
  for (std::size_t i = 1; i < counts.size(); ++i) step = std::min(step, counts[i] - counts[i - 1]);
  if (step < shortest_step) return std::nullopt;
  std::vector<std::size_t> missing;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if ((counts[i] - counts[i - 1]) % step != 0) return std::nullopt;
    for (std::size_t count = counts[i - 1] + step; count < counts[i]; count += step) {
      missing.push_back(count);
      if (emptied_for_a_missing_one * missing.size() > counts.size()) return std::nullopt;
    }
  }
  return missing;
}

}  // namespace

RecordedCalls cut_into_calls(const DeviceHistory& history, const DeviceRoom& room) {
  return Cutter(history, room).cut();
}

std::string event_text(const AllocatorEvent& event) {
  std::string text(action_name(event.action));
  text += " of " + format_bytes(event.size);
  if (event.action != Action::oom) text += " at " + name_of(event.address);
  return text;
}

std::optional<RecordedCall> call_of(const RecordedCalls& calls, std::size_t event) {
  const auto call = std::ranges::upper_bound(calls, event, {}, &RecordedCall::end);
  if (call == calls.end()) return std::nullopt;
  return *call;
}

std::vector<std::size_t> missing_in_rhythm(const RecordedCalls& calls,
                                           const std::vector<std::size_t>& emptied) {
  const std::vector<std::size_t> counts = calls_before(calls, emptied);
  if (counts.size() < fewest_emptied) return {};
  const auto missing = between(counts);
  if (!missing) return {};
  std::vector<std::size_t> firsts;
  std::size_t count = 0;
  auto next = missing->begin();
  for (const RecordedCall& call : calls) {
    if (next == missing->end()) break;
    if (call.kind == RecordedCallKind::release) continue;
    if (count == *next) {
      firsts.push_back(call.first);
      ++next;
    }
    ++count;
  }
  return firsts;
}

}  // namespace vramlab::replay
