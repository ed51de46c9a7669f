#include "replay/holders/find_holdings.h"

#include "replay/history/recorded_history.h"
#include "traces/formats/read_snapshot.h"

namespace vramlab::replay {
namespace {

/// Requests rounded up by the settings that the file ends with.
void round_blocks(FoundHoldings& found, const traces::GenericPointer& settings,
                  const traces::TextTable& texts) {
  RecordedHistory recorded;
  recorded.settings = settings;
  const SettingsInForce in_force =
      recorded_settings(recorded, texts, allocator::reference_versions().back());
  bool is_rounded = false;
  for (DeviceHoldings& device : found.devices) {
    if (device.has_block_sizes || device.blocks.empty()) continue;
    is_rounded = true;
    for (LiveBlock& block : device.blocks)
      block.bytes = rounded(block.requested, in_force.settings);
  }
  if (is_rounded && !in_force.doubt.empty()) found.notes.push_back(in_force.doubt);
}

void add_contradictions(FoundHoldings& found) {
  for (const DeviceHoldings& device : found.devices)
    if (device.contradictions > 0)
      found.notes.push_back("device " + std::to_string(device.device) + ": " +
                            std::to_string(device.contradictions) +
                            " blocks end without a sign of it, so some of this may be wrong");
}

}  // namespace

FoundHoldings find_holdings(traces::OpenTrace& trace, traces::SnapshotTables& tables,
                            const Moment& moment, std::optional<std::uint64_t> allocated_after) {
  HoldingsFinder recorded(trace.file, moment, KeyMeaning::address, allocated_after);
  HoldingsFinder programs(trace.file, moment, KeyMeaning::id, allocated_after);
  RecordedMemoryEvents recorded_events(recorded);
  ProgramMemoryEvents program_events(trace.file, tables, programs);
  traces::read_trace(trace, tables, {recorded_events, program_events});
  FoundHoldings found;
  found.is_program = program_events.event_count() > 0;
  if (found.is_program) {
    found.devices = programs.finish(program_events.event_count());
    if (program_events.restore_count() > 0)
      found.notes.push_back(std::to_string(program_events.restore_count()) +
                            " restored checkpoints were left out: what they bring back or take "
                            "away only a replay knows");
  } else {
    found.devices = recorded.finish(std::nullopt);
    round_blocks(found, recorded_events.settings(), tables.texts);
  }
  add_contradictions(found);
  return found;
}

}  // namespace vramlab::replay
