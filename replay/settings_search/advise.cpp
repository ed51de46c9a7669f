#include "replay/settings_search/advise.h"

#include <algorithm>
#include <tuple>

#include "allocator/types/check.h"
#include "replay/replayer/replay_setup.h"
#include "replay/settings_search/setting_choice.h"

namespace vramlab::replay {
namespace {

using option_names::expandable, option_names::rounding, option_names::splitting,
    option_names::garbage;
/// The size of the grid divided by this is the most settings that are replayed.
constexpr std::uint64_t grid_share = 5;

/// Recordings that can be the worst of a SweepRow, unless one fails.
Replayers recordings_that_decide(const Replayers& recordings, const ReplayConditions& conditions) {
  if (conditions.starting_memory != StartingMemory::as_recorded) return recordings;
  Replayers deciding;
  std::ranges::copy_if(recordings, std::back_inserter(deciding),
                       [](const Replayer* recording) { return !recording->start_holds_peaks(); });
  return deciding.empty() ? recordings : deciding;
}

class AdviceSearch {
 public:
  AdviceSearch(const Replayers& recordings, const AdviseOptions& options, const RunSettings& run)
      : recordings_(recordings),
        deciding_(recordings_that_decide(recordings, options.conditions)),
        options_(options),
        run_(run),
        grid_(options_that_matter(recordings, options)),
        requests_(recordings) {
    advice_.grid_size = 1;
    for (const GridOption& option : grid_) advice_.grid_size *= option.values.size();
  }

  Advice find() {
    const std::string recorded = options_as_recorded().text;
    advice_.recorded = run_({{recorded, true}}).front();
    ++advice_.runs;
    if (!recorded.empty() && !names_any(recorded, options_.without)) try_recorded(recorded);
    const SettingChoice classic;
    if (may_use(expandable))
      try_all({classic, classic.with(expandable, "True")});
    else
      try_all({classic});
    const SettingChoice better = best_choice();
    descend(better);
    // The other way may still win with some other option.
    if (!better.value(expandable).empty()) {
      try_all(probes(classic));
      descend(best_of_way(classic));
    }
    // The remaining replays go to an option that seldom matters.
    if (may_use(expandable) && may_use(splitting))
      try_all(along(option_named(splitting), best_of_way(classic.with(expandable, "True"))));
    return conclude();
  }

 private:
  /// Under the conditions of all other settings: the recorded run may have been short of memory.
  void try_recorded(const std::string& conf) {
    recorded_again_ = run_({{conf, false}}).front();
    recorded_again_->is_recorded = true;
    ++advice_.runs;
  }

  std::uint64_t runs_left() const {
    const std::uint64_t most = std::max<std::uint64_t>(3, advice_.grid_size / grid_share);
    return most - std::min(most, advice_.runs);
  }

  /// Tries the choices that are not tried yet and can win.
  void try_all(const std::vector<SettingChoice>& choices) {
    std::vector<SettingChoice> fresh;
    std::vector<AskedSetting> asked;
    for (const SettingChoice& choice : choices) {
      if (asked.size() == runs_left()) break;
      const std::string conf = choice.conf();
      if (rows_.contains(choice) || !can_win(choice) || is_refused(conf) ||
          std::ranges::find(fresh, choice) != fresh.end())
        continue;
      fresh.push_back(choice);
      asked.push_back({conf, false});
    }
    const std::vector<SweepRow> rows = run_(asked);
    advice_.runs += rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) rows_.emplace(fresh[i], rows[i]);
  }

  bool is_refused(const std::string& conf) const {
    return std::ranges::any_of(recordings_, [&](const Replayer* recording) {
      return refusal_of(conf, recording->version()).has_value();
    });
  }

  using Tried = std::map<SettingChoice, SweepRow>::value_type;
  bool is_preferred_row(const Tried& a, const Tried& b) const {
    return is_preferred(a.second, b.second, options_.preference);
  }

  const SettingChoice& best_choice() const {
    const auto found = std::ranges::min_element(
        rows_, [this](const Tried& a, const Tried& b) { return is_preferred_row(a, b); });
    check(found != rows_.end(), "the search begins with settings that are tried");
    return found->first;
  }

  /// The best choice that has expandable segments on or off as this one does. Requires: one was
  /// tried.
  const SettingChoice& best_of_way(const SettingChoice& like) const {
    const Tried* best = nullptr;
    for (const Tried& tried : rows_)
      if (tried.first.value(expandable) == like.value(expandable) &&
          (best == nullptr || is_preferred_row(tried, *best)))
        best = &tried;
    check(best != nullptr, "each way is tried first of all");
    return best->first;
  }

  bool may_use(std::string_view name) const {
    return std::ranges::find(grid_, name, &GridOption::name) != grid_.end();
  }

