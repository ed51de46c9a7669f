// Limit: a sentence such as `peak_reserved > +2%` that must not hold of two files that are
// compared. The names and units are those of metrics.h. A budget is a file of limits that a
// repository keeps (`.vramlab.json`), for all comparisons or for those of certain files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "replay/metrics/metrics.h"

namespace vramlab::replay {

enum class LimitSign : std::uint8_t { above, at_least, below, at_most };

/// The quantity that a limit bounds.
enum class LimitKind : std::uint8_t {
  /// The new value itself.
  value,
  /// The new value less the old one.
  change,
  /// The change as a share of the old value.
  relative_change,
};

struct Limit {
  /// The sentence as it was written.
  std::string text;
  const Metric* metric = nullptr;
  LimitSign sign = LimitSign::above;
  LimitKind kind = LimitKind::value;
  /// In the unit of the metric; of a relative change in millionths.
  std::int64_t value = 0;

  bool needs_base() const { return kind != LimitKind::value; }
};

/// Throws InputError: `where` says where the text is from, such as `--fail-if`.
Limit parse_limit(std::string_view text, const std::string& where);

/// Whether the limit's sentence holds, so that the limit is broken.
bool is_broken(const Limit& limit, std::int64_t base, std::int64_t now);

/// A limit and who asks for it.
struct AskedLimit {
  Limit limit;
  /// Such as `--fail-if`.
  std::string origin;
};

/// The limits of the budget at `path` that hold for a comparison with `new_file`. Throws
/// InputError.
std::vector<AskedLimit> limits_of_budget(const std::string& path, const std::string& new_file);

/// Whether a name matches a pattern, in which `*` stands for any letters but `/`, `**` for any
/// letters, and `?` for a single letter.
bool matches_pattern(std::string_view name, std::string_view pattern);

}  // namespace vramlab::replay
