#include "replay/recording/settings_in_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

namespace vramlab::replay {

using allocator::Settings;

namespace {

/// Values that people set.
constexpr std::array<std::uint64_t, 8> usual_split_limits = {32, 40, 50, 64, 100, 128, 256, 512};
constexpr std::array<std::uint32_t, 4> usual_divisions = {2, 4, 8, 16};

/// The value of expandable_segments, as single calls show it.
class SeenExpandable {
 public:
  SeenExpandable(const DeviceHistory& history, allocator::PrivateSegments private_segments)
      : history_(history), private_segments_(private_segments) {}

  /// Whether the call got memory for expandable segments; empty if it got no memory.
  std::optional<bool> at(const RecordedCall& call) const {
    std::optional<bool> is_on;
    if (!call.has_segment_calls) return is_on;
    for (std::size_t event = call.first; event < call.end; ++event) {
      const AllocatorEvent& seen = history_.events[event];
      if (seen.action == Action::segment_map) is_on = true;
      if (seen.action == Action::segment_alloc && !is_classic_anyway(seen.address)) is_on = false;
    }
    return is_on;
  }

 private:
  /// Segments that are gone at the end are not known, as files say only the pools of final ones.
  bool is_classic_anyway(Address address) const {
    if (private_segments_ != allocator::PrivateSegments::classic) return false;
    const auto found =
        std::ranges::lower_bound(history_.final_segments, address, {}, &SnapshotSegment::address);
    return found != history_.final_segments.end() && found->address == address &&
           found->pool != allocator::default_pool;
  }

  const DeviceHistory& history_;
  allocator::PrivateSegments private_segments_;
};

/// The value before any call: the first call that gets memory shows it.
bool expandable_at_start(const SeenExpandable& seen, const RecordedCalls& calls, bool otherwise) {
  for (const RecordedCall& call : calls)
    if (const auto is_on = seen.at(call)) return *is_on;
  return otherwise;
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

std::string divisions_string(const Settings& settings) {
  std::string text = "[";
  for (std::size_t slot = 0; slot < settings.roundup_divisions.size(); ++slot)
    text += (slot == 0 ? "" : ",") + std::to_string(1U << slot) + ":" +
            std::to_string(settings.roundup_divisions[slot]);
  return text + "]";
}

}  // namespace

SettingsPhases noted_phases(const DeviceHistory& history, const Settings& at_start,
                            const ReferenceVersion& version) {
  SettingsPhases phases = {{0, at_start}};
  for (const traces::NotedCall& call : history.noted_calls) {
    if (call.kind != traces::ProgramEventKind::options) continue;
    Settings set = parse_settings(phases.back().settings, call.options, version).settings;
    if (phases.back().first_event == call.before)
      phases.back().settings = std::move(set);
    else
      phases.push_back({static_cast<std::size_t>(call.before), std::move(set), true});
  }
  return phases;
}

SettingsInTime::SettingsInTime(const DeviceHistory& history, const RecordedCalls& calls,
                               const SettingsPhases& phases,
                               allocator::PrivateSegments private_segments) {
  const SeenExpandable seen(history, private_segments);
  bool is_on = expandable_at_start(seen, calls, phases.front().settings.expandable_segments);
  std::size_t phase = 0;
  for (std::size_t call = 0; call < calls.size(); ++call) {
    const RecordedCall bounds = calls[call];
    const std::size_t before = phase;
    while (phase + 1 < phases.size() && phases[phase + 1].first_event < bounds.end) {
      ++phase;
      if (phases[phase].sets_expandable) is_on = phases[phase].settings.expandable_segments;
    }
    is_on = seen.at(bounds).value_or(is_on);
    const bool is_same = !changes_.empty() && phase == before &&
                         changes_.back().settings.expandable_segments == is_on;
    if (is_same) continue;
    changes_.push_back({call, phases[phase].settings});
    changes_.back().settings.expandable_segments = is_on;
  }
  if (changes_.empty()) changes_.push_back({0, phases.front().settings});
}

const Settings& SettingsInTime::at(std::size_t call) const {
  const auto after = std::ranges::upper_bound(changes_, call, {}, &Change::first_call);
  return std::prev(after)->settings;
}

std::vector<Settings> weaker_settings(const Settings& recorded) {
  const Settings defaults;
  std::vector<Settings> weaker;
  for (unsigned left_out = 1; left_out < 8; ++left_out) {
    Settings settings = recorded;
    if ((left_out & 1U) != 0) settings.max_split_size = defaults.max_split_size;
    if ((left_out & 2U) != 0) settings.roundup_divisions = defaults.roundup_divisions;
    if ((left_out & 4U) != 0)
      settings.garbage_collection_threshold = defaults.garbage_collection_threshold;
    if (settings != recorded && std::ranges::find(weaker, settings) == weaker.end())
      weaker.push_back(settings);
  }
  return weaker;
}

std::vector<Settings> possible_settings(const Settings& recorded) {
  std::vector<Settings> possible{recorded};
  const auto add = [&possible](const Settings& settings) {
    if (std::ranges::find(possible, settings) == possible.end()) possible.push_back(settings);
  };
  for (const Settings& weaker : weaker_settings(recorded)) add(weaker);
  const std::vector<Settings> bases = possible;
  for (const Settings& base : bases) {
    for (const std::uint32_t divisions : usual_divisions) {
      Settings settings = base;
      settings.roundup_divisions.fill(divisions);
      add(settings);
    }
    for (const std::uint64_t split_mb : usual_split_limits) {
      Settings settings = base;
      settings.max_split_size = allocator::mebibytes(split_mb);
      add(settings);
    }
  }
  return possible;
}

std::string option_string(const Settings& settings, const Settings& in_force) {
  const Settings defaults;
  std::string text = "expandable_segments:";
  text += settings.expandable_segments ? "True" : "False";
  if (settings.max_split_size != defaults.max_split_size)
    text += ",max_split_size_mb:" + std::to_string(settings.max_split_size.count >> 20);
  if (settings.garbage_collection_threshold > 0)
    text += ",garbage_collection_threshold:" + short_number(settings.garbage_collection_threshold);
  if (settings.roundup_divisions != defaults.roundup_divisions)
    text += ",roundup_power2_divisions:" + divisions_string(settings);
  // Another string does not reset it, and older versions do not know it.
  if (settings.large_segment_size != in_force.large_segment_size)
    text += ",large_segment_size_mb:" + std::to_string(settings.large_segment_size.count >> 20);
  return text;
}

}  // namespace vramlab::replay
