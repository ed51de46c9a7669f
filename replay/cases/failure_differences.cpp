#include "allocator/readonly/out_of_memory.h"
#include "replay/cases/difference_parts.h"
#include "replay/cases/reference_errors.h"

namespace vramlab::replay {
namespace {

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

}  // namespace

std::optional<Difference> message_difference(const ComparedCase& compared) {
  const auto& failure = compared.actual.answers.first_out_of_memory;
  const auto& expected = compared.recorded.expected.first_oom_message;
  if (!expected && !failure) return std::nullopt;
  const std::string message = failure ? out_of_memory_message(*failure) : "";
  if (expected && failure && figures_of_message(*expected) == figures_of_message(message))
    return std::nullopt;
  Difference difference;
  difference.where = "first_oom_message";
  difference.expected = expected ? figures_text(*expected) : no_value;
  difference.actual = failure ? figures_text(message) : no_value;
  difference.call = first_failed_call(compared);
  return difference;
}

std::optional<Difference> config_failures_difference(const ComparedCase& compared) {
  const auto& expected = compared.recorded.expected.config_failures;
  const auto& actual = compared.actual.answers.config_failures;
  const auto at = first_mismatch(expected, actual, same_settings_error);
  if (!at) return std::nullopt;
  Difference difference;
  difference.where = place_in("config_errors", *at);
  difference.expected = text_at(expected, *at, recorded_text);
  difference.actual = text_at(actual, *at, config_failure_text);
  difference.call = earlier_call(expected, actual, *at);
  return difference;
}

std::optional<Difference> malloc_failures_difference(const ComparedCase& compared) {
  const auto& expected = compared.recorded.expected.malloc_failures;
  const auto& actual = compared.actual.answers.malloc_failures;
  const auto at = first_mismatch(expected, actual, same_malloc_error);
  if (!at) return std::nullopt;
  Difference difference;
  difference.where = place_in("malloc_errors", *at);
  difference.expected = text_at(expected, *at, recorded_text);
  difference.actual = text_at(actual, *at, malloc_failure_text);
  difference.call = earlier_call(expected, actual, *at);
  return difference;
}

}  // namespace vramlab::replay
