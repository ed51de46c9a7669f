// What `vramlab capacity` prints.
#pragma once

#include <string>
#include <vector>

#include "replay/whatif/capacity.h"
#include "tools/commands/pack/pack_report.h"

namespace vramlab::tools {

struct CapacityRow {
  std::string conf;
  /// The options as the file says them, rather than `conf`.
  bool is_recorded = false;
  replay::CapacityAnswer answer;
};

struct CapacityOutcome {
  std::string file;
  /// Empty of a list of buffers, which has no rows either.
  std::string reference;
  std::string conditions;
  std::vector<std::string> notes;
  std::vector<CapacityRow> rows;
  /// The live memory over time, packed; it is the same under every setting.
  PackOutcome packing;

  bool is_list() const { return reference.empty(); }
  /// The packing of the device that needs most; empty if nothing is packed.
  std::optional<allocator::Bytes> best_packing() const;
};

std::string capacity_text(const CapacityOutcome& outcome);
std::string capacity_json(const CapacityOutcome& outcome);
std::string capacity_csv(const CapacityOutcome& outcome);
std::string capacity_markdown(const CapacityOutcome& outcome);

}  // namespace vramlab::tools
