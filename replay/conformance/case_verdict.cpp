#include "replay/conformance/case_verdict.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

#include "replay/conformance/reference_errors.h"
#include "traces/model/call_forms.h"

namespace vramlab::replay {
namespace {

using allocator::SettingsError;

/// Makes a fresh run, with `call_count` calls made.
using RunUntil = std::function<std::unique_ptr<CaseRun>(std::size_t call_count)>;

/// The call that caused a trace entry, found by running the program again up to different calls.
/// Empty if the entry was never made.
std::optional<std::int64_t> call_of_entry(const RunUntil& run_until, std::size_t call_count,
                                          std::size_t entry) {
  // The calls before `low` made too few entries; those from `high` on made enough.
  std::size_t low = 0;
  std::size_t high = call_count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (run_until(middle + 1)->history_size() > entry)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == call_count) return std::nullopt;
  return static_cast<std::int64_t>(low);
}

/// The difference to look at first: the earliest call's, otherwise the first one.
const Difference& earliest(const std::vector<Difference>& differences) {
  return *std::ranges::min_element(differences, {}, [](const Difference& difference) {
    return difference.call.value_or(std::numeric_limits<std::int64_t>::max());
  });
}

std::string text_of_call(const traces::RecordedProgram& program, std::size_t call) {
  const traces::ProgramEvent& made = program.calls.at(call);
  return call_text(made, program.text_of(made));
}
std::string text_of_call(const traces::HostProgram& program, std::size_t call) {
  return call_text(program.calls.at(call));
}

/// Fills in the first call that differs and the memory before it. `run_until` makes fresh runs.
template <class Program>
void explain(CaseVerdict& verdict, const Program& program, const RunUntil& run_until) {
  for (Difference& difference : verdict.differences)
    if (difference.trace_entry)
      difference.call = call_of_entry(run_until, program.calls.size(), *difference.trace_entry);
  const Difference& first = earliest(verdict.differences);
  const auto end = static_cast<std::int64_t>(program.calls.size());
  const auto moment =
      static_cast<std::size_t>(std::clamp<std::int64_t>(first.call.value_or(end), 0, end));
  verdict.first_call = first.call;
  if (first.call)
    verdict.call_text = *first.call < 0 ? "the start, with the options \"" + program.config + "\""
                                        : text_of_call(program, moment);
  verdict.segments = run_until(moment)->memory_text(first.address.value_or(Address{}));
}

/// `Run` and the setup are of the kind of the case: DeviceCaseRun or HostCaseRun.
template <class Run, class Case, class Setup>
CaseVerdict judge(const Case& recorded, const Setup& setup) {
  Run run(recorded.program, setup);
  run.run_until(recorded.program.calls.size());
  CaseVerdict verdict;
  verdict.name = recorded.program.name;
  verdict.differences = find_differences(recorded, run.finish());
  if (!verdict.passed())
    explain(verdict, recorded.program, [&](std::size_t call_count) {
      auto again = std::make_unique<Run>(recorded.program, setup);
      again->run_until(call_count);
      return again;
    });
  return verdict;
}

bool errors_agree(const std::optional<std::string>& expected,
                  const std::optional<SettingsError>& actual) {
  if (expected.has_value() != actual.has_value()) return false;
  if (!expected) return true;
  const auto understood = understand_settings_error(*expected);
  return understood && std::ranges::count(understood->kinds, actual->kind) > 0;
}

/// One process, which is given option strings one after another.
class OptionProcess {
 public:
  /// The difference of a step, if any.
  std::optional<Difference> step(const traces::OptionStep& step, const std::string& where) {
    const allocator::ParsedSettings parsed = parse_shared_settings(settings_, step.text, version_);
    settings_ = parsed.settings;
    const bool warns = parsed.cached_size_limits_rounding && !has_warned_;
    has_warned_ = has_warned_ || warns;
    if (!errors_agree(step.error, parsed.error))
      return Difference{where + ".error", step.error.value_or("none"),
                        parsed.error ? parsed.error->message : "none"};
    if (warns != step.warned)
      return Difference{where + ".warned", step.warned ? "true" : "false",
                        warns ? "true" : "false"};
    if (step.settings != settings_)
      return Difference{where + ".state", settings_text(step.settings), settings_text(settings_)};
    return std::nullopt;
  }

 private:
  static std::string settings_text(const Settings& settings) {
    std::string text =
        "segment " + std::to_string(settings.large_segment_size.count) + ", split " +
        std::to_string(settings.max_split_size.count) + ", non-split rounding " +
        std::to_string(settings.max_non_split_rounding.count) + ", pinned rounding " +
        std::to_string(settings.pinned_max_round_threshold.count) + ", pinned cached " +
        std::to_string(settings.pinned_max_cached_size.count) + ", collection " +
        std::to_string(settings.garbage_collection_threshold) + ", expandable " +
        std::to_string(settings.expandable_segments) + ", background " +
        std::to_string(settings.pinned_use_background_threads) + ", divisions";
    for (const std::uint32_t divisions : settings.roundup_divisions)
      text += " " + std::to_string(divisions);
    return text;
  }

  /// The version of the recordings.
  const ReferenceVersion& version_ = *allocator::find_reference_version("2.14");
  Settings settings_;
  bool has_warned_ = false;
};

}  // namespace

CaseVerdict judge_case(const traces::RecordedCase& recorded, const CaseSetup& setup) {
  return judge<DeviceCaseRun>(recorded, setup);
}

CaseVerdict judge_case(const traces::HostCase& recorded, const HostSubjectFactory& make_subject) {
  return judge<HostCaseRun>(recorded, make_subject);
}

CaseVerdict judge_case(const traces::OptionCase& recorded) {
  CaseVerdict verdict;
  verdict.name = recorded.name;
  for (std::size_t run = 0; run < recorded.runs.size(); ++run) {
    OptionProcess process;
    for (std::size_t i = 0; i < recorded.runs[run].size(); ++i) {
      const traces::OptionStep& step = recorded.runs[run][i];
      const std::string where = "[" + std::to_string(run) + "][" + std::to_string(i) + "]";
      if (auto difference = process.step(step, where)) {
        difference->where += " after \"" + step.text + "\"";
        verdict.differences.push_back(*std::move(difference));
        break;
      }
    }
  }
  return verdict;
}

CaseVerdict judge_case(const traces::AnyCase& recorded, CaseStreams streams) {
  if (const auto* const host = std::get_if<traces::HostCase>(&recorded))
    return judge_case(*host, make_host_engine_subject);
  if (const auto* const options = std::get_if<traces::OptionCase>(&recorded))
    return judge_case(*options);
  return judge_case(std::get<traces::RecordedCase>(recorded),
                    CaseSetup{make_engine_subject, streams});
}

std::string verdict_text(const CaseVerdict& verdict) {
  if (verdict.passed()) return verdict.name + ": passed\n";
  std::string text = verdict.name + ": failed";
  text += verdict.first_call ? " first at call " + std::to_string(*verdict.first_call) + ": " +
                                   verdict.call_text + "\n"
                             : " at the end\n";
  for (const Difference& difference : verdict.differences) {
    text += "  " + difference.where;
    if (difference.call) text += " (call " + std::to_string(*difference.call) + ")";
    text +=
        "\n    expected  " + difference.expected + "\n    actual    " + difference.actual + "\n";
  }
  return text + (verdict.first_call ? "segments before that call:\n" : "segments at the end:\n") +
         verdict.segments;
}

}  // namespace vramlab::replay
