#include "tools/cli/commands/top/top_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "replay/call_sites/call_sites.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {

std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t begin = width / 2 - 2;
  return text.substr(0, begin) + " ... " + text.substr(text.size() - (width - begin - 5));
}

namespace {

using nlohmann::ordered_json;
using replay::DeviceHoldings;
using replay::GroupTotals;
using replay::HeldGroup;
using replay::StackTree;

/// Longer names of call sites and stacks lose their middle.
constexpr std::size_t top_name_width = 100;

/// Which nodes lead to one of the stacks that hold most; and what the other stacks hold.
struct Selection {
  std::vector<bool> is_shown;
  std::size_t hidden_stacks = 0;
  GroupTotals hidden;
};

std::vector<std::size_t> ends_by_size(const StackTree& tree) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].own.blocks > 0) ends.push_back(i);
  std::ranges::stable_sort(ends, [&](std::size_t a, std::size_t b) {
    return tree.nodes[a].own.bytes > tree.nodes[b].own.bytes;
  });
  return ends;
}

Selection select(const StackTree& tree, std::uint64_t stack_limit) {
  Selection selection;
  selection.is_shown.assign(tree.nodes.size(), false);
  const std::vector<std::size_t> ends = ends_by_size(tree);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (stack_limit == 0 || i < stack_limit) {
      selection.is_shown[ends[i]] = true;
      continue;
    }
    ++selection.hidden_stacks;
    selection.hidden.add(tree.nodes[ends[i]].own);
  }
  // Parents stand before their children, so one way back reaches all of them.
  for (std::size_t i = tree.nodes.size(); i-- > 0;)
    for (const std::size_t child : tree.nodes[i].children)
      if (selection.is_shown[child]) selection.is_shown[i] = true;
  return selection;
}

struct Row {
  std::size_t node = 0;
  std::size_t depth = 0;
};

/// The last frame before the stacks part or one of them ends.
std::size_t end_of_chain(const StackTree& tree, std::size_t at, std::size_t& skipped) {
  while (tree.nodes[at].own.blocks == 0 && tree.nodes[at].children.size() == 1) {
    at = tree.nodes[at].children.front();
    ++skipped;
  }
  return at;
}

std::string chain_text(const std::string& first, const std::string& last, std::size_t steps) {
  if (steps == 0) return shortened(first, top_name_width);
  const std::string between = steps == 1 ? " > " : " > (" + std::to_string(steps - 1) + " more) > ";
  return shortened(first, top_name_width / 2) + between + shortened(last, top_name_width / 2);
}

/// The last column has this name.
Table top_table(const std::string& name) {
  return Table({{"bytes", 14}, {"share", 7}, {"blocks", 6}, left(name)});
}

std::vector<std::string> top_cells(const GroupTotals& part, const GroupTotals& all,
                                   const std::string& name) {
  const bool is_share = all.bytes.count > 0;
  return {format_bytes(part.bytes), is_share ? percent_of(part.bytes.count, all.bytes.count) : "-",
          std::to_string(part.blocks), name};
}

/// What a limit left out; empty where that is nothing.
std::string hidden_text(std::size_t count, const GroupTotals& hidden) {
  if (count == 0) return "";
  return "  and " + std::to_string(count) + " more, " + format_bytes(hidden.bytes) + " in " +
         std::to_string(hidden.blocks) + (hidden.blocks == 1 ? " block" : " blocks") +
         " (--limit 0 shows all)\n";
}

