#include "replay/compare/comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

std::optional<std::int64_t> value_in(const MetricValues& values, std::string_view name) {
  const MetricValue* found = find_value(values, name);
  if (found == nullptr) return std::nullopt;
  return found->value;
}

std::vector<GroupChange> changes_of(const std::vector<HeldGroup>& base,
                                    const std::vector<HeldGroup>& now) {
  const GroupNames names = same_groups(base, now);
  const auto name_of = [](const HeldGroup& group, const std::map<std::string, std::string>& named) {
    const auto found = named.find(group.key);
    return found == named.end() ? group.key : found->second;
  };
  std::map<std::string, GroupChange> by_key;
  for (const HeldGroup& group : base) by_key[name_of(group, names.base)].base.add(group.totals);
  for (const HeldGroup& group : now) by_key[name_of(group, names.now)].now.add(group.totals);
  std::vector<GroupChange> changes;
  for (auto& [key, change] : by_key) {
    change.key = key;
    if (change.base != change.now) changes.push_back(change);
  }
  std::ranges::stable_sort(changes, [](const GroupChange& a, const GroupChange& b) {
    return std::abs(a.bytes()) > std::abs(b.bytes());
  });
  return changes;
}

/// Metrics that only two files together have.
MetricValues metrics_of(const std::vector<GroupChange>& groups) {
  std::int64_t growth = 0;
  std::int64_t appeared = 0;
  std::int64_t gone = 0;
  for (const GroupChange& group : groups) {
    growth = std::max(growth, group.bytes());
    appeared += group.fate() == GroupFate::appeared ? 1 : 0;
    gone += group.fate() == GroupFate::gone ? 1 : 0;
  }
  return {{"group_growth", growth}, {"new_groups", appeared}, {"gone_groups", gone}};
}

std::vector<MetricChange> metric_changes(const ComparedFile& base, const ComparedFile& now) {
  std::vector<MetricChange> changes;
  for (const Metric& metric : all_metrics()) {
    const MetricChange change{&metric, value_in(base.metrics, metric.name),
                              value_in(now.metrics, metric.name)};
    if (change.base || change.now) changes.push_back(change);
  }
  return changes;
}

/// A check that can't be made must not pass.
[[noreturn]] void refuse_unknown(const AskedLimit& asked, const std::string& file) {
  throw traces::InputError({asked.origin + " '" + asked.limit.text + "'", "",
                            "a metric that both files have",
                            file + " without " + std::string(asked.limit.metric->name)});
}

JudgedLimit judge(const AskedLimit& asked, const Comparison& comparison,
                  const MetricValues& of_both) {
  const std::string_view name = asked.limit.metric->name;
  JudgedLimit judged{asked.limit, asked.origin};
  if (asked.limit.metric->of == MetricOf::comparison) {
    if (!comparison.has_groups)
      refuse_unknown(asked,
                     comparison.base.has_groups ? comparison.now.name : comparison.base.name);
    judged.now = value_in(of_both, name).value_or(0);
  } else {
    const auto base = value_in(comparison.base.metrics, name);
    const auto now = value_in(comparison.now.metrics, name);
    if (!now) refuse_unknown(asked, comparison.now.name);
    if (!base && asked.limit.needs_base()) refuse_unknown(asked, comparison.base.name);
    judged.base = base.value_or(0);
    judged.now = *now;
  }
  judged.is_broken = is_broken(judged.limit, judged.base, judged.now);
  return judged;
}

using Groups = std::vector<HeldGroup>;
using Frames = std::vector<std::string_view>;

constexpr std::string_view between_frames = " < ";
constexpr std::string_view nameless = "??";

Frames frames_in(std::string_view key) {
  Frames frames;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find(between_frames, begin), key.size());
    frames.push_back(key.substr(begin, end - begin));
    begin = end + between_frames.size();
  }
  return frames;
}

bool is_python(std::string_view frame) { return frame.find(".py:") != std::string_view::npos; }

/// `project/train.py:12 step` becomes `train.py:12 step`. Names of functions have no folders.
std::string_view without_folder(std::string_view frame) {
  if (!is_python(frame)) return frame;
  const std::size_t slash = frame.substr(0, frame.find(".py:")).rfind('/');
  return slash == std::string_view::npos ? frame : frame.substr(slash + 1);
}

std::string without_folders(const std::string& key) {
  std::string text;
  for (const std::string_view frame : frames_in(key)) {
    if (!text.empty()) text += between_frames;
    text += without_folder(frame);
  }
  return text;
}

/// The function of a frame, such as `at::empty` of `Functions.cpp:12 at::empty [clone .cold]`. The
/// source file is left out, as a library without symbols does not say it either.
std::string_view function_of(std::string_view frame) {
  constexpr std::string_view clone = " [clone ";
  frame = frame.substr(0, frame.find(clone));
  const std::size_t space = frame.find(' ');
  const std::string_view file = frame.substr(0, space);
  const bool has_file = space != std::string_view::npos &&
                        file.find("::") == std::string_view::npos &&
                        file.find('.') != std::string_view::npos;
  return has_file ? frame.substr(space + 1) : frame;
}

