// SweepOutcome: what came of `vramlab sweep`, or of a part of one, to be printed, written and
// joined.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/whatif/sweep_row.h"

namespace vramlab::tools {

/// One part of a grid that is spread over many machines: each setting is in one of them.
struct Shard {
  /// From 1 on.
  std::uint64_t index = 1;
  std::uint64_t count = 1;
  bool has(std::size_t setting) const { return setting % count == index - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

struct SweepOutcome {
  std::vector<std::string> files;
  std::string reference;
  /// Such as `--device-memory 40GiB`, in words of the command line; empty for none.
  std::string conditions;
  /// The size of the whole grid.
  std::uint64_t setting_count = 0;
  std::optional<Shard> shard;
  std::vector<std::string> notes;
  /// Best first.
  std::vector<replay::SweepRow> rows;

  /// Shards of one sweep have the same.
  bool is_of_same_sweep(const SweepOutcome& other) const {
    return files == other.files && reference == other.reference && conditions == other.conditions &&
           setting_count == other.setting_count;
  }
};

std::string sweep_text(const SweepOutcome& outcome, std::size_t row_limit);
std::string sweep_json(const SweepOutcome& outcome);
std::string sweep_csv(const SweepOutcome& outcome);
std::string sweep_markdown(const SweepOutcome& outcome);
/// By the name of a format: text, json, csv, markdown. All rows where the limit is 0.
std::string sweep_printed(const SweepOutcome& outcome, const std::string& format,
                          std::size_t row_limit);

/// Reads what sweep_json() wrote. Throws InputError.
SweepOutcome read_sweep(const std::string& path);

/// The options, or what stands for none of them.
std::string conf_text(const replay::SweepRow& row);
/// The place where it ran out of memory, or why it was refused; else empty.
std::string remark_text(const replay::SweepRow& row);

nlohmann::ordered_json sweep_row_json(const replay::SweepRow& row);

}  // namespace vramlab::tools
