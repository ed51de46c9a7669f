// Comparison: the changes from one file to another, and which limits they break. compare() makes
// it. Groups whose texts differ only by where the program or PyTorch lay are one (same_groups).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/call_sites/call_sites.h"
#include "replay/compare/compared_file.h"
#include "replay/compare/limit.h"

namespace vramlab::replay {

struct MetricChange {
  const Metric* metric = nullptr;
  /// Empty if the file does not say it, as `now`.
  std::optional<std::int64_t> base;
  std::optional<std::int64_t> now;

  bool is_same() const { return base == now; }
};

enum class GroupFate : std::uint8_t { grown, shrunk, appeared, gone };

struct GroupChange {
  std::string key;
  GroupTotals base;
  GroupTotals now;

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(now.bytes.count - base.bytes.count);
  }
  GroupFate fate() const;
};

struct JudgedLimit {
  Limit limit;
  /// Such as `--fail-if`.
  std::string origin;
  std::int64_t base = 0;
  std::int64_t now = 0;
  bool is_broken = false;
};

struct Comparison {
  ComparedFile base;
  ComparedFile now;
  /// The metrics that either file knows, in the order of the table.
  std::vector<MetricChange> metrics;
  /// Both files say who held memory.
  bool has_groups = false;
  /// The groups that changed, the largest changes first.
  std::vector<GroupChange> groups;
  /// The same of kinds by module; empty unless both files say kinds.
  std::optional<std::vector<GroupChange>> modules;
  std::vector<JudgedLimit> limits;
  /// Empty unless both are recordings with a history.
  std::optional<EventOrder> events;

  bool is_same() const;
  bool breaks_limits() const;
};

/// Throws InputError where a limit needs what a file does not say.
Comparison compare(ComparedFile base, ComparedFile now, const std::vector<AskedLimit>& limits);

/// The name that a group goes by in both files, by its key. Groups that are not here keep theirs.
struct GroupNames {
  std::map<std::string, std::string> base;
  std::map<std::string, std::string> now;
};

/// Finds the groups of two files that are one although their texts differ: the same program lay in
/// another folder, or one run had PyTorch's libraries without their symbols. A call site in a
/// source file of the same name in another folder is the same one if nothing else in either file
/// could be meant. A stack of C++ is the same one if it differs only by frames that the other file
/// could not name.
GroupNames same_groups(const std::vector<HeldGroup>& base, const std::vector<HeldGroup>& now);

}  // namespace vramlab::replay
