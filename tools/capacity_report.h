// What `vramlab capacity` prints.
#pragma once

#include <string>
#include <vector>

#include "replay/capacity.h"

namespace vramlab::tools {

struct CapacityRow {
  std::string conf;
  /// The options as the file says them, rather than `conf`.
  bool is_recorded = false;
  replay::CapacityAnswer answer;
};

struct CapacityOutcome {
  std::string file;
  std::string reference;
  std::string conditions;
  std::vector<std::string> notes;
  std::vector<CapacityRow> rows;
};

std::string capacity_text(const CapacityOutcome& outcome);
std::string capacity_json(const CapacityOutcome& outcome);
std::string capacity_csv(const CapacityOutcome& outcome);
std::string capacity_markdown(const CapacityOutcome& outcome);

}  // namespace vramlab::tools