  const GridOption& option_named(std::string_view name) const {
    const auto found = std::ranges::find(grid_, name, &GridOption::name);
    check(found != grid_.end(), "an option that is searched is in the grid");
    return *found;
  }

  static std::vector<SettingChoice> along(const GridOption& option, const SettingChoice& at) {
    std::vector<SettingChoice> choices;
    for (const std::string& value : option.values) choices.push_back(at.with(option.name, value));
    return choices;
  }

  /// The options to go along from there, in order. If a probe of the limit on splitting is the best
  /// so far, the limits beside it come first: the replays may not suffice for all.
  std::vector<const GridOption*> options_from(const SettingChoice& at) const {
    std::vector<const GridOption*> options;
    if (!at.value(splitting).empty()) options.push_back(&option_named(splitting));
    for (const GridOption& option : grid_) {
      if (option.name == expandable) continue;
      // Blocks of expandable segments are cut anyway.
      const bool hardly_matters = option.name == splitting && !at.value(expandable).empty();
      if (!hardly_matters && std::ranges::find(options, &option) == options.end())
        options.push_back(&option);
    }
    return options;
  }

  /// Goes along one option after another, as long as it finds settings not tried yet.
  void descend(SettingChoice at) {
    for (;;) {
      const std::size_t tried_before = rows_.size();
      for (const GridOption* option : options_from(at)) {
        try_all(along(*option, at));
        at = best_of_way(at);
      }
      if (runs_left() == 0 || rows_.size() == tried_before) return;
    }
  }

  /// Settings that make a difference without expandable segments, each alone: a small and a large
  /// limit on splitting, few sizes, little cached memory.
  std::vector<SettingChoice> probes(const SettingChoice& classic) const {
    std::vector<SettingChoice> choices;
    for (const auto& [option, value] :
         {std::pair{splitting, "64"}, {splitting, "256"}, {rounding, "2"}, {garbage, "0.6"}})
      if (may_use(option)) choices.push_back(classic.with(option, value));
    return choices;
  }

  bool can_win(const SettingChoice& choice) {
    if (requests_.is_inert(choice, recordings_.front()->version())) return false;
    if (options_.preference != Preference::memory || rows_.empty()) return true;
    const SweepRow& best = rows_.at(best_choice());
    if (best.was_refused() || best.worst().failed) return true;
    const std::int64_t peak = value_of(best.worst().metrics, "peak_reserved");
    return std::ranges::none_of(deciding_, [&](const Replayer* recording) {
      const auto live = live_with(*recording, choice.value(rounding));
      return live && static_cast<std::int64_t>(live->on_device.count) > peak;
    });
  }

  Settings options_for(const std::string& option, const std::string& value) const {
    return allocator::parse_settings({}, option + ":" + value, recordings_.front()->version())
        .settings;
  }

  std::optional<LiveBounds> live_with(const Replayer& recording, const std::string& divisions) {
    const auto key = std::make_pair(&recording, divisions);
    const auto known = live_.find(key);
    if (known != live_.end()) return known->second;
    const Settings settings = divisions.empty() ? Settings{} : options_for(rounding, divisions);
    return live_[key] = live_bounds(recording, settings,
                                    {.start = options_.conditions.starting_memory,
                                     .options = OptionsOnTheWay::left_out});
  }

  /// Requires: the row is not refused.
  const Replayer& worst_under(const SweepRow& row) const {
    return *recordings_[static_cast<std::size_t>(&row.worst() - row.files.data())];
  }

  Settings options_as_recorded() const {
    return recordings_.front()->settings_for(options_.conditions);
  }

  bool saves(const SweepRow& row, const SweepRow& other) const {
    return saves_against(row, other, options_.preference);
  }

  /// The row that a setting must be better than: no options or, if they save something against
  /// these, the recorded ones.
  const SweepRow& kept() const {
    const bool is_ahead = recorded_again_ && !recorded_again_->was_refused() &&
                          saves(*recorded_again_, advice_.usual);
    return is_ahead ? *recorded_again_ : advice_.usual;
  }

  Advice conclude() {
    advice_.usual = rows_.at(SettingChoice{});
    const SettingChoice& best = best_choice();
    advice_.best = saves(rows_.at(best), kept()) ? rows_.at(best) : kept();
    const Replayer& worst =
        advice_.best.was_refused() ? *recordings_.front() : worst_under(advice_.best);
    advice_.live = advice_.best.is_recorded
                       ? live_bounds(worst, worst.settings_for(options_.conditions),
                                     {options_.conditions.starting_memory})
                       : live_with(worst, advice_.best.conf.empty() ? "" : best.value(rounding));
    for (const auto& [choice, row] : rows_) note_beside_best(row);
    if (recorded_again_) note_beside_best(*recorded_again_);
    return std::move(advice_);
  }

