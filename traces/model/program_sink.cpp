#include "traces/model/program_sink.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "traces/io/input_error.h"

namespace vramlab::traces {

RefusedProgram::RefusedProgram(std::string file, std::string taker)
    : file_(std::move(file)), taker_(std::move(taker)) {}

void RefusedProgram::program_event(const ProgramEvent& event) {
  throw InputError({file_, "", "a recording without a program's own events, for " + taker_,
                    "the event '" + std::string(program_event_name(event.kind)) + "'"});
}

std::uint64_t ProgramSummary::event_count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void ProgramCounter::program_event(const ProgramEvent& event) {
  ++summary_.counts[static_cast<std::size_t>(event.kind)];
  if (event.kind == ProgramEventKind::malloc) summary_.requested += event.bytes;
  if (!event.time_ns) return;
  if (!summary_.times) summary_.times = ProgramTimes{*event.time_ns, *event.time_ns};
  summary_.times->first_ns = std::min(summary_.times->first_ns, *event.time_ns);
  summary_.times->last_ns = std::max(summary_.times->last_ns, *event.time_ns);
}

}  // namespace vramlab::traces
