#include "tests/support/fuzz/host_memory_fuzz_body.h"

#include <algorithm>
#include <map>
#include <memory>

#include "allocator/types/answers.h"
#include "allocator/types/device.h"
#include "replay/recording/followed_blocks.h"
#include "replay/recording/history_checks.h"
#include "replay/recording/pinned_history.h"
#include "replay/recording/recorded_states.h"
#include "replay/replayer/pinned_replay.h"
#include "tests/support/kit/memory_source.h"
#include "traces/io/input_error.h"
#include "traces/native/native_text.h"

namespace vramlab::support {
namespace {

using Broken = std::optional<std::string>;

/// The first events of a program.
class FirstEvents final : public traces::ProgramSink {
 public:
  void program_event(const traces::ProgramEvent& event) override {
    constexpr std::size_t most = 2000;
    if (events.size() < most) events.push_back(event);
  }
  std::vector<traces::ProgramEvent> events;
};

Broken broken_rule_of_state(const replay::DeviceState& state) {
  Address end;
  for (const SnapshotSegment& segment : state.snapshot.segments) {
    if (segment.address < end) return "blocks of a state overlap";
    end = segment.address + segment.total_size;
  }
  return std::nullopt;
}

/// True if a segment begins inside another one, or is still there where another begins: such a
/// recording contradicts itself, and is shown as it is.
bool has_overlapping_segments(const replay::DeviceHistory& device) {
  std::map<Address, Bytes> segments;
  const auto overlaps = [&](Address address, Bytes size) {
    const auto after = segments.lower_bound(address);
    if (after != segments.end() && after->first < address + size) return true;
    if (after == segments.begin()) return false;
    const auto& [begin, length] = *std::prev(after);
    return begin + length > address;
  };
  for (std::size_t i = 0; i < device.events.size(); ++i) {
    const AllocatorEvent& event = device.events[i];
    if (event.action == Action::segment_free) segments.erase(event.address);
    if (event.action != Action::segment_alloc) continue;
    if (overlaps(event.address, event.size)) return true;
    segments.emplace(event.address, event.size);
  }
  return std::any_of(device.final_segments.begin(), device.final_segments.end(),
                     [&](const SnapshotSegment& segment) {
                       const auto known = segments.find(segment.address);
                       if (known != segments.end() && known->second == segment.total_size)
                         return false;
                       return overlaps(segment.address, segment.total_size);
                     });
}

Broken broken_rule_of_recording(replay::RecordedHistory host, traces::SnapshotTables& tables) {
  for (const replay::DeviceHistory& device : host.devices)
    if (!impossible_part(device).empty() || has_overlapping_segments(device)) return std::nullopt;
  replay::Recording recording(
      "file", std::move(host),
      std::shared_ptr<traces::SnapshotTables>(std::shared_ptr<void>(), &tables));
  for (const replay::MomentKind kind : {replay::MomentKind::end, replay::MomentKind::peak})
    for (const replay::DeviceState& state :
         recorded_states(recording, {kind}, replay::StateHistory::last_event).states)
      if (const Broken broken = broken_rule_of_state(state)) return broken;
  return std::nullopt;
}

/// Replays the events as far as the allocator takes them.
void apply_all(replay::HostReplay& replay, const FirstEvents& program,
               const traces::TextTable& texts) {
  try {
    for (std::size_t i = 0; i < program.events.size(); ++i)
      replay.apply(program.events[i], i, texts);
  } catch (const AllocatorError&) {
  } catch (const DeviceError&) {
  }
}

/// The history of a replay is one that a recording could have.
Broken broken_rule_of_program(const FirstEvents& program, traces::SnapshotTables& tables) {
  replay::HostConditions conditions{*allocator::find_reference_version("2.14"), {}};
  conditions.keeps = replay::KeepsHostHistory::yes;
  replay::HostReplay replay(conditions);
  apply_all(replay, program, tables.texts);
  const replay::HostReport report = replay.report();
  if (report.end_active > report.end_pinned) return "more is active than pinned";
  replay::RecordedHistory history;
  history.devices.push_back(replay.kept_history().history);
  const replay::DeviceHistory& host = history.devices.front();
  if (const std::string reason = impossible_part(host); !reason.empty())
    return "a replay has an impossible history: " + reason;
  const replay::VerifyConditions verify =
      guess_conditions(history, tables.texts, nullptr).conditions;
  const replay::ExplainedHistory walk = walk_history(host, verify);
  if (!walk.placements.contradiction.empty()) return walk.placements.contradiction;
  return broken_rule_of_recording(std::move(history), tables);
}

}  // namespace

Broken broken_rule_of_host_memory(const std::string& native_text) {
  traces::SnapshotTables tables;
  replay::HistoryCollector collector;
  FirstEvents program;
  const auto source = make_memory_source(native_text);
  try {
    traces::read_native_text(*source, "file", tables, {collector, program});
  } catch (const traces::InputError&) {
    return std::nullopt;
  }
  replay::RecordedHistory host = host_history_in(collector.take(), tables);
  for (const replay::DeviceHistory& device : host.devices) {
    FirstEvents recorded;
    for (const traces::ProgramEvent& event : replay::host_history_of(device).events)
      recorded.program_event(event);
    if (const Broken broken = broken_rule_of_program(recorded, tables)) return broken;
  }
  if (const Broken broken = broken_rule_of_recording(std::move(host), tables)) return broken;
  return broken_rule_of_program(program, tables);
}

}  // namespace vramlab::support
