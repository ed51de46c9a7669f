#include "replay/conformance/case_differences.h"

#include <array>

#include "allocator/checks/out_of_memory.h"
#include "replay/conformance/difference_parts.h"
#include "replay/conformance/reference_errors.h"
#include "replay/conformance/snapshot_differences.h"
#include "traces/model/statistic_names.h"

namespace vramlab::replay {

std::optional<std::int64_t> nth_call(const traces::RecordedProgram& program,
                                     traces::ProgramEventKind kind, std::size_t n) {
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    if (program.calls[i].kind == kind && n-- == 0) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

namespace {

/// A case whose calls cannot all be made differs from its recording, whatever was answered before.
std::optional<Difference> end_difference(const ComparedCase& compared) {
  const std::optional<RunStop>& stop = compared.actual.stop;
  if (!stop) return std::nullopt;
  return Difference{.where = place_in("ops", stop->call),
                    .expected = "a call that can be made",
                    .actual = stop->reason,
                    .call = static_cast<std::int64_t>(stop->call)};
}

using replay::text_of;
std::string text_of(std::int64_t count) { return std::to_string(count); }
std::string text_of(std::uint64_t count) { return std::to_string(count); }

template <typename Value>
std::optional<Difference> difference_of(const std::string& where, const Value& expected,
                                        const Value& actual) {
  if (expected == actual) return std::nullopt;
  return Difference{.where = where, .expected = text_of(expected), .actual = text_of(actual)};
}

std::optional<Difference> statistics_difference(const ComparedCase& compared) {
  const StatisticValues& left = compared.recorded.expected.final_statistics;
  const StatisticValues& right = compared.actual.final_statistics;
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
  if (!compared.recorded.expected.has_oom_rejections) return std::nullopt;
  return difference_of(where(traces::oom_rejections_name), left.num_oom_rejections,
                       right.num_oom_rejections);
}

std::optional<Difference> device_calls_difference(const ComparedCase& compared) {
  struct Count {
    const char* name;
    std::uint64_t expected;
    std::uint64_t actual;
  };
  const traces::RecordedDeviceCalls& left = compared.recorded.expected.device_calls;
  const streams::DeviceCallCounts& right = compared.actual.device_calls;
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

using traces::RecordedFailure;

std::string figures_text(std::string_view message) {
  std::string text;
  for (const std::string& figure : figures_of_message(message))
    text += (text.empty() ? "" : ", ") + figure;
  return text.empty() ? "a message without figures" : text;
}

/// The call of the first request that failed for want of memory.
std::optional<std::int64_t> first_failed_call(const ComparedCase& compared) {
  const auto& results = compared.actual.answers.results;
  for (std::size_t n = 0; n < results.size(); ++n)
    if (results[n].outcome == MallocOutcome::out_of_memory ||
        results[n].outcome == MallocOutcome::rejected)
      return nth_call(compared.recorded.program, traces::ProgramEventKind::malloc, n);
  return std::nullopt;
}

bool same_settings_error(const RecordedFailure& expected, const ConfigFailure& actual) {
  const auto understood = understand_settings_error(expected.text);
  return understood && expected.call == actual.call &&
         std::ranges::find(understood->kinds, actual.error.kind) != understood->kinds.end() &&
         (understood->option.empty() || understood->option == actual.error.option);
}

bool same_malloc_error(const RecordedFailure& expected, const MallocFailure& actual) {
  return expected.call == actual.call && understand_malloc_error(expected.text) == actual.outcome;
}

std::string failure_text(std::int64_t call, const std::string& text) {
  return "call " + std::to_string(call) + ": " + text;
}

std::string recorded_text(const RecordedFailure& failure) {
  return failure_text(failure.call, failure.text);
}

std::string config_failure_text(const ConfigFailure& failure) {
  return failure_text(failure.call, std::string(settings_error_kind_name(failure.error.kind)) +
                                        " '" + failure.error.option +
                                        "': " + failure.error.message);
}

std::string malloc_failure_text(const MallocFailure& failure) {
  return failure_text(failure.call, "the scope of a pool that lends its memory is open already");
}

/// The call of a failure that only one side has, or of the earlier one of two.
template <typename Failure>
std::optional<std::int64_t> earlier_call(const std::vector<RecordedFailure>& expected,
                                         const std::vector<Failure>& actual, std::size_t at) {
  if (at >= expected.size()) return actual[at].call;
  if (at >= actual.size()) return expected[at].call;
  return std::min(expected[at].call, actual[at].call);
}

std::optional<Difference> message_difference(const ComparedCase& compared) {
  const auto& failure = compared.actual.answers.first_out_of_memory;
  const auto& expected = compared.recorded.expected.first_oom_message;
  if (!expected && !failure) return std::nullopt;
  const std::string message = failure ? out_of_memory_message(*failure) : "";
  if (expected && failure && figures_of_message(*expected) == figures_of_message(message))
    return std::nullopt;
  return Difference{.where = "first_oom_message",
                    .expected = expected ? figures_text(*expected) : no_value,
                    .actual = failure ? figures_text(message) : no_value,
                    .call = first_failed_call(compared)};
}

/// The first failure that one side has and the other has not, or has otherwise.
template <typename Failure, typename Same, typename TextOf>
std::optional<Difference> failures_difference(const char* name,
                                              const std::vector<RecordedFailure>& expected,
                                              const std::vector<Failure>& actual, Same same,
                                              TextOf actual_text) {
  const auto at = first_mismatch(expected, actual, same);
  if (!at) return std::nullopt;
  return Difference{.where = place_in(name, *at),
                    .expected = text_at(expected, *at, recorded_text),
                    .actual = text_at(actual, *at, actual_text),
                    .call = earlier_call(expected, actual, *at)};
}

std::optional<Difference> config_failures_difference(const ComparedCase& compared) {
  return failures_difference("config_errors", compared.recorded.expected.config_failures,
                             compared.actual.answers.config_failures, same_settings_error,
                             config_failure_text);
}

std::optional<Difference> malloc_failures_difference(const ComparedCase& compared) {
  return failures_difference("malloc_errors", compared.recorded.expected.malloc_failures,
                             compared.actual.answers.malloc_failures, same_malloc_error,
                             malloc_failure_text);
}

constexpr auto parts = {
    end_difference,
    results_difference,
    trace_difference,
    trace_pools_difference,
    snapshots_difference,
    restores_difference,
    final_snapshot_difference,
    statistics_difference,
    device_calls_difference,
    message_difference,
    config_failures_difference,
    malloc_failures_difference,
};

}  // namespace

std::vector<Difference> find_differences(const traces::RecordedCase& recorded,
                                         const CaseAnswers& actual) {
  std::vector<Difference> differences;
  for (const auto part : parts)
    if (auto difference = part({recorded, actual})) differences.push_back(*std::move(difference));
  return differences;
}

}  // namespace vramlab::replay
