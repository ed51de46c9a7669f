#include "replay/compare/comparison.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "replay/compare/same_groups.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

std::optional<std::int64_t> value_in(const MetricValues& values, std::string_view name) {
  const MetricValue* found = find_value(values, name);
  if (found == nullptr) return std::nullopt;
  return found->value;
}

std::vector<GroupChange> changes_of(const ComparedFile& base, const ComparedFile& now) {
  const GroupNames names = same_groups(base.groups, now.groups);
  const auto name_of = [](const HeldGroup& group, const std::map<std::string, std::string>& named) {
    const auto found = named.find(group.key);
    return found == named.end() ? group.key : found->second;
  };
  std::map<std::string, GroupChange> by_key;
  for (const HeldGroup& group : base.groups)
    by_key[name_of(group, names.base)].base.add(group.totals);
  for (const HeldGroup& group : now.groups) by_key[name_of(group, names.now)].now.add(group.totals);
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

/// What only two files together tell.
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
  if (comparison.has_groups) comparison.groups = changes_of(base, now);
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

}  // namespace vramlab::replay
