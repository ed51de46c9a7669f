// SweepOutcome: the result of `vramlab sweep`, or of a shard of one, to be printed, written, read
// and joined. `vramlab advise` prints rows of the same kind.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/settings_search/sweep.h"
#include "tools/cli/kit/what_if_runs.h"

namespace vramlab::tools {

/// One part of a grid that is spread over many machines: each setting is in one of them.
struct Shard {
  /// From 1 on.
  std::uint64_t index = 1;
  std::uint64_t count = 1;
  bool has(std::size_t setting) const { return setting % count == index - 1; }
  /// The number of settings in this shard.
  std::uint64_t share_of(std::uint64_t settings) const {
    return settings / count + (settings % count >= index ? 1 : 0);
  }
  friend bool operator==(const Shard&, const Shard&) = default;
};

struct SweepOutcome {
  AskedWhatIf about;
  /// The size of the whole grid.
  std::uint64_t setting_count = 0;
  std::optional<Shard> shard;
  /// Best first.
  std::vector<replay::SweepRow> rows;

  /// Shards of one sweep have the same.
  bool is_of_same_sweep(const SweepOutcome& other) const {
    return about.files == other.about.files && about.reference == other.about.reference &&
           about.conditions == other.about.conditions && setting_count == other.setting_count;
  }
};

std::string sweep_json(const SweepOutcome& outcome);
/// Prints in a format: text, json, csv or markdown. A limit of 0 shows all rows.
std::string sweep_printed(const SweepOutcome& outcome, const std::string& format,
                          std::size_t row_limit);

/// Reads what sweep_json() wrote. Throws InputError.
SweepOutcome read_sweep(const std::string& path);

/// The options, or the text for none.
std::string conf_text(const replay::SweepRow& row);
/// The place where it ran out of memory, or why it was refused; else empty.
std::string remark_text(const replay::SweepRow& row);

nlohmann::ordered_json sweep_row_json(const replay::SweepRow& row);

}  // namespace vramlab::tools
