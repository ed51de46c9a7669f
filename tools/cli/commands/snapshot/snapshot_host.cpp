#include "tools/cli/commands/snapshot/snapshot_host.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

/// A block is handed out whole, so it is a segment.
struct HostBlock {
  SnapshotBlock block;
  PoolId pool;
  const replay::RequestOrigin* origin = nullptr;
};

std::vector<HostBlock> blocks_of(const replay::DeviceState& state) {
  std::vector<HostBlock> blocks;
  for (const SnapshotSegment& segment : state.snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      const auto origin = state.origins.find(block.address);
      blocks.push_back(
          {block, segment.pool, origin == state.origins.end() ? nullptr : &origin->second});
    }
  return blocks;
}

struct HostSums {
  Bytes pinned;
  Bytes allocated;
  Bytes waiting;
  Bytes free;
};

HostSums sums_of(const std::vector<HostBlock>& blocks) {
  HostSums sums;
  for (const HostBlock& shown : blocks) {
    const SnapshotBlock& block = shown.block;
    sums.pinned += block.size;
    if (block.state == BlockState::active_allocated)
      sums.allocated += block.size;
    else if (block.state == BlockState::active_pending_free)
      sums.waiting += block.size;
    else
      sums.free += block.size;
  }
  return sums;
}

std::optional<std::string> call_site(const HostBlock& shown, const traces::SnapshotTables& tables) {
  if (shown.origin == nullptr) return std::nullopt;
  const auto frame = traces::innermost_user_frame(shown.origin->stack, tables);
  if (!frame) return std::nullopt;
  return traces::frame_text(*frame, tables);
}

std::string state_word(BlockState state) {
  if (state == BlockState::active_allocated) return "in use";
  return state == BlockState::active_pending_free ? "waiting" : "free";
}

std::string blocks_text(std::vector<HostBlock> blocks, const HostStateOutcome& outcome) {
  std::ranges::stable_sort(
      blocks, [](const HostBlock& a, const HostBlock& b) { return a.block.size > b.block.size; });
  Table table({left("address", 18), {"size", 11}, left("state", 8), left("call site")});
  const std::size_t shown = shown_of(blocks.size(), outcome.block_limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const HostBlock& one = blocks[i];
    std::string site = call_site(one, outcome.tables).value_or("");
    if (one.pool != default_pool) site += (site.empty() ? "pool " : ", pool ") + name_of(one.pool);
    table.add({name_of(one.block.address), format_bytes(one.block.size),
               state_word(one.block.state), site});
  }
  return table.text() + rest_line(blocks.size() - shown, "--segments", "smaller blocks");
}

ordered_json block_json(const HostBlock& shown, const traces::SnapshotTables& tables) {
  const auto event = shown.origin == nullptr ? std::nullopt : shown.origin->event;
  const auto time_ns = shown.origin == nullptr ? std::nullopt : shown.origin->time_ns;
  return {{"address", shown.block.address.value},
          {"bytes", shown.block.size.count},
          {"state", block_state_name(shown.block.state)},
          {"pool_id", {shown.pool.graph, shown.pool.user}},
          {"event", or_null(event)},
          {"time_ns", or_null(time_ns)},
          {"call_site", or_null(call_site(shown, tables))}};
}

}  // namespace

std::string host_state_text(const HostStateOutcome& outcome) {
  std::string text = outcome.file + ", " + outcome.moment + "\n";
  for (const std::string& note : outcome.found.notes) text += "  note: " + note + "\n";
  const std::vector<HostBlock> blocks = blocks_of(outcome.found.state);
  const HostSums sums = sums_of(blocks);
  text += "pinned host memory: " + format_bytes(sums.pinned) + " pinned in " +
          std::to_string(blocks.size()) + (blocks.size() == 1 ? " block\n" : " blocks\n");
  text += "  " + format_bytes(sums.allocated) + " in use, " + format_bytes(sums.waiting) +
          " waiting, " + format_bytes(sums.free) + " free\n";
  return text + blocks_text(blocks, outcome);
}

std::string host_state_json(const HostStateOutcome& outcome) {
  const std::vector<HostBlock> blocks = blocks_of(outcome.found.state);
  const HostSums sums = sums_of(blocks);
  const auto of_block = [&](const auto& block) { return block_json(block, outcome.tables); };
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"moment", outcome.moment},
                    {"notes", outcome.found.notes},
                    {"metrics", ordered_json::object()},
                    {"out_of_memory", ordered_json::array()},
                    {"devices", ordered_json::array()},
                    {"host",
                     {{"pinned_bytes", sums.pinned.count},
                      {"allocated_bytes", sums.allocated.count},
                      {"waiting_bytes", sums.waiting.count},
                      {"free_bytes", sums.free.count},
                      {"blocks", json_list(blocks, of_block)}}}});
}

}  // namespace vramlab::tools