bool is_of_cpp(const Frames& frames) {
  const auto is_cpp = [](std::string_view frame) {
    return frame == nameless || frame.find("::") != std::string_view::npos;
  };
  return std::ranges::none_of(frames, is_python) && std::ranges::any_of(frames, is_cpp);
}

/// Functions that a file's stacks of C++ name.
struct NamedFunctions {
  std::set<std::string_view> names;
  bool lacks_some = false;

  explicit NamedFunctions(const Groups& groups) {
    for (const HeldGroup& group : groups) {
      const Frames frames = frames_in(group.key);
      if (!is_of_cpp(frames)) continue;
      for (const std::string_view frame : frames) {
        if (frame == nameless)
          lacks_some = true;
        else
          names.insert(function_of(frame));
      }
    }
  }
};

/// The key as a file that names only the other's functions would have it; empty for other keys.
std::optional<std::string> named_as_in(const std::string& key, const NamedFunctions& other) {
  const Frames frames = frames_in(key);
  if (!is_of_cpp(frames)) return std::nullopt;
  std::string text;
  for (const std::string_view frame : frames) {
    const std::string_view function = function_of(frame);
    if (frame == nameless || (other.lacks_some && !other.names.contains(function))) continue;
    text.append(text.empty() ? "" : between_frames).append(function);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

using KeysByText = std::map<std::string, std::vector<std::string>>;

template <class Reduced>
KeysByText keys_by(const Groups& groups, Reduced&& reduced) {
  KeysByText keys;
  for (const HeldGroup& group : groups)
    if (const std::optional<std::string> text = reduced(group.key))
      keys[*text].push_back(group.key);
  return keys;
}

/// Adds groups of another folder, if each file has a single one of that name.
void add_moved(const KeysByText& base, const KeysByText& now, GroupNames& names) {
  for (const auto& [text, keys] : base) {
    const auto found = now.find(text);
    if (found == now.end() || keys.size() != 1 || found->second.size() != 1) continue;
    names.base.emplace(keys.front(), found->second.front());
  }
}

/// Adds groups of C++; several that the other file can't tell apart become one.
void add_named(const KeysByText& base, const KeysByText& now, GroupNames& names) {
  for (const auto& [text, keys] : base) {
    const auto found = now.find(text);
    if (found == now.end()) continue;
    for (const std::string& key : keys) names.base.emplace(key, text);
    for (const std::string& key : found->second) names.now.emplace(key, text);
  }
}

}  // namespace

GroupFate GroupChange::fate() const {
  if (base.blocks == 0) return GroupFate::appeared;
  if (now.blocks == 0) return GroupFate::gone;
  const auto size_of = [](const GroupTotals& totals) {
    return std::tuple(totals.bytes, totals.requested, totals.blocks);
  };
  return size_of(now) > size_of(base) ? GroupFate::grown : GroupFate::shrunk;
}

bool Comparison::is_same() const {
  return groups.empty() && std::ranges::all_of(metrics, &MetricChange::is_same);
}

bool Comparison::breaks_limits() const {
  return std::ranges::any_of(limits, &JudgedLimit::is_broken);
}

Comparison compare(ComparedFile base, ComparedFile now, const std::vector<AskedLimit>& limits) {
  Comparison comparison;
  comparison.metrics = metric_changes(base, now);
  comparison.has_groups = base.has_groups && now.has_groups;
  if (comparison.has_groups) comparison.groups = changes_of(base.groups, now.groups);
  if (base.modules && now.modules) comparison.modules = changes_of(*base.modules, *now.modules);
  if (base.recorded && now.recorded)
    comparison.events = compare_events({base.devices(), base.recorded->tables()},
                                       {now.devices(), now.recorded->tables()});
  comparison.base = std::move(base);
  comparison.now = std::move(now);
  const MetricValues of_both = metrics_of(comparison.groups);
  for (const AskedLimit& asked : limits)
    comparison.limits.push_back(judge(asked, comparison, of_both));
  return comparison;
}

GroupNames same_groups(const Groups& base, const Groups& now) {
  GroupNames names;
  const auto moved = [](const std::string& key) {
    return is_of_cpp(frames_in(key)) ? std::nullopt : std::optional(without_folders(key));
  };
  add_moved(keys_by(base, moved), keys_by(now, moved), names);
  const NamedFunctions in_base(base);
  const NamedFunctions in_now(now);
  add_named(keys_by(base, [&](const std::string& key) { return named_as_in(key, in_now); }),
            keys_by(now, [&](const std::string& key) { return named_as_in(key, in_base); }), names);
  return names;
}

}  // namespace vramlab::replay
