#include "replay/settings_search/phases.h"

#include <algorithm>
#include <set>
#include <utility>

#include "replay/replayer/replay_setup.h"
#include "replay/settings_search/setting_choice.h"

namespace vramlab::replay {
namespace {

constexpr std::size_t most_main_places = 12;
constexpr std::size_t most_changes = 3;
constexpr std::size_t most_near_places = 8;
constexpr std::uint64_t fewest_runs = 150;
constexpr std::uint64_t most_runs = 600;
/// Events of all replays together, for long histories.
constexpr std::uint64_t most_events = 400'000'000;

/// A choice from the start, and another from each place on.
struct Plan {
  std::vector<SettingChoice> choices;
  /// The places at which the choices behind the first begin.
  std::vector<std::size_t> places;
  friend auto operator<=>(const Plan&, const Plan&) = default;
};

/// Options that a new string leaves as they were if it does not name them, and their defaults.
constexpr std::pair<const char*, const char*> kept_options[] = {
    {option_names::expandable, "False"}, {option_names::large_segment, "20"}};

/// The strings that the program sets, the one of its start first.
std::vector<std::string> strings_of(const Plan& plan) {
  std::vector<std::string> strings;
  std::set<std::string> set_before;
  for (SettingChoice choice : plan.choices) {
    for (const auto& [name, usual] : kept_options) {
      if (!choice.value(name).empty())
        set_before.insert(name);
      else if (set_before.erase(name) > 0)
        choice = choice.with(name, usual);
    }
    strings.push_back(choice.conf());
  }
  return strings;
}

/// The string may be one of the recording's, with blanks, and lists in brackets as values.
SettingChoice choice_of(std::string conf) {
  std::erase(conf, ' ');
  SettingChoice choice;
  std::size_t begin = 0;
  int lists = 0;
  for (std::size_t at = 0; at <= conf.size(); ++at) {
    if (at < conf.size() && conf[at] == '[') ++lists;
    if (at < conf.size() && conf[at] == ']') --lists;
    if (at < conf.size() && (conf[at] != ',' || lists > 0)) continue;
    const std::string option = conf.substr(begin, at - begin);
    const std::size_t colon = std::min(option.find(':'), option.size());
    if (colon < option.size())
      choice = choice.with(option.substr(0, colon), option.substr(colon + 1));
    begin = at + 1;
  }
  return choice;
}

/// The events before which the program sets options by itself.
std::vector<std::uint64_t> own_changes(const Replayer& replayer) {
  std::vector<std::uint64_t> events;
  const ProgramPart& part = *replayer.parts().front();
  if (!part.program.changes_limits()) return events;
  CompactReader reader(part.program);
  for (std::size_t i = 0; i < part.program.event_count(); ++i)
    if (reader[i].kind() == CompactKind::other &&
        part.program.other(reader[i]).kind == traces::ProgramEventKind::options)
      events.push_back(reader.number(i));
  return events;
}

class PhaseSearch {
 public:
  PhaseSearch(const PhasesQuestion& question, const Replayer& replayer, const RunSettings& run)
      : question_(question),
        replayer_(replayer),
        run_(run),
        texts_(replayer.tables().texts),
        places_(phase_places(question.recording, replayer)),
        own_changes_(own_changes(replayer)) {
    const RequestShapes requests({&replayer});
    for (const GridOption& option : options_that_matter({&replayer}, question.options))
      for (const std::string& value : option.values)
        if (value == left_out_value ||
            !requests.is_inert(SettingChoice{}.with(option.name, value), replayer.version()))
          values_.emplace_back(option.name, value);
    const std::uint64_t events =
        std::max<std::uint64_t>(1, replayer.parts().front()->program.event_count());
    runs_left_ = std::clamp(most_events / events, fewest_runs, most_runs);
    for (const PhasePlace& place : main_places(places_, most_main_places))
      main_.push_back(static_cast<std::size_t>(
          &*std::ranges::find(places_, place.event, &PhasePlace::event) - places_.data()));
  }

