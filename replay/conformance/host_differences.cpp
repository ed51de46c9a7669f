#include "replay/conformance/host_differences.h"

#include <functional>

#include "replay/conformance/difference_parts.h"

namespace vramlab::replay {
namespace {

using namespace allocator;
using traces::HostCallKind;

std::string host_stack_text(const MaybeHostStack& stack) {
  return stack ? "stack " + std::to_string(stack->value) : "no stack";
}

std::string host_result_text(const HostMallocResult& result) {
  if (result) return name_of(result.address) + ", " + std::to_string(result.size.count);
  return result.outcome == MallocOutcome::nothing ? "0" : "null";
}

std::string use_text(const std::optional<bool>& use) {
  return use ? (*use ? "true" : "false") : "null";
}

std::string system_call_text(const HostSystemCall& call) {
  return std::string(host_system_action_name(call.action)) + " " + name_of(call.address) + " " +
         std::to_string(call.size.count);
}

std::string host_failure_text(const traces::RecordedFailure& failure) {
  return "call " + std::to_string(failure.call) + ": " + failure.text;
}

std::string host_event_text(const HostEvent& event) {
  return std::string(action_name(event.action)) + " " + name_of(event.address) + " " +
         std::to_string(event.size.count) + " pool " + name_of(event.pool) + " " +
         host_stack_text(event.stack);
}

std::string times_text(const HostTimes& times) {
  return std::to_string(times.total) + " " + std::to_string(times.max) + " " +
         std::to_string(times.min) + " " + std::to_string(times.count);
}

std::string host_statistics_text(const HostStatisticValues& values) {
  std::string text = "active_requests " + text_of(values.active_requests) + ", active_bytes " +
                     text_of(values.active_bytes) + ", allocations " + text_of(values.allocations) +
                     ", allocated_bytes " + text_of(values.allocated_bytes) + ", host_alloc_time " +
                     times_text(values.alloc_time) + ", host_free_time " +
                     times_text(values.free_time) + ", buckets";
  for (std::size_t bucket = 0; bucket < values.bucket_allocations.size(); ++bucket)
    if (const std::uint64_t count = values.bucket_allocations[bucket]; count > 0)
      text += " " + std::to_string(bucket) + ":" + std::to_string(count);
  return text;
}

std::string host_snapshot_text(const HostSnapshot& snapshot) {
  std::string text;
  for (const HostBlockState& block : snapshot)
    text += (text.empty() ? "" : "; ") + host_block_text(block);
  return text;
}

using IsCall = std::function<bool(HostCallKind)>;
IsCall is(HostCallKind kind) {
  return [kind](HostCallKind other) { return other == kind; };
}

/// The number of the nth call of which that holds.
std::optional<std::int64_t> nth_host_call(const traces::HostProgram& program, const IsCall& fits,
                                          std::size_t n) {
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    if (fits(program.calls[i].kind) && n-- == 0) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

class HostComparison {
 public:
  explicit HostComparison(const traces::HostProgram& program) : program_(program) {}

  template <typename Item, typename TextOf>
  void compare(const char* where, const std::vector<Item>& expected,
               const std::vector<Item>& actual, TextOf item_text, const IsCall& caused_by = {}) {
    const auto at = first_mismatch(expected, actual, std::equal_to<>());
    if (!at) return;
    found_.push_back({.where = place_in(where, *at),
                      .expected = text_at(expected, *at, item_text),
                      .actual = text_at(actual, *at, item_text)});
    if (caused_by) found_.back().call = nth_host_call(program_, caused_by, *at);
  }

  std::vector<Difference>& found() { return found_; }

 private:
  const traces::HostProgram& program_;
  std::vector<Difference> found_;
};

}  // namespace

std::string host_block_text(const HostBlockState& block) {
  return name_of(block.address) + " " + std::to_string(block.size.count) +
         (block.allocated ? " allocated"
          : block.active  ? " waiting"
                          : " free") +
         " pool " + name_of(block.pool) + " " + host_stack_text(block.stack);
}

std::vector<Difference> find_host_differences(const traces::HostCase& recorded,
                                              const traces::HostAnswers& actual) {
  const traces::HostAnswers& expected = recorded.expected;
  HostComparison comparison(recorded.program);
  comparison.compare("results", expected.results, actual.results, host_result_text,
                     is(HostCallKind::malloc));
  comparison.compare("uses", expected.uses, actual.uses, use_text, [](HostCallKind kind) {
    return kind == HostCallKind::use || kind == HostCallKind::use_address;
  });
  comparison.compare("driver", expected.system_calls, actual.system_calls, system_call_text);
  comparison.compare("errors", expected.failures, actual.failures, host_failure_text);
  comparison.compare("final blocks", expected.final_snapshot, actual.final_snapshot,
                     host_block_text);
  if (!recorded.has_statistics) return std::move(comparison.found());
  comparison.compare("stats", expected.statistics, actual.statistics, host_statistics_text,
                     is(HostCallKind::statistics));
  comparison.compare("snapshots", expected.snapshots, actual.snapshots, host_snapshot_text,
                     is(HostCallKind::snapshot));
  comparison.compare("trace", expected.trace, actual.trace, host_event_text);
  comparison.compare("final_stats", std::vector{expected.final_statistics},
                     std::vector{actual.final_statistics}, host_statistics_text);
  return std::move(comparison.found());
}

}  // namespace vramlab::replay
