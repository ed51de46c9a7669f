// Comparison: what changed from one file to another, and which limits that breaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/compare/compared_file.h"
#include "replay/compare/limit.h"

namespace vramlab::replay {

struct MetricChange {
  const Metric* metric = nullptr;
  // Empty if a file does not say it.
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
  /// All that either file knows, in the order of the table.
  std::vector<MetricChange> metrics;
  /// What both say of groups: those that changed, the largest changes first.
  bool has_groups = false;
  std::vector<GroupChange> groups;
  std::vector<JudgedLimit> limits;
  /// Empty unless both are recordings with a history.
  std::optional<EventOrder> events;

  bool is_same() const;
  bool breaks_limits() const;
};

struct AskedLimit {
  Limit limit;
  std::string origin;
};

/// Throws InputError where a limit needs what a file does not say.
Comparison compare(ComparedFile base, ComparedFile now, const std::vector<AskedLimit>& limits);

}  // namespace vramlab::replay