  PhasesAdvice find() {
    const SettingChoice single = choice_of(question_.single);
    try_all({Plan{{SettingChoice{}}, {}}, Plan{{single}, {}}});
    advice_.usual = rows_.at(Plan{{SettingChoice{}}, {}});
    best_ = Plan{{single}, {}};
    advice_.single = rows_.at(best_);
    while (best_.places.size() < most_changes && add_change()) {
    }
    while (leave_out_option()) {
    }
    return conclude();
  }

 private:
  /// The options at a moment, one of them changed.
  std::vector<SettingChoice> beside(const SettingChoice& choice) const {
    std::vector<SettingChoice> choices;
    for (const auto& [name, value] : values_)
      if (SettingChoice other = choice.with(name, value); other != choice)
        choices.push_back(std::move(other));
    choices.emplace_back();
    return choices;
  }

  /// Whether the replay of a plan is what the program would do: no place comes again behind a later
  /// change, where its line would set its options again.
  bool is_as_written(const Plan& plan) const {
    for (std::size_t i = 0; i < plan.places.size(); ++i) {
      const PhasePlace& place = places_[plan.places[i]];
      if (i + 1 < plan.places.size() && place.last_begin > places_[plan.places[i + 1]].event)
        return false;
      const auto own = std::ranges::lower_bound(own_changes_, place.event);
      if (own != own_changes_.end() && place.last_begin > *own) return false;
    }
    return true;
  }

  bool is_refused(const Plan& plan) const {
    return std::ranges::any_of(strings_of(plan), [&](const std::string& text) {
      return refusal_of(text, replayer_.version()).has_value();
    });
  }

  void try_all(const std::vector<Plan>& plans) {
    std::vector<Plan> fresh;
    std::vector<AskedSetting> asked;
    for (const Plan& plan : plans) {
      if (asked.size() == runs_left_) break;
      if (rows_.contains(plan) || !is_as_written(plan) || is_refused(plan) ||
          std::ranges::find(fresh, plan) != fresh.end())
        continue;
      fresh.push_back(plan);
      asked.push_back(setting_of(plan));
    }
    const std::vector<SweepRow> rows = run_(asked);
    runs_left_ -= rows.size();
    advice_.runs += rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) rows_.emplace(fresh[i], rows[i]);
  }

  AskedSetting setting_of(const Plan& plan) const {
    const std::vector<std::string> strings = strings_of(plan);
    AskedSetting setting{strings.front(), false};
    for (std::size_t i = 0; i < plan.places.size(); ++i)
      setting.changes.push_back({places_[plan.places[i]].event, texts_.intern(strings[i + 1])});
    return setting;
  }

  /// The best of the plans with so many changes; of equal ones the first.
  Plan best_with(std::size_t changes) const {
    const Plan* best = nullptr;
    for (const auto& [plan, row] : rows_)
      if (plan.places.size() == changes &&
          (best == nullptr || is_preferred(row, rows_.at(*best), question_.options.preference)))
        best = &plan;
    return best == nullptr ? Plan{} : *best;
  }

  /// Divides a phase of the best plan in two, if that pays.
  bool add_change() {
    std::vector<Plan> plans;
    for (const std::size_t place : main_) add_divided(place, plans);
    try_all(plans);
    const std::size_t changes = best_.places.size() + 1;
    improve(changes);
    move_places(changes);
    improve(changes);
    const Plan found = best_with(changes);
    if (found.choices.empty() || !pays(rows_.at(found), rows_.at(best_))) return false;
    best_ = found;
    return true;
  }

  /// The best plan with one more change at a place: other options before it, or from it on.
  void add_divided(std::size_t place, std::vector<Plan>& plans) const {
    const auto at = std::ranges::lower_bound(best_.places, place);
    if (at != best_.places.end() && *at == place) return;
    const auto phase = static_cast<std::size_t>(at - best_.places.begin());
    const SettingChoice& before = best_.choices[phase];
    Plan divided = best_;
    divided.places.insert(divided.places.begin() + (at - best_.places.begin()), place);
    divided.choices.insert(divided.choices.begin() + (at - best_.places.begin()), before);
    for (const SettingChoice& other : beside(before))
      for (const std::size_t changed : {phase + 1, phase}) {
        plans.push_back(divided);
        plans.back().choices[changed] = other;
      }
  }

