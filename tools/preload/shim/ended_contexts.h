// EndedContexts: the reports of contexts that ended before the program did. Their memory went with
// them, so each device has one report without memory in use: what was allocated, the highest peak
// of any context, and the newest entries of all histories.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/preload/shim/reports.h"

namespace vramlab::shim {

class EndedContexts {
 public:
  /// More entries are not kept of a device's history.
  explicit EndedContexts(std::size_t history_entries) : history_entries_(history_entries) {}

  /// The report of the context as it was when it was about to end.
  void add(ArenaReport report);
  const std::vector<ArenaReport>& reports() const { return reports_; }

 private:
  std::size_t history_entries_;
  /// One for each device.
  std::vector<ArenaReport> reports_;
};

}  // namespace vramlab::shim
