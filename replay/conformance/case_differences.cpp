#include "replay/conformance/case_differences.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/checks/out_of_memory.h"
#include "allocator/types/bytes_and_ids.h"
#include "replay/conformance/reference_errors.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::replay {
namespace {

using namespace allocator;
using replay::text_of;
using traces::HostCallKind;
using traces::ProgramEventKind;
using traces::RecordedFailure;

/// The text of a side that has no value.
constexpr const char* no_value = "nothing";

std::string place_in(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

/// The number of the nth call that is of one of these kinds, counted from 0.
template <class Call, class Kind>
std::optional<std::int64_t> nth_call(const std::vector<Call>& calls, std::size_t n,
                                     std::initializer_list<Kind> kinds) {
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (std::ranges::count(kinds, calls[i].kind) > 0 && n-- == 0)
      return static_cast<std::int64_t>(i);
  return std::nullopt;
}

/// The differences found so far, one for each part of the answers.
class FoundDifferences {
 public:
  /// Notes the first difference of two lists, and returns its index. A form says which answers are
  /// the same, and gives the text of an expected and of an actual answer.
  template <class Form, class Expected, class Actual>
  std::optional<std::size_t> compare(std::string_view list, const std::vector<Expected>& expected,
                                     const std::vector<Actual>& actual) {
    const auto same = [](const Expected& left, const Actual& right) {
      return Form::same(left, right);
    };
    const auto [left, right] = std::ranges::mismatch(expected, actual, same);
    if (left == expected.end() && right == actual.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(left - expected.begin());
    add(Difference{.where = place_in(list, at),
                   .expected = left == expected.end() ? no_value : Form::text(*left),
                   .actual = right == actual.end() ? no_value : Form::text(*right)});
    return at;
  }
  void add(Difference difference) { found_.push_back(std::move(difference)); }
  void add(std::optional<Difference> difference) {
    if (difference) add(*std::move(difference));
  }
  Difference& last() { return found_.back(); }
  std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

/// A form of answers whose recorded and actual values have the same type: equal ones are the same.
struct EqualItems {
  template <class Item>
  static bool same(const Item& expected, const Item& actual) {
    return expected == actual;
  }
  template <class Item>
  static std::string text(const Item& item) {
    return text_of(item);
  }
};
/// Equal answers with a text of their own.
template <auto text_of_item>
struct EqualAnswers : EqualItems {
  template <class Item>
  static std::string text(const Item& item) {
    return text_of_item(item);
  }
};

// Snapshots.

std::string sizes_text(const SnapshotSegment& segment) {
  return "total " + std::to_string(segment.total_size.count) + ", allocated " +
         std::to_string(segment.allocated_size.count) + ", active " +
         std::to_string(segment.active_size.count) + ", requested " +
         std::to_string(segment.requested_size.count);
}

/// The first place where two lists of a snapshot differ.
template <class Item>
std::optional<Difference> first_difference(const std::vector<Item>& expected,
                                           const std::vector<Item>& actual) {
  FoundDifferences found;
  const auto at = found.compare<EqualItems>("", expected, actual);
  if (!at) return std::nullopt;
  found.last().address = (*at < expected.size() ? expected : actual)[*at].address;
  return std::move(found.last());
}

SnapshotSegment without_blocks(SnapshotSegment segment) {
  segment.blocks.clear();
  return segment;
}

std::string stack_number_text(const MaybeHostStack& stack) {
  return stack ? "stack " + std::to_string(stack->value) : "no stack";
}

constexpr std::size_t segments_beside = 1;
constexpr std::size_t blocks_beside = 4;

struct Excerpt {
  std::size_t begin;
  std::size_t end;
};

/// The items around a place, `beside` of them on each side, clipped to the list.
Excerpt around_place(std::size_t place, std::size_t beside, std::size_t size) {
  return {place - std::min(place, beside), std::min(size, place + beside + 1)};
}

/// The last item that begins at or before the address; 0 where all begin after it.
template <typename Item>
std::size_t place_of(const std::vector<Item>& items, Address address) {
  const auto after = std::ranges::upper_bound(items, address, {}, &Item::address);
  return after == items.begin() ? 0 : static_cast<std::size_t>(after - items.begin()) - 1;
}

std::string left_out(std::size_t count, const char* what) {
  return count == 0 ? "" : "      (" + std::to_string(count) + " " + what + ")\n";
}

std::string blocks_text(const SnapshotSegment& segment, Address around) {
  const std::size_t place = place_of(segment.blocks, around);
  const Excerpt shown = around_place(place, blocks_beside, segment.blocks.size());
  std::string text = left_out(shown.begin, "blocks before");
  for (std::size_t i = shown.begin; i < shown.end; ++i) {
    const SnapshotBlock& block = segment.blocks[i];
    const bool holds = block.address <= around && around < block.address + block.size;
    text += (holds ? "    > " : "      ") + text_of(block) + "\n";
  }
  return text + left_out(segment.blocks.size() - shown.end, "blocks after");
}

// The caching allocator: how each kind of answer is compared and written.

std::string a_snapshot(const Snapshot&) { return "a snapshot"; }

struct RequestResults {
  /// As recordings write it: empty for a failure, 0 for a request of 0 bytes.
  static std::optional<Address> as_recorded(const MallocResult& result) {
    if (result.outcome == MallocOutcome::allocated) return result.address;
    if (result.outcome == MallocOutcome::nothing) return Address{0};
    return std::nullopt;
  }
  static bool same(const std::optional<Address>& expected, const MallocResult& actual) {
    return expected == as_recorded(actual);
  }
  static std::string text(const std::optional<Address>& result) {
    if (!result) return "null";
    return result->value == 0 ? "0" : name_of(*result);
  }
  static std::string text(const MallocResult& result) { return text(as_recorded(result)); }
};

struct TraceEntries {
  static bool same(const traces::RecordedEvent& expected, const AllocatorEvent& actual) {
    return expected.action == actual.action && expected.address == actual.address &&
           expected.size == actual.size && expected.stream == actual.stream;
  }
  static std::string text(const traces::RecordedEvent& event) {
    AllocatorEvent written;
    written.action = event.action;
    written.address = event.address;
    written.size = event.size;
    written.stream = event.stream;
    return text_of(written);
  }
  static std::string text(const AllocatorEvent& event) { return text_of(event); }
};

struct TracePools {
  static bool same(std::uint64_t expected, const AllocatorEvent& actual) {
    return PoolId{0, expected} == actual.pool;
  }
  static std::string text(std::uint64_t pool) { return name_of(PoolId{0, pool}); }
  static std::string text(const AllocatorEvent& event) { return name_of(event.pool); }
};

struct Restores {
  static traces::RecordedRestore as_recorded(const RestoreResult& restore) {
    traces::RecordedRestore written{restore.freed, {}};
    for (const RestoredBlock& block : restore.created) written.created.push_back(block.address);
    return written;
  }
  static bool same(const traces::RecordedRestore& expected, const RestoreResult& actual) {
    return expected.freed == actual.freed && expected.created == as_recorded(actual).created;
  }
  static std::string text(const traces::RecordedRestore& restore) {
    std::string text = "freed";
    for (const Address address : restore.freed) text += " " + name_of(address);
    text += ", created";
    for (const Address address : restore.created) text += " " + name_of(address);
    return text;
  }
  static std::string text(const RestoreResult& restore) { return text(as_recorded(restore)); }
};

std::string failure_text(std::int64_t call, const std::string& text) {
  return "call " + std::to_string(call) + ": " + text;
}
std::string failure_text(const RecordedFailure& failure) {
  return failure_text(failure.call, failure.text);
}

struct SettingsErrors {
  static bool same(const RecordedFailure& expected, const ConfigFailure& actual) {
    const auto understood = understand_settings_error(expected.text);
    return understood && expected.call == actual.call &&
           std::ranges::find(understood->kinds, actual.error.kind) != understood->kinds.end() &&
           (understood->option.empty() || understood->option == actual.error.option);
  }
  static std::string text(const RecordedFailure& failure) { return failure_text(failure); }
  static std::string text(const ConfigFailure& failure) {
    return failure_text(failure.call, std::string(settings_error_kind_name(failure.error.kind)) +
                                          " '" + failure.error.option +
                                          "': " + failure.error.message);
  }
};

struct RequestErrors {
  static bool same(const RecordedFailure& expected, const MallocFailure& actual) {
    return expected.call == actual.call && understand_malloc_error(expected.text) == actual.outcome;
  }
  static std::string text(const RecordedFailure& failure) { return failure_text(failure); }
  static std::string text(const MallocFailure& failure) {
    return failure_text(failure.call, "the scope of a pool that lends its memory is open already");
  }
};

std::string text_of(std::int64_t count) { return std::to_string(count); }
std::string text_of(std::uint64_t count) { return std::to_string(count); }

template <typename Value>
std::optional<Difference> difference_of(const std::string& where, const Value& expected,
                                        const Value& actual) {
  if (expected == actual) return std::nullopt;
  return Difference{.where = where, .expected = text_of(expected), .actual = text_of(actual)};
}

std::string figures_text(std::string_view message) {
  std::string text;
  for (const std::string& figure : figures_of_message(message))
    text += (text.empty() ? "" : ", ") + figure;
  return text.empty() ? "a message without figures" : text;
}

class DeviceComparison {
 public:
  DeviceComparison(const traces::RecordedCase& recorded, const CaseAnswers& actual)
      : calls_(recorded.program.calls), expected_(recorded.expected), actual_(actual) {}

  std::vector<Difference> find() {
    compare_ends();
    compare_results();
    compare_traces();
    compare_snapshots();
    if (const auto at =
            found_.compare<Restores>("restores", expected_.restores, actual_.answers.restores))
      found_.last().call = nth_call(calls_, *at, {ProgramEventKind::restore});
    compare_final_snapshots();
    found_.add(statistics_difference());
    found_.add(device_calls_difference());
    compare_messages();
    compare_failures<SettingsErrors>("config_errors", expected_.config_failures,
                                     actual_.answers.config_failures);
    compare_failures<RequestErrors>("malloc_errors", expected_.malloc_failures,
                                    actual_.answers.malloc_failures);
    return found_.take();
  }

 private:
  /// A case whose calls cannot all be made differs from its recording, whatever was answered
  /// before.
  void compare_ends() {
    const std::optional<RunStop>& stop = actual_.stop;
    if (!stop) return;
    found_.add(Difference{.where = place_in("ops", stop->call),
                          .expected = "a call that can be made",
                          .actual = stop->reason,
                          .call = static_cast<std::int64_t>(stop->call)});
  }
  void compare_results();
  void compare_traces();
  void compare_snapshots();
  void compare_final_snapshots();
  std::optional<Difference> statistics_difference() const;
  std::optional<Difference> device_calls_difference() const;
  void compare_messages();

  /// The difference belongs to the failure that only one side has, or to the earlier one of two.
  template <class Form, class Failure>
  void compare_failures(const char* list, const std::vector<RecordedFailure>& expected,
                        const std::vector<Failure>& actual) {
    const auto at = found_.compare<Form>(list, expected, actual);
    if (!at) return;
    std::optional<std::int64_t>& call = found_.last().call;
    if (*at < expected.size()) call = expected[*at].call;
    if (*at < actual.size()) call = std::min(call.value_or(actual[*at].call), actual[*at].call);
  }

  const std::vector<traces::ProgramEvent>& calls_;
  const traces::RecordedAnswers& expected_;
  const CaseAnswers& actual_;
  FoundDifferences found_;
};

void DeviceComparison::compare_results() {
  const auto& expected = expected_.results;
  const auto& actual = actual_.answers.results;
  const auto at = found_.compare<RequestResults>("results", expected, actual);
  if (!at) return;
  Difference& difference = found_.last();
  difference.call = nth_call(calls_, *at, {ProgramEventKind::malloc});
  if (*at < expected.size()) difference.address = expected[*at];
  if (!difference.address && *at < actual.size())
    difference.address = RequestResults::as_recorded(actual[*at]);
}

void DeviceComparison::compare_traces() {
  const auto& actual = actual_.history;
  if (const auto at = found_.compare<TraceEntries>("trace", expected_.trace, actual)) {
    found_.last().address =
        *at < expected_.trace.size() ? expected_.trace[*at].address : actual[*at].address;
    found_.last().trace_entry = *at;
  }
  if (!expected_.trace_pools) return;
  if (const auto at = found_.compare<TracePools>("trace_pools", *expected_.trace_pools, actual)) {
    if (*at < actual.size()) found_.last().address = actual[*at].address;
    found_.last().trace_entry = *at;
  }
}

void DeviceComparison::compare_snapshots() {
  const auto& expected = expected_.snapshots;
  const auto& actual = actual_.answers.snapshots;
  const auto at = found_.compare<EqualAnswers<a_snapshot>>("snapshots", expected, actual);
  if (!at) return;
  Difference& difference = found_.last();
  difference.call = nth_call(calls_, *at, {ProgramEventKind::snapshot});
  if (*at >= expected.size() || *at >= actual.size()) return;
  const auto inner = find_difference(expected[*at], actual[*at]);
  difference.where += inner->where;
  difference.expected = inner->expected;
  difference.actual = inner->actual;
  difference.address = inner->address;
}

void DeviceComparison::compare_final_snapshots() {
  auto difference = find_difference(expected_.final_snapshot, actual_.final_snapshot);
  if (difference) difference->where = "final_snapshot" + difference->where;
  found_.add(std::move(difference));
}

std::optional<Difference> DeviceComparison::statistics_difference() const {
  const StatisticValues& left = expected_.final_statistics;
  const StatisticValues& right = actual_.final_statistics;
  const auto where = [](std::string_view name) { return "final_stats." + std::string(name); };
  for (const auto& row : traces::pooled_statistic_names)
    for (const auto& part : traces::pool_part_names)
      if (auto difference =
              difference_of(where(row.name) + "." + std::string(part.name),
                            left.*row.member.*part.member, right.*row.member.*part.member))
        return difference;
  for (const auto& row : traces::plain_statistic_names)
    if (auto difference = difference_of(where(row.name), left.*row.member, right.*row.member))
      return difference;
  for (const auto& row : traces::counter_names)
    if (auto difference = difference_of(where(row.name), left.*row.member, right.*row.member))
      return difference;
  if (!expected_.has_oom_rejections) return std::nullopt;
  return difference_of(where(traces::oom_rejections_name), left.num_oom_rejections,
                       right.num_oom_rejections);
}

std::optional<Difference> DeviceComparison::device_calls_difference() const {
  struct Count {
    const char* name;
    std::uint64_t expected;
    std::uint64_t actual;
  };
  const traces::RecordedDeviceCalls& left = expected_.device_calls;
  const streams::DeviceCallCounts& right = actual_.device_calls;
  const std::array<Count, 4> counts = {{
      {"cudaMalloc", left.cuda_malloc, right.allocations},
      {"cudaFree", left.cuda_free, right.releases},
      {"cuMemCreate", left.cu_mem_create, right.units_created},
      {"cudaEventSynchronize", left.cuda_event_synchronize, right.event_waits},
  }};
  for (const Count& count : counts)
    if (auto difference =
            difference_of(std::string("device_calls.") + count.name, count.expected, count.actual))
      return difference;
  return std::nullopt;
}

/// The words of the first out-of-memory differ from the reference's; its figures must not.
void DeviceComparison::compare_messages() {
  const auto& failure = actual_.answers.first_out_of_memory;
  const auto& expected = expected_.first_oom_message;
  if (!expected && !failure) return;
  const std::string message = failure ? out_of_memory_message(*failure) : "";
  if (expected && failure && figures_of_message(*expected) == figures_of_message(message)) return;
  Difference difference{.where = "first_oom_message",
                        .expected = expected ? figures_text(*expected) : no_value,
                        .actual = failure ? figures_text(message) : no_value};
  const auto& results = actual_.answers.results;
  const auto failed = std::ranges::find_if(results, [](const MallocResult& result) {
    return result.outcome == MallocOutcome::out_of_memory ||
           result.outcome == MallocOutcome::rejected;
  });
  if (failed != results.end())
    difference.call = nth_call(calls_, static_cast<std::size_t>(failed - results.begin()),
                               {ProgramEventKind::malloc});
  found_.add(std::move(difference));
}

// Pinned memory.

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

std::string host_failure_text(const RecordedFailure& failure) { return failure_text(failure); }

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
  for (const HostBlockState& block : snapshot) text += (text.empty() ? "" : "; ") + text_of(block);
  return text;
}

class HostComparison {
 public:
  explicit HostComparison(const std::vector<traces::HostCall>& calls) : calls_(calls) {}

  /// `causes`: the calls that give one answer each.
  template <class Form, class Item>
  void compare(const char* list, const std::vector<Item>& expected, const std::vector<Item>& actual,
               std::initializer_list<HostCallKind> causes = {}) {
    const auto at = found_.compare<Form>(list, expected, actual);
    if (at) found_.last().call = nth_call(calls_, *at, causes);
  }
  std::vector<Difference> take() { return found_.take(); }

 private:
  const std::vector<traces::HostCall>& calls_;
  FoundDifferences found_;
};

}  // namespace

std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual) {
  return DeviceComparison(recorded, actual).find();
}

std::vector<Difference> find_differences(const traces::HostCase& recorded,
                                         const traces::HostAnswers& actual) {
  const traces::HostAnswers& expected = recorded.expected;
  HostComparison lists(recorded.program.calls);
  lists.compare<EqualAnswers<host_result_text>>("results", expected.results, actual.results,
                                                {HostCallKind::malloc});
  lists.compare<EqualAnswers<use_text>>("uses", expected.uses, actual.uses,
                                        {HostCallKind::use, HostCallKind::use_address});
  lists.compare<EqualAnswers<system_call_text>>("driver", expected.system_calls,
                                                actual.system_calls);
  lists.compare<EqualAnswers<host_failure_text>>("errors", expected.failures, actual.failures);
  lists.compare<EqualItems>("final blocks", expected.final_snapshot, actual.final_snapshot);
  if (!recorded.has_statistics) return lists.take();
  lists.compare<EqualAnswers<host_statistics_text>>("stats", expected.statistics, actual.statistics,
                                                    {HostCallKind::statistics});
  lists.compare<EqualAnswers<host_snapshot_text>>("snapshots", expected.snapshots, actual.snapshots,
                                                  {HostCallKind::snapshot});
  lists.compare<EqualItems>("trace", expected.trace, actual.trace);
  lists.compare<EqualAnswers<host_statistics_text>>(
      "final_stats", std::vector{expected.final_statistics}, std::vector{actual.final_statistics});
  return lists.take();
}

std::string text_of(const AllocatorEvent& event) {
  const std::string place = event.action == Action::oom
                                ? std::to_string(event.address.value) + " free"
                                : name_of(event.address);
  return std::string(action_name(event.action)) + ", " + place + ", " +
         std::to_string(event.size.count) + ", stream " + std::to_string(event.stream.value);
}

std::string text_of(const SnapshotBlock& block) {
  return name_of(block.address) + ", " + std::to_string(block.size.count) + ", requested " +
         std::to_string(block.requested.count) + ", " + std::string(block_state_name(block.state));
}

std::string text_of(const SnapshotSegment& segment) {
  return name_of(segment.address) + ", " + sizes_text(segment) + ", stream " +
         std::to_string(segment.stream.value) + ", " + std::string(pool_kind_name(segment.kind)) +
         ", pool " + name_of(segment.pool) + (segment.is_expandable ? ", expandable" : ", classic");
}

std::string text_of(const StatisticValue& value) {
  return "current " + std::to_string(value.current) + ", peak " + std::to_string(value.peak) +
         ", allocated " + std::to_string(value.allocated) + ", freed " +
         std::to_string(value.freed);
}

std::string text_of(const HostEvent& event) {
  return std::string(action_name(event.action)) + " " + name_of(event.address) + " " +
         std::to_string(event.size.count) + " pool " + name_of(event.pool) + " " +
         stack_number_text(event.stack);
}

std::string text_of(const HostBlockState& block) {
  return name_of(block.address) + " " + std::to_string(block.size.count) +
         (block.allocated ? " allocated"
          : block.active  ? " waiting"
                          : " free") +
         " pool " + name_of(block.pool) + " " + stack_number_text(block.stack);
}

std::optional<Difference> find_difference(const Snapshot& expected, const Snapshot& actual) {
  auto difference = first_difference(expected.segments, actual.segments);
  if (!difference) return std::nullopt;
  const auto [left, right] = std::ranges::mismatch(expected.segments, actual.segments);
  // The segments themselves say more than their first differing blocks, where they differ.
  if (left == expected.segments.end() || right == actual.segments.end() ||
      without_blocks(*left) != without_blocks(*right))
    return difference;
  auto in_blocks = first_difference(left->blocks, right->blocks);
  in_blocks->where = difference->where + ".blocks" + in_blocks->where;
  return in_blocks;
}

std::string segment_map(const Snapshot& snapshot, Address around) {
  if (snapshot.segments.empty()) return "  no segments\n";
  const std::size_t place = place_of(snapshot.segments, around);
  const Excerpt shown = around_place(place, segments_beside, snapshot.segments.size());
  std::string text;
  for (std::size_t i = shown.begin; i < shown.end; ++i) {
    const SnapshotSegment& segment = snapshot.segments[i];
    text += "  " + text_of(segment) + "\n";
    if (i == place) text += blocks_text(segment, around);
  }
  return text;
}

}  // namespace vramlab::replay
