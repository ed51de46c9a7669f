#include "tests/support/fuzz/recorded_case_fuzz_body.h"

#include "replay/conformance/case_run.h"
#include "replay/conformance/case_verdict.h"
#include "traces/io/input_error.h"

namespace vramlab::support {

std::optional<std::string> broken_rule_of_recorded_case(const std::string& bytes) {
  traces::AnyCase recorded;
  try {
    recorded = traces::parse_any_case(bytes, "input");
  } catch (const traces::InputError&) {
    return std::nullopt;
  }
  if (const auto* const options = std::get_if<traces::OptionCase>(&recorded)) {
    (void)replay::judge_case(*options);
    return std::nullopt;
  }
  const auto* const host = std::get_if<traces::HostCase>(&recorded);
  if (host == nullptr) return std::nullopt;
  replay::HostCaseRun run(host->program, replay::make_host_engine_subject);
  for (std::size_t call = 0; call < host->program.calls.size(); ++call) {
    run.run_until(call + 1);
    if (std::string broken = run.subject().find_broken_rule(); !broken.empty()) return broken;
  }
  (void)replay::judge_case(*host, replay::make_host_engine_subject);
  return std::nullopt;
}

}  // namespace vramlab::support
