// Runs a recorded case's program on a real device, and simulated with the places that the real
// device gave, and finds differences in the answers.
#pragma once

#include <string>
#include <vector>

#include "replay/replayer/replay_device.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {

/// Sentences, the first difference of each part; empty where all answers are the same.
std::vector<std::string> live_differences(const traces::RecordedProgram& program,
                                          const replay::MakeDevice& make_live);

}  // namespace vramlab::tests