  void note_beside_best(const SweepRow& row) {
    if (row.was_refused() || advice_.best.was_refused()) return;
    if (row.worst().metrics != advice_.best.worst().metrics && saves(row, kept()))
      keep_preferred(advice_.runner_up, row);
    if (row.worst().failed && !row.worst().stopped_at && !row.worst().depends_from)
      keep_preferred(advice_.best_as_it_went_on, row);
  }

  void keep_preferred(std::optional<SweepRow>& kept_row, const SweepRow& row) const {
    if (!kept_row || is_preferred(row, *kept_row, options_.preference)) kept_row = row;
  }

  const Replayers& recordings_;
  Replayers deciding_;
  const AdviseOptions& options_;
  const RunSettings& run_;
  OptionGrid grid_;
  RequestShapes requests_;
  std::map<SettingChoice, SweepRow> rows_;
  /// The recorded options, if there are any.
  std::optional<SweepRow> recorded_again_;
  /// Bounds by the recording and the value of the rounding.
  std::map<std::pair<const Replayer*, std::string>, std::optional<LiveBounds>> live_;
  Advice advice_;
};

auto preferred_order(const SweepRow& row, Preference preference) {
  const MetricValues& metrics = row.worst().metrics;
  const std::int64_t peak = value_of(metrics, "peak_reserved");
  const std::int64_t calls = device_calls_of(metrics);
  const std::int64_t time = value_of(metrics, "device_time");
  return preference == Preference::calls ? std::make_tuple(calls, peak, time)
                                         : std::make_tuple(time, peak, calls);
}

}  // namespace

bool is_preferred(const SweepRow& a, const SweepRow& b, Preference preference) {
  if (preference == Preference::memory || a.was_refused() || b.was_refused() || a.worst().failed ||
      b.worst().failed)
    return is_better(a, b);
  const auto of_a = preferred_order(a, preference);
  const auto of_b = preferred_order(b, preference);
  return of_a != of_b ? of_a < of_b : is_better(a, b);
}

bool saves_against(const SweepRow& row, const SweepRow& other, Preference preference) {
  if (row.was_refused() || other.was_refused()) return !row.was_refused();
  const SweepFigures& a = row.worst();
  const SweepFigures& b = other.worst();
  if (a.failed.has_value() != b.failed.has_value()) return b.failed.has_value();
  if (a.failed && a.failed->event != b.failed->event) return is_better(a, b);
  if (a.stopped_at.has_value() != b.stopped_at.has_value()) return b.stopped_at.has_value();
  if (preference == Preference::calls)
    return device_calls_of(a.metrics) < device_calls_of(b.metrics);
  const char* const figure = preference == Preference::time ? "device_time" : "peak_reserved";
  return value_of(a.metrics, figure) < value_of(b.metrics, figure);
}

bool Advice::is_decided_by_time(Preference preference) const {
  if (nothing_helps() || best.was_refused()) return false;
  if (preference == Preference::time) return true;
  return runner_up && !is_better_exactly(best.worst(), runner_up->worst()) &&
         !is_better_exactly(runner_up->worst(), best.worst());
}

bool names_any(std::string_view conf, const std::set<std::string>& names) {
  // Each token is a word, or one of the signs between words.
  constexpr std::string_view signs = ",:[] ";
  for (std::size_t at = 0; at < conf.size(); ++at) {
    const std::size_t end = std::min(conf.find_first_of(signs, at), conf.size());
    if (names.contains(std::string(conf.substr(at, end - at)))) return true;
    at = end;
  }
  return false;
}

OptionGrid options_that_matter(const Replayers& recordings, const AdviseOptions& options) {
  OptionGrid grid = {{expandable, {"none", "True"}},
                     {rounding, {"none", "32", "16", "8", "4", "2"}},
                     {splitting, {"none", "32", "64", "128", "256", "512", "1024"}}};
  // Garbage is collected only where the allocator may have a share of the device.
  bool has_share = options.conditions.memory_fraction.has_value();
  for (const Replayer* const recording : recordings)
    for (const ProgramPart* part : recording->parts())
      has_share = has_share || part->program.changes_limits();
  if (has_share) grid.push_back({garbage, {"none", "0.6", "0.8", "0.9"}});
  const bool has_segment_size = std::ranges::all_of(recordings, [](const Replayer* recording) {
    return refusal_of("large_segment_size_mb:32", recording->version()) == std::nullopt;
  });
  if (has_segment_size && RequestShapes(recordings).has_medium())
    grid.push_back({option_names::large_segment, {"none", "32", "64"}});
  std::erase_if(grid,
                [&](const GridOption& option) { return options.without.contains(option.name); });
  return grid;
}

Advice advise(const Replayers& recordings, const AdviseOptions& options, const RunSettings& run) {
  return AdviceSearch(recordings, options, run).find();
}

}  // namespace vramlab::replay
