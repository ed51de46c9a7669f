#include "traces/logs/address_log.h"

#include <algorithm>

namespace vramlab::traces {
namespace {

bool has_time(const AddressEvent& event) { return event.time_ns.has_value(); }
bool is_earlier(const AddressEvent& a, const AddressEvent& b) { return a.time_ns < b.time_ns; }

}  // namespace

LogFacts AddressLog::give_to(ProgramSink& sink, SnapshotTables& tables) {
  const bool is_sorted = !std::ranges::all_of(events_, has_time) ||
                         std::is_sorted(events_.begin(), events_.end(), is_earlier);
  if (!is_sorted) std::stable_sort(events_.begin(), events_.end(), is_earlier);
  FirstFrees first_frees;
  for (const AddressEvent& event : events_) first_frees.look_at(event);
  AddressProgram program(first_frees, sink, tables);
  for (const AddressEvent& event : events_) program.add(event);
  LogFacts facts = program.facts();
  facts.was_sorted = !is_sorted;
  return facts;
}

}  // namespace vramlab::traces