/// The tree as rows, with the stacks that hold most, so many of them (0: all). Frames without
/// branches are written in one row, the outermost and the innermost of them.
std::string tree_text(const StackTree& tree, std::uint64_t stack_limit) {
  const Selection selection = select(tree, stack_limit);
  Table table = top_table("stack, outermost frame first");
  std::vector<Row> open;
  const auto open_children = [&](std::size_t node, std::size_t depth) {
    const auto& children = tree.nodes[node].children;
    for (std::size_t i = children.size(); i-- > 0;)
      if (selection.is_shown[children[i]]) open.push_back({children[i], depth});
  };
  open_children(0, 0);
  while (!open.empty()) {
    const Row row = open.back();
    open.pop_back();
    std::size_t steps = 0;
    const std::size_t end = end_of_chain(tree, row.node, steps);
    table.add(top_cells(tree.nodes[row.node].totals, tree.nodes.front().totals,
                        std::string(2 * row.depth, ' ') +
                            chain_text(tree.nodes[row.node].frame, tree.nodes[end].frame, steps)));
    open_children(end, row.depth + 1);
  }
  return table.text() + hidden_text(selection.hidden_stacks, selection.hidden);
}

std::string heading_of(const TopOutcome& outcome) {
  return outcome.by == replay::GroupBy::site ? "call site" : outcome.grouped_by;
}

std::string moment_text(const TopOutcome& outcome, const DeviceHoldings& device) {
  const std::string of_events =
      device.event
          ? "after event " + std::to_string(*device.event) +
                (outcome.is_program ? std::string() : " of " + std::to_string(device.event_count))
          : "before the first event";
  if (!device.has_history) return "at the end, the only state in the file";
  std::string text = of_events;
  if (outcome.moment == "peak") text = "at the peak of allocated memory, " + of_events;
  if (outcome.moment == "end") text = "at the end";
  if (outcome.moment == "oom") text = "at the first out-of-memory, " + of_events;
  if (outcome.at_time) text = "at " + outcome.moment + ", " + of_events;
  if (device.since_begin_ns && *device.since_begin_ns > 0 && outcome.moment != "end")
    text += ", " + nanoseconds_text(*device.since_begin_ns) + " after the first";
  if (outcome.allocated_after)
    text += ", only what was allocated after event " + std::to_string(*outcome.allocated_after);
  return text;
}

std::string blocks_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " block" : " blocks");
}

std::string head_text(const TopOutcome& outcome, const DeviceHoldings& device,
                      const GroupTotals& all) {
  const bool is_host = outcome.memory == traces::ShownMemory::host;
  std::string text = (is_host ? "pinned host memory" : "device " + std::to_string(device.device)) +
                     " " + moment_text(outcome, device) + "\n";
  if (all.blocks == 0) return text + "  nothing is allocated\n";
  text += "  " + format_bytes(all.bytes) + " in " + blocks_text(all.blocks);
  if (is_host && !outcome.is_program) return text + "; recordings have the sizes of blocks only\n";
  text += ", " + format_bytes(all.requested) + " requested" +
          (device.has_block_sizes ? "" : "; sizes are requests rounded up") + "\n";
  return text;
}

/// Said plainly where no table of sites can help.
std::string missing_stacks_text(const DeviceHoldings& device) {
  const bool has_stacks = std::ranges::any_of(device.blocks, [](const replay::LiveBlock& block) {
    return block.stack != traces::StackId{};
  });
  return has_stacks ? "" : "  no block has a stack; --by size or --by age may say more\n";
}

/// What a limit leaves out.
GroupTotals totals_behind(const std::vector<HeldGroup>& groups, std::size_t shown) {
  GroupTotals hidden;
  for (const HeldGroup& group : std::span(groups).subspan(shown)) hidden.add(group.totals);
  return hidden;
}

std::string group_table(const std::vector<HeldGroup>& groups, const TopOutcome& outcome,
                        const GroupTotals& all) {
  Table table = top_table(heading_of(outcome));
  const std::size_t shown = shown_of(groups.size(), outcome.limit);
  for (const HeldGroup& group : std::span(groups).first(shown))
    table.add(top_cells(group.totals, all, shortened(group.key, top_name_width)));
  return table.text() + hidden_text(groups.size() - shown, totals_behind(groups, shown));
}

