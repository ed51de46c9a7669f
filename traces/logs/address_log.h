// AddressLog: a log that names memory by its address, held as a whole, 48 bytes an event: where it
// must be sorted by time, or can be read only once.
#pragma once

#include <vector>

#include "traces/logs/address_program.h"

namespace vramlab::traces {

class AddressLog {
 public:
  void add(const AddressEvent& event) { events_.push_back(event); }

  /// Hands the program on. Events of the same time stay in the order of the log, and all do where
  /// one has no time.
  LogFacts give_to(ProgramSink& sink, SnapshotTables& tables);

 private:
  std::vector<AddressEvent> events_;
};

}  // namespace vramlab::traces
