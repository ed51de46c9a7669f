#include "traces/values/program_sink.h"

#include <utility>

#include "traces/files/input_error.h"

namespace vramlab::traces {

RefusedProgram::RefusedProgram(std::string file, std::string taker)
    : file_(std::move(file)), taker_(std::move(taker)) {}

void RefusedProgram::program_event(const ProgramEvent& event) {
  throw InputError({file_, "", "a recording without a program's own events, for " + taker_,
                    "the event '" + std::string(program_event_name(event.kind)) + "'"});
}

}  // namespace vramlab::traces