std::string device_text(const TopOutcome& outcome, const DeviceHoldings& device,
                        const traces::SnapshotTables& tables) {
  const GroupTotals all = replay::totals_of(device.blocks);
  std::string text = head_text(outcome, device, all);
  if (device.blocks.empty()) return text;
  const bool uses_stacks =
      outcome.by == replay::GroupBy::site || outcome.by == replay::GroupBy::stack;
  if (uses_stacks) text += missing_stacks_text(device);
  if (outcome.by == replay::GroupBy::stack)
    return text +
           tree_text(replay::stack_tree_of(device.blocks, tables, outcome.frames), outcome.limit);
  const replay::AgeReference moment{device.event, device.time_ns};
  return text + group_table(group_blocks(device.blocks, outcome.by, tables, moment), outcome, all);
}

ordered_json totals_json(const GroupTotals& totals) {
  return {{"bytes", totals.bytes.count},
          {"requested_bytes", totals.requested.count},
          {"blocks", totals.blocks}};
}

ordered_json group_json(const HeldGroup& group, const traces::SnapshotTables& tables) {
  ordered_json json = {{"key", group.key}};
  json.update(totals_json(group.totals));
  json["stack"] = stack_json(group.sample_stack, tables);
  return json;
}

ordered_json device_json(const TopOutcome& outcome, const DeviceHoldings& device,
                         const traces::SnapshotTables& tables) {
  ordered_json json = {{"device", device.device},
                       {"has_history", device.has_history},
                       {"events", device.event_count},
                       {"event", or_null(device.event)},
                       {"since_begin_ns", or_null(device.since_begin_ns)},
                       {"bytes_are", device.has_block_sizes ? "blocks" : "rounded_requests"}};
  json.update(totals_json(replay::totals_of(device.blocks)));
  const auto groups =
      group_blocks(device.blocks, outcome.by, tables, {device.event, device.time_ns});
  const std::size_t shown = shown_of(groups.size(), outcome.limit);
  json["groups"] = json_list(std::span(groups).first(shown),
                             [&](const HeldGroup& group) { return group_json(group, tables); });
  json["more"] = {{"groups", groups.size() - shown}};
  json["more"].update(totals_json(totals_behind(groups, shown)));
  return json;
}

}  // namespace

ordered_json stack_json(traces::StackId stack, const traces::SnapshotTables& tables) {
  return json_list(tables.stacks.frames(stack), [&](traces::FrameId id) -> ordered_json {
    const traces::FrameValue& frame = tables.frames.frame(id);
    const bool knows_line = frame.keys.has(traces::KnownText::line) && frame.line >= 0;
    return {{"name", tables.texts.text(frame.name)},
            {"filename", tables.texts.text(frame.filename)},
            {"line", knows_line ? ordered_json(frame.line) : ordered_json()}};
  });
}

std::string top_text(const TopOutcome& outcome, const traces::SnapshotTables& tables) {
  std::string text = outcome.file + "\n";
  for (const std::string& note : outcome.found.notes) text += "  note: " + note + "\n";
  for (const DeviceHoldings& device : outcome.found.devices)
    text += device_text(outcome, device, tables);
  return text;
}

std::string top_json(const TopOutcome& outcome, const traces::SnapshotTables& tables) {
  return json_text({{"schema_version", 1},
                    {"kind", "holdings"},
                    {"file", outcome.file},
                    {"memory", outcome.memory == traces::ShownMemory::host ? "host" : "device"},
                    {"moment", outcome.moment},
                    {"allocated_after", or_null(outcome.allocated_after)},
                    {"grouped_by", outcome.grouped_by},
                    {"notes", outcome.found.notes},
                    {"devices", json_list(outcome.found.devices, [&](const DeviceHoldings& device) {
                       return device_json(outcome, device, tables);
                     })}});
}

std::string top_folded(const TopOutcome& outcome, const traces::SnapshotTables& tables) {
  std::string text;
  for (const DeviceHoldings& device : outcome.found.devices)
    text += folded_stacks(
        replay::stack_tree_of(device.blocks, tables, outcome.frames),
        outcome.found.devices.size() == 1 ? "" : "device " + std::to_string(device.device));
  return text;
}

}  // namespace vramlab::tools
