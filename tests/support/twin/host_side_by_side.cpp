#include "tests/support/twin/host_side_by_side.h"

#include "replay/conformance/case_run.h"

namespace vramlab::tests {
namespace {

using replay::HostCaseRun;

/// The name of what differs after a call; empty if nothing does.
std::string difference_of(const HostCaseRun& left, const HostCaseRun& right) {
  if (left.answers().results != right.answers().results) return "results";
  if (left.answers().uses != right.answers().uses) return "uses";
  if (left.answers().failures != right.answers().failures) return "failures";
  if (left.host().calls() != right.host().calls()) return "calls of the system";
  if (left.host().streams().event_count() != right.host().streams().event_count())
    return "events that are kept";
  if (left.subject().statistics() != right.subject().statistics()) return "statistics";
  if (left.subject().snapshot() != right.subject().snapshot()) return "snapshots";
  if (left.subject().history() != right.subject().history()) return "histories";
  if (const std::string broken = left.subject().find_broken_rule(); !broken.empty())
    return "a rule is broken: " + broken;
  return {};
}

}  // namespace

std::optional<std::string> first_host_difference(const traces::HostProgram& program,
                                                 const HostPairing& pairing) {
  HostCaseRun left(program, pairing.left);
  HostCaseRun right(program, pairing.right);
  for (std::size_t call = 0; call < program.calls.size(); ++call) {
    left.run_until(call + 1);
    right.run_until(call + 1);
    if (const std::string difference = difference_of(left, right); !difference.empty())
      return program.name + ", version " + std::string(program.version->name) + ", options \"" +
             program.config + "\", call " + std::to_string(call) + " (" +
             call_text(program.calls[call]) + "): " + difference;
  }
  return std::nullopt;
}

}  // namespace vramlab::tests
