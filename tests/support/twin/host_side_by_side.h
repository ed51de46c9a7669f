// Runs a program for pinned memory on the engine and on its twin, each on a simulated host of its
// own. The answer is the first difference, as text.
#pragma once

#include <optional>
#include <string>

#include "tests/support/twin/host_twin.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

struct HostPairing {
  replay::HostSubjectFactory left = replay::make_host_engine_subject;
  replay::HostSubjectFactory right = make_host_twin;
};

/// Empty if both agree on everything after every call, and the left one breaks no rule.
std::optional<std::string> first_host_difference(const traces::HostProgram& program,
                                                 const HostPairing& pairing = {});

}  // namespace vramlab::tests
