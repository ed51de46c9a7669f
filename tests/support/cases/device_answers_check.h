// The answers of an executor of stream programs beside the simulator's words: what is wrong with
// them, whatever time anything took. A pure function, so that it is tested without a GPU.
//
// * Every error has the simulator's name, where that can't depend on time.
// * What must come before a run of work had ended when that began
// (streams/happens_before/program_order.h).
// * A query that says complete, or a wait that is over: what it is about has ended. A query does
//   not say pending of what the host was told to have ended.
// * The time between two events agrees with the stamps of the work before and behind them.
// * What was to run did run, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "tests/support/cases/device_answers.h"

namespace vramlab::tests {

/// Sentences, none where all holds. After an error with another name nothing more is compared.
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
