// The faults of an executor's answers to stream programs, beside the simulator's words and whatever
// time anything took. A pure function, so that it is tested without a GPU.
//
// * Every error has the simulator's name, where that can't depend on time.
// * Work that must come before a run of work had ended when that run began
//   (streams/happens_before/program_order.h).
// * When a query says complete, or a wait is over, the work in question has ended. A query does not
//   say pending about work that the host was told to have ended.
// * The time between two events agrees with the stamps of the work before and behind them.
// * The work that was to run did run, and no other.
#pragma once

#include <string>
#include <vector>

#include "tests/support/cases/device_answers.h"

namespace vramlab::tests {

/// Sentences about faults; none where all rules hold. After an error with another name nothing more
/// is compared.
std::vector<std::string> broken_stream_rules(const StreamProgram& program,
                                             const DeviceAnswers& answers);

/// The first call whose error is another, where that can't depend on time.
struct OtherError {
  std::size_t call = 0;
  std::string expected;
  std::string found;
};
std::optional<OtherError> first_other_error(const StreamProgram& program,
                                            const DeviceAnswers& answers);

}  // namespace vramlab::tests
