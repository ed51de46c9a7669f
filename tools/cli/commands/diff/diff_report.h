// What `vramlab diff` prints: for people, for programs, for a pull request's comments, for CI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "replay/compare/comparison.h"

namespace vramlab::tools {

struct DiffOutcome {
  replay::Comparison comparison;
  /// Such as `the peak`: when groups are compared.
  std::string moment;
  /// What the groups are, such as `call site`.
  std::string grouped_by;
  /// Groups to show; 0 for all.
  std::uint64_t limit = 0;
};

// Each with a line break at its end.
std::string diff_text(const DiffOutcome& outcome);
std::string diff_json(const DiffOutcome& outcome);
std::string diff_markdown(const DiffOutcome& outcome);
/// One test case for each limit.
std::string diff_junit(const DiffOutcome& outcome);

/// Such as `15.56 GiB`, `173` or `12.5 %`.
std::string value_text(const replay::Metric& metric, std::int64_t value);
/// `-` where it is not known.
std::string value_text(const replay::Metric& metric, const std::optional<std::int64_t>& value);
/// Such as `+1.20 GiB (+7.7 %)`; of ratios in points, `+2.1 points`.
std::string change_text(const replay::MetricChange& change);
std::string change_text(const replay::GroupChange& change);
std::string fate_text(replay::GroupFate fate);

/// Whether the limit is about a change of what each file tells.
bool looks_at_base(const replay::JudgedLimit& limit);
/// Such as `peak_reserved > +2%: 15.56 GiB before, 16.20 GiB now, +0.64 GiB (+4.1 %)`.
std::string limit_text(const replay::JudgedLimit& limit);
/// The groups that grew most, for whoever must find out why; empty where none did.
std::string culprits_text(const replay::Comparison& comparison);

}  // namespace vramlab::tools