  /// Goes from the best plan with so many changes to better ones, an option of a phase at a time.
  void improve(std::size_t changes) {
    for (;;) {
      const Plan at = best_with(changes);
      const std::size_t tried_before = rows_.size();
      std::vector<Plan> plans;
      for (std::size_t phase = 0; phase < at.choices.size(); ++phase)
        for (const SettingChoice& other : beside(at.choices[phase])) {
          plans.push_back(at);
          plans.back().choices[phase] = other;
        }
      try_all(plans);
      if (runs_left_ == 0 || rows_.size() == tried_before || best_with(changes) == at) return;
    }
  }

  /// Tries the places near those of the best plan with so many changes.
  void move_places(std::size_t changes) {
    const Plan at = best_with(changes);
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < at.places.size(); ++i) {
      const std::size_t first = at.places[i] - std::min(at.places[i], most_near_places / 2);
      const std::size_t end = std::min(places_.size(), at.places[i] + most_near_places / 2 + 1);
      for (std::size_t place = first; place < end; ++place) {
        const bool is_between = (i == 0 || at.places[i - 1] < place) &&
                                (i + 1 == at.places.size() || place < at.places[i + 1]);
        if (!is_between) continue;
        plans.push_back(at);
        plans.back().places[i] = place;
      }
    }
    try_all(plans);
  }

  /// Leaves out an option that saves nothing of the figure that counts most.
  bool leave_out_option() {
    if (best_.places.empty()) return false;
    std::vector<Plan> plans;
    for (std::size_t phase = 0; phase < best_.choices.size(); ++phase)
      for (const auto& [name, value] : values_) {
        const SettingChoice without = best_.choices[phase].with(name, "");
        if (without == best_.choices[phase]) continue;
        plans.push_back(best_);
        plans.back().choices[phase] = without;
      }
    runs_left_ = std::max<std::uint64_t>(runs_left_, plans.size());
    try_all(plans);
    for (const Plan& plan : plans)
      if (const auto row = rows_.find(plan);
          row != rows_.end() && !row->second.was_refused() &&
          !saves_against(rows_.at(best_), row->second, question_.options.preference)) {
        best_ = plan;
        return true;
      }
    return false;
  }

  bool pays(const SweepRow& row, const SweepRow& before) const {
    const Preference preference = question_.options.preference;
    if (!saves_against(row, before, preference)) return false;
    if (before.worst().failed) return true;
    const auto figure = [preference](const SweepRow& of) {
      const MetricValues& metrics = of.worst().metrics;
      return preference == Preference::calls
                 ? device_calls_of(metrics)
                 : value_of(metrics,
                            preference == Preference::time ? "device_time" : "peak_reserved");
    };
    return static_cast<double>(figure(before) - figure(row)) >=
           least_share_saved * static_cast<double>(figure(before));
  }

  PhasesAdvice conclude() {
    advice_.best = rows_.at(best_);
    advice_.place_count = places_.size();
    const std::vector<std::string> strings = strings_of(best_);
    advice_.conf_at_start = strings.front();
    for (std::size_t i = 0; i < best_.places.size(); ++i)
      advice_.changes.push_back({places_[best_.places[i]], strings[i + 1]});
    return std::move(advice_);
  }

  const PhasesQuestion& question_;
  const Replayer& replayer_;
  const RunSettings& run_;
  traces::TextTable& texts_;
  std::vector<PhasePlace> places_;
  std::vector<std::size_t> main_;
  std::vector<std::uint64_t> own_changes_;
  /// Options with a value each.
  std::vector<std::pair<std::string, std::string>> values_;
  std::uint64_t runs_left_ = 0;
  std::map<Plan, SweepRow> rows_;
  Plan best_;
  PhasesAdvice advice_;
};

}  // namespace

PhasesAdvice find_phases(const PhasesQuestion& question, const Replayer& replayer,
                         const RunSettings& run) {
  return PhaseSearch(question, replayer, run).find();
}

std::string python_setter(const std::string& conf, const ReferenceVersion& version) {
  const bool is_shared = version.grammar != allocator::OptionGrammar::single_pass;
  return std::string(is_shared ? "torch._C._accelerator_setAllocatorSettings(\""
                               : "torch.cuda.memory._set_allocator_settings(\"") +
         conf + "\")";
}

}  // namespace vramlab::replay
