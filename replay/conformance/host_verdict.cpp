#include "replay/conformance/host_verdict.h"

#include <algorithm>

#include "replay/conformance/host_differences.h"
#include "replay/conformance/reference_errors.h"
#include "replay/replayer/host_program_runner.h"

namespace vramlab::replay {
namespace {

using namespace allocator;

std::string text_of_host_call(const traces::HostProgram& program, std::int64_t call) {
  if (call < 0) return "the start, with the options \"" + program.config + "\"";
  return call_text(program.calls.at(static_cast<std::size_t>(call)));
}

std::string blocks_before(const traces::HostProgram& program, const HostSubjectFactory& make,
                          std::optional<std::int64_t> call) {
  const auto end = static_cast<std::int64_t>(program.calls.size());
  HostProgramRunner run(program, make);
  run.run_until(static_cast<std::size_t>(std::clamp<std::int64_t>(call.value_or(end), 0, end)));
  std::string text;
  for (const HostBlockState& block : run.subject().snapshot())
    text += "  " + host_block_text(block) + "\n";
  return text;
}

bool errors_agree(const std::optional<std::string>& expected,
                  const std::optional<SettingsError>& actual) {
  if (expected.has_value() != actual.has_value()) return false;
  if (!expected) return true;
  const auto understood = understand_settings_error(*expected);
  return understood && std::ranges::count(understood->kinds, actual->kind) > 0;
}

/// One process: strings one after another.
class OptionProcess {
 public:
  /// What differs, or nothing.
  std::optional<Difference> step(const traces::OptionStep& step, const std::string& where) {
    const ParsedSettings parsed = parse_shared_settings(settings_, step.text, version_);
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

  /// The version that the recordings are of.
  const ReferenceVersion& version_ = *find_reference_version("2.14");
  Settings settings_;
  bool has_warned_ = false;
};

}  // namespace

CaseVerdict judge_host_case(const traces::HostCase& recorded,
                            const HostSubjectFactory& make_subject) {
  const traces::HostProgram& program = recorded.program;
  HostProgramRunner run(program, make_subject);
  run.run_until(program.calls.size());
  CaseVerdict verdict;
  verdict.name = program.name;
  verdict.differences = find_host_differences(recorded, run.finish());
  if (verdict.passed()) return verdict;
  for (const Difference& difference : verdict.differences)
    if (difference.call && (!verdict.first_call || *difference.call < *verdict.first_call))
      verdict.first_call = difference.call;
  if (verdict.first_call) verdict.call_text = text_of_host_call(program, *verdict.first_call);
  verdict.segments = blocks_before(program, make_subject, verdict.first_call);
  return verdict;
}

CaseVerdict judge_option_case(const traces::OptionCase& recorded) {
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

CaseVerdict judge_any_case(const traces::AnyCase& recorded, CaseStreams streams) {
  if (const auto* const host = std::get_if<traces::HostCase>(&recorded))
    return judge_host_case(*host, make_host_engine_subject);
  if (const auto* const options = std::get_if<traces::OptionCase>(&recorded))
    return judge_option_case(*options);
  return judge_case(std::get<traces::RecordedCase>(recorded), {make_engine_subject, streams});
}

}  // namespace vramlab::replay
