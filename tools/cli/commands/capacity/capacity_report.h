// What `vramlab capacity` prints.
#pragma once

#include <string>
#include <vector>

#include "replay/settings_search/capacity.h"
#include "tools/cli/commands/pack/pack_report.h"
#include "tools/cli/kit/what_if_runs.h"

namespace vramlab::tools {

struct CapacityRow {
  replay::AskedSetting setting;
  replay::CapacityAnswer answer;
};

struct CapacityOutcome {
  /// Without a reference of a list of buffers, which has no rows either.
  AskedWhatIf about;
  std::vector<CapacityRow> rows;
  /// The live memory over time, packed; it is the same under every setting.
  PackOutcome packing;

  bool is_list() const { return about.reference.empty(); }
  /// The packing of the device that needs most; empty if nothing is packed.
  std::optional<Bytes> best_packing() const;
};

std::string capacity_text(const CapacityOutcome& outcome);
std::string capacity_json(const CapacityOutcome& outcome);
std::string capacity_csv(const CapacityOutcome& outcome);
std::string capacity_markdown(const CapacityOutcome& outcome);

}  // namespace vramlab::tools
