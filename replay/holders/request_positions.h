// RequestPositions: where in a program's iterations its requests stand. A program that does the
// same again asks for the same at the same positions, whatever its addresses and call sites are.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "replay/holders/read_memory_events.h"

namespace vramlab::replay {

/// A device and an event of it.
using RequestName = std::pair<std::int64_t, std::uint64_t>;

struct RequestPosition {
  /// Before the first iteration ended, positions count from the beginning of the file.
  bool is_in_first = true;
  /// From 0 on.
  std::uint64_t number = 0;
};

class RequestPositions : public MemoryEventSink {
 public:
  /// Of these requests. All must outlive it.
  RequestPositions(const std::set<RequestName>& requests, const IterationRule& rule,
                   const traces::SnapshotTables& tables)
      : requests_(requests), ends_(rule, tables) {}

  void memory_event(const MemoryEvent& event) override;
  const std::map<RequestName, RequestPosition>& found() const { return found_; }

 private:
  const std::set<RequestName>& requests_;
  IterationEnds ends_;
  /// By device: where its next request stands.
  std::map<std::int64_t, RequestPosition> next_;
  std::map<RequestName, RequestPosition> found_;
};

/// Such as `request 12 of an iteration`.
std::string position_text(const RequestPosition& position);

}  // namespace vramlab::replay
