// `vramlab top`: who holds memory at a moment, and which call sites grow from iteration to
// iteration. Of several files the one that holds most, or grows most, is shown, and a table has
// all.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "replay/call_sites/call_sites.h"
#include "replay/call_sites/growth.h"
#include "replay/call_sites/holdings.h"
#include "tools/cli/commands/top/held_lines.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/logging.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceGrowth;
using replay::DeviceHoldings;
using replay::GroupBy;
using replay::GroupTotals;
using replay::GrowingSite;
using replay::HeldGroup;
using replay::IterationRule;
using replay::IterationSource;
using replay::StackTree;

/// The answer about one file.
struct TopAnswer {
  /// Lines for people without the name of the file, or folded stacks.
  std::string text;
  ordered_json json;
  /// A row for each device in the table of several files, without the file's name.
  std::vector<std::vector<std::string>> rows;
  /// The file with the most is the worst.
  double most = 0;
  /// The refusal of a file that has no such moment, which others may have.
  std::optional<traces::InputError> no_moment;
};

struct TopOutcome {
  std::string file;
  /// As it was asked for: `peak`, `end`, `oom`, an event or a time.
  std::string moment;
  bool at_time = false;
  traces::ShownMemory memory = traces::ShownMemory::device;
  /// If set, only blocks that were allocated after this event.
  std::optional<std::uint64_t> allocated_after;
  /// Such as `site`.
  std::string grouped_by;
  replay::GroupBy by = replay::GroupBy::site;
  /// The frames of trees and folded stacks.
  traces::FrameChoice frames = traces::FrameChoice::readable;
  bool is_program = false;
  replay::FoundHoldings found;
  /// Groups to show of each device; 0 for all.
  std::uint64_t limit = 0;
};

struct GrowthOutcome {
  std::string file;
  replay::FoundGrowth found;
  const traces::SnapshotTables& tables;
  /// Sites to show of each device; 0 for all.
  std::uint64_t limit = 0;
};

/// Longer names of call sites and stacks lose their middle.
constexpr std::size_t top_name_width = 100;

/// The nodes that lead to one of the stacks that hold most, and the memory of the other stacks.
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

/// The line about groups that a limit left out; empty if there are none.
std::string hidden_text(std::size_t count, const GroupTotals& hidden) {
  if (count == 0) return "";
  return "  and " + std::to_string(count) + " more, " + format_bytes(hidden.bytes) + " in " +
         std::to_string(hidden.blocks) + (hidden.blocks == 1 ? " block" : " blocks") +
         " (--limit 0 shows all)\n";
}

/// The tree as rows, with at most `stack_limit` of the stacks that hold most (0: all). A chain of
/// frames without branches is one row, with its outermost and its innermost frame.
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
  if (outcome.moment == "peak_reserved") text = "at the peak of reserved memory, " + of_events;
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

/// A hint for recordings without stacks, where a table of sites can't help.
std::string missing_stacks_text(const DeviceHoldings& device) {
  const bool has_stacks = std::ranges::any_of(device.blocks, [](const replay::LiveBlock& block) {
    return block.stack != traces::StackId{};
  });
  return has_stacks ? "" : "  no block has a stack; --by size or --by age may say more\n";
}

/// The memory of the groups that a limit leaves out.
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
  const auto groups = group_holdings(outcome.found, device, outcome.by, tables);
  return text + group_table(groups, outcome, all);
}

/// The frames of a stack, innermost first, as JSON.
ordered_json stack_json(traces::StackId stack, const traces::SnapshotTables& tables) {
  return json_list(tables.stacks.frames(stack), [&](traces::FrameId id) -> ordered_json {
    const traces::FrameValue& frame = tables.frames.frame(id);
    const bool knows_line = frame.keys.has(traces::KnownText::line) && frame.line >= 0;
    return {{"name", tables.texts.text(frame.name)},
            {"filename", tables.texts.text(frame.filename)},
            {"line", knows_line ? ordered_json(frame.line) : ordered_json()}};
  });
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
  const auto groups = group_holdings(outcome.found, device, outcome.by, tables);
  const std::size_t shown = shown_of(groups.size(), outcome.limit);
  json["groups"] = json_list(std::span(groups).first(shown),
                             [&](const HeldGroup& group) { return group_json(group, tables); });
  json["more"] = {{"groups", groups.size() - shown}};
  json["more"].update(totals_json(totals_behind(groups, shown)));
  return json;
}

std::string top_text(const TopOutcome& outcome, const traces::SnapshotTables& tables) {
  std::string text;
  for (const std::string& note : outcome.found.notes) text += "  note: " + shown_name(note) + "\n";
  for (const DeviceHoldings& device : outcome.found.devices)
    text += device_text(outcome, device, tables);
  return text;
}

ordered_json top_json(const TopOutcome& outcome, const traces::SnapshotTables& tables) {
  return {{"schema_version", 2},
          {"kind", "holdings"},
          {"file", outcome.file},
          {"memory", outcome.memory == traces::ShownMemory::host ? "host" : "device"},
          {"moment", outcome.moment},
          {"allocated_after", or_null(outcome.allocated_after)},
          {"grouped_by", outcome.grouped_by},
          {"notes", outcome.found.notes},
          {"devices", json_list(outcome.found.devices, [&](const DeviceHoldings& device) {
             return device_json(outcome, device, tables);
           })}};
}

/// `root` is the frame that all stacks begin with; empty for none.
std::string top_folded(const TopOutcome& outcome, const traces::SnapshotTables& tables,
                       const std::string& root) {
  std::string text;
  for (const DeviceHoldings& device : outcome.found.devices) {
    std::string name = root;
    if (outcome.found.devices.size() > 1)
      name += (root.empty() ? "" : ", ") + ("device " + std::to_string(device.device));
    text += folded_stacks(replay::stack_tree_of(device.blocks, tables, outcome.frames), name);
  }
  return text;
}

/// The call site that holds most, whatever else the blocks are grouped by.
std::string largest_site(const DeviceHoldings& device, const traces::SnapshotTables& tables) {
  const auto sites = group_blocks(device.blocks, GroupBy::site, tables, {});
  return sites.empty() ? std::string() : shortened(sites.front().key, top_name_width);
}

void add_rows(TopAnswer& answer, const TopOutcome& outcome, const traces::SnapshotTables& tables) {
  for (const DeviceHoldings& device : outcome.found.devices) {
    const GroupTotals all = replay::totals_of(device.blocks);
    answer.rows.push_back({std::to_string(device.device), format_bytes(all.bytes),
                           std::to_string(all.blocks), largest_site(device, tables)});
    answer.most = std::max(answer.most, static_cast<double>(all.bytes.count));
  }
}

constexpr std::size_t growing_name_width = 90;

constexpr std::pair<IterationSource, const char*> source_names[] = {
    {IterationSource::none, "none"},        {IterationSource::events, "events"},
    {IterationSource::every, "every"},      {IterationSource::ranges, "ranges"},
    {IterationSource::markers, "markers"},  {IterationSource::annotations, "annotations"},
    {IterationSource::requests, "requests"}};

const char* source_name(IterationSource source) {
  return std::ranges::find(source_names, source, &std::pair<IterationSource, const char*>::first)
      ->second;
}

/// The request that each iteration begins with.
std::string request_text(const replay::RepeatedRequest& request,
                         const traces::SnapshotTables& tables) {
  const auto frame = traces::innermost_user_frame(request.stack, tables);
  if (!frame) return "a request of " + format_bytes(request.requested);
  return "a request at " + traces::frame_text(*frame, tables);
}

std::string how_found(const IterationRule& rule, std::int64_t device,
                      const traces::SnapshotTables& tables) {
  switch (rule.source) {
    case IterationSource::events:
      return "they end after the given events";
    case IterationSource::every:
      return "every " + std::to_string(rule.every) + " events, as given";
    case IterationSource::ranges:
      return "from the ranges '" + rule.name + "'";
    case IterationSource::markers:
      return "from the markers '" + rule.name + "'";
    case IterationSource::annotations:
      return "from the annotations '" + rule.name + "'";
    case IterationSource::requests: {
      const auto request = rule.requests.find(device);
      if (request == rule.requests.end()) return "none found";
      return "guessed from repeated requests: each begins with " +
             request_text(request->second, tables);
    }
    case IterationSource::none:
      break;
  }
  return "none found";
}

std::string blocks_per_iteration(const GrowingSite& site) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f",
                static_cast<double>(site.grown_blocks) / static_cast<double>(site.iterations));
  return text;
}

Bytes whole_bytes(double bytes) { return {static_cast<std::uint64_t>(std::llround(bytes))}; }

std::string sites_text(const DeviceGrowth& device, std::uint64_t limit) {
  Table table({{"growth/iter.", 14},
               {"blocks/iter.", 12},
               {"held at end", 12},
               {"blocks", 6},
               left("call site")});
  const std::size_t shown = shown_of(device.sites.size(), limit);
  for (const GrowingSite& site : std::span(device.sites).first(shown))
    table.add({format_bytes(whole_bytes(site.bytes_per_iteration())), blocks_per_iteration(site),
               format_bytes(site.held), std::to_string(site.held_blocks),
               shortened(site.key, growing_name_width)});
  return table.text() + rest_line(device.sites.size() - shown);
}

std::string device_text(const GrowthOutcome& outcome, const DeviceGrowth& device) {
  std::string text =
      "device " + std::to_string(device.device) + ": " + std::to_string(device.iterations) +
      (device.iterations == 1 ? " end of an iteration, " : " ends of iterations, ") +
      shown_name(how_found(outcome.found.rule, device.device, outcome.tables)) + "\n";
  if (device.iterations < replay::least_iteration_ends)
    return text + "  too few to tell growth from warm-up: " +
           std::to_string(replay::least_iteration_ends) + " are needed\n";
  if (outcome.found.rule.source == IterationSource::requests)
    text +=
        "  these iterations are guessed: they may be layers or parameters of one step; --iteration "
        "and --every\n  set where steps end\n";
  text += "  held at the end of the first one " + format_bytes(device.held_first) +
          ", of the last one " + format_bytes(device.held_last) + ", as requested\n";
  if (device.sites.empty()) return text + "  no call site grows steadily\n";
  return text + sites_text(device, outcome.limit);
}

ordered_json site_json(const GrowingSite& site, const traces::SnapshotTables& tables) {
  return {{"key", site.key},
          {"bytes_per_iteration", site.bytes_per_iteration()},
          {"blocks_per_iteration",
           static_cast<double>(site.grown_blocks) / static_cast<double>(site.iterations)},
          {"steady_iterations", site.iterations},
          {"grown_bytes", site.grown.count},
          {"grown_blocks", site.grown_blocks},
          {"held_bytes", site.held.count},
          {"held_blocks", site.held_blocks},
          {"stack", stack_json(site.sample_stack, tables)}};
}

ordered_json growth_device_json(const GrowthOutcome& outcome, const DeviceGrowth& device) {
  const auto shown = std::span(device.sites).first(shown_of(device.sites.size(), outcome.limit));
  const auto of_site = [&](const auto& site) { return site_json(site, outcome.tables); };
  return {{"device", device.device},
          {"iteration_ends", device.iterations},
          {"how_found", how_found(outcome.found.rule, device.device, outcome.tables)},
          {"is_enough", device.iterations >= replay::least_iteration_ends},
          {"first_held_bytes", device.held_first.count},
          {"last_held_bytes", device.held_last.count},
          {"growing_sites", device.sites.size()},
          {"sites", json_list(shown, of_site)}};
}

std::string growth_text(const GrowthOutcome& outcome) {
  if (outcome.found.rule.source == IterationSource::none)
    return "  no iterations found: nothing is named like one, and no request repeats at even "
           "distances;\n  give their ends with --iteration or --every\n";
  std::string text;
  for (const DeviceGrowth& device : outcome.found.devices) text += device_text(outcome, device);
  return text;
}

ordered_json growth_json(const GrowthOutcome& outcome) {
  const replay::FoundGrowth& found = outcome.found;
  return {{"schema_version", 1},
          {"kind", "growth"},
          {"file", outcome.file},
          {"iterations_by", source_name(found.rule.source)},
          {"iteration_name", found.rule.name},
          {"is_guess", found.rule.source == IterationSource::requests},
          {"devices", json_list(found.devices, [&](const DeviceGrowth& device) {
             return growth_device_json(outcome, device);
           })}};
}

void add_rows(TopAnswer& answer, const GrowthOutcome& outcome) {
  for (const DeviceGrowth& device : outcome.found.devices) {
    double all = 0;
    for (const GrowingSite& site : device.sites) all += site.bytes_per_iteration();
    answer.rows.push_back(
        {std::to_string(device.device), format_bytes(whole_bytes(all)),
         std::to_string(device.iterations), std::to_string(device.sites.size()),
         device.sites.empty() ? "" : shortened(device.sites.front().key, growing_name_width)});
    answer.most = std::max(answer.most, all);
  }
}

constexpr std::uint64_t usual_limit = 20;

struct TopArguments {
  std::vector<std::string> files;
  std::string at = "peak";
  std::vector<std::uint64_t> between;
  std::string by = "site";
  std::optional<std::uint64_t> limit;
  std::optional<std::int64_t> device;
  bool host = false;
  bool folded = false;
  bool growth = false;
  bool native = false;
  std::vector<std::uint64_t> iteration_ends;
  std::uint64_t every = 0;
  std::string kinds = "recorded";
  CommonFlags flags;

  replay::KindsFrom kinds_from() const { return kinds_source(kinds); }
  /// JSON is for programs, so no row is left out unless that is asked for.
  std::uint64_t shown() const { return limit.value_or(flags.json ? 0 : usual_limit); }
};

const std::map<std::string, GroupBy>& groupings() {
  static const std::map<std::string, GroupBy> names = {
      {"site", GroupBy::site},          {"stack", GroupBy::stack}, {"size", GroupBy::size},
      {"stream", GroupBy::stream},      {"pool", GroupBy::pool},   {"age", GroupBy::age},
      {"label", GroupBy::label},        {"kind", GroupBy::kind},   {"module", GroupBy::module},
      {"parameter", GroupBy::parameter}};
  return names;
}

replay::Moment wanted_moment(const TopArguments& arguments) {
  if (arguments.between.empty()) return *moment_of(arguments.at);
  return {replay::MomentKind::event, arguments.between[1]};
}

template <typename Devices>
void keep_device(Devices& devices, const std::string& file, const TopArguments& arguments) {
  if (!arguments.device) return;
  std::string others;
  for (const auto& device : devices)
    others += (others.empty() ? "" : ", ") + std::to_string(device.device);
  std::erase_if(devices, [&](const auto& device) { return device.device != *arguments.device; });
  if (devices.empty())
    throw traces::InputError(
        {traces::input_name(file), "",
         "a device " + std::to_string(*arguments.device) + " that has something to show",
         others.empty() ? "none" : "only " + others});
}

TopAnswer growth_in(const std::string& file, const TopArguments& arguments, ProgressBar& bar) {
  replay::IterationRule rule;
  if (!arguments.iteration_ends.empty()) {
    rule.source = replay::IterationSource::events;
    rule.events = arguments.iteration_ends;
    std::ranges::sort(rule.events);
  } else if (arguments.every > 0) {
    rule.source = replay::IterationSource::every;
    rule.every = arguments.every;
  }
  const auto passes =
      rule.source == replay::IterationSource::none ? replay::Passes::many : replay::Passes::one;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(file, bar.listener(), {.passes = passes});
  GrowthOutcome outcome{file, find_growth(*recording, rule), recording->tables(),
                        arguments.shown()};
  if (outcome.found.rule.source != replay::IterationSource::none)
    keep_device(outcome.found.devices, file, arguments);
  TopAnswer answer;
  if (arguments.flags.json)
    answer.json = growth_json(outcome);
  else
    answer.text = growth_text(outcome);
  add_rows(answer, outcome);
  return answer;
}

/// `root`: of folded stacks.
TopAnswer holdings_in(const std::string& file, const TopArguments& arguments, ProgressBar& bar,
                      const std::string& root) {
  const auto memory = arguments.host ? traces::ShownMemory::host : traces::ShownMemory::device;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(file, bar.listener(), {.passes = replay::Passes::one}, memory);
  const traces::SnapshotTables& tables = recording->tables();
  TopOutcome outcome;
  outcome.is_program = recording->is_program();
  outcome.memory = memory;
  outcome.file = file;
  const replay::Moment moment = wanted_moment(arguments);
  outcome.moment =
      arguments.between.empty() ? shown_moment(arguments.at) : std::to_string(moment.event);
  outcome.at_time = moment.kind == replay::MomentKind::time;
  if (!arguments.between.empty()) outcome.allocated_after = arguments.between[0];
  outcome.grouped_by = arguments.by;
  outcome.by = groupings().at(arguments.by);
  outcome.limit = arguments.shown();
  if (arguments.native) outcome.frames = traces::FrameChoice::all;
  TopAnswer answer;
  try {
    outcome.found = find_holdings(*recording, moment, outcome.allocated_after);
    if (needs_kinds(outcome.by))
      add_kinds(outcome.found, find_kinds(*recording, arguments.kinds_from()));
  } catch (const replay::NoSuchMoment& error) {
    answer.no_moment = error;
    answer.most = -1;
    outcome.found.notes = {"expected " + error.fault().expected + ", found " + error.fault().found};
  }
  if (!answer.no_moment) keep_device(outcome.found.devices, file, arguments);
  if (arguments.folded)
    answer.text = top_folded(outcome, tables, root);
  else if (arguments.flags.json)
    answer.json = top_json(outcome, tables);
  else
    answer.text = top_text(outcome, tables);
  if (arguments.files.size() > 1) add_rows(answer, outcome, tables);
  return answer;
}

using TopAnswers = FileAnswers<TopAnswer>;

/// The files without the moment; empty if there are none.
std::string left_out_text(const TopAnswers& files) {
  std::string text;
  const std::vector<std::string> names = short_names(files.files);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& without = files.answers[i].no_moment;
    if (without)
      text += text.empty() ? "left out, without " + without->fault().expected + ": " + names[i]
                           : ", " + names[i];
  }
  return text;
}

/// The row of a file without iterations, or without the moment, has its name alone.
Table files_table(const TopAnswers& files, const TopArguments& arguments) {
  const std::vector<TopAnswer>& answers = files.answers;
  const std::vector<Column> of_growth = {name_column("file"), {"GPU"},
                                         {"growth/iter."},    {"iter. ends"},
                                         {"growing sites"},   call_site_column("grows most")};
  const std::vector<Column> of_holdings = {name_column("file"),
                                           {"GPU"},
                                           {"bytes"},
                                           {"blocks"},
                                           call_site_column("call site that holds most")};
  Table table(arguments.growth ? of_growth : of_holdings);
  const std::vector<std::string> names = short_names(files.files);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].rows.empty()) table.add({names[i]});
    for (std::vector<std::string> cells : answers[i].rows) {
      cells.insert(cells.begin(), names[i]);
      table.add(std::move(cells));
    }
  }
  return table;
}

std::string printed(TopAnswers& files, const TopArguments& arguments) {
  std::vector<TopAnswer>& answers = files.answers;
  const auto found = std::ranges::max_element(answers, {}, &TopAnswer::most);
  const auto worst = static_cast<std::size_t>(found - answers.begin());
  if (arguments.flags.json) {
    std::vector<ordered_json> documents;
    for (TopAnswer& answer : answers) documents.push_back(std::move(answer.json));
    return json_text(of_files_json(std::move(documents), worst));
  }
  const std::string left_out = left_out_text(files);
  std::string text;
  if (arguments.folded) {
    if (!left_out.empty()) log_warning(left_out);
    for (const TopAnswer& answer : answers) text += answer.text;
    return text;
  }
  text = worst_heading(files.files, worst);
  if (!left_out.empty()) text += "  note: " + shown_name(left_out) + "\n";
  text += found->text;
  if (answers.size() == 1) return text;
  return text + "\n" + files_table(files, arguments).text_within(table_columns());
}

ExitStatus show_top(const TopArguments& arguments) {
  if (!arguments.between.empty() && arguments.between[0] >= arguments.between[1])
    throw CLI::ValidationError("--between", "expected the earlier event first, found " +
                                                std::to_string(arguments.between[0]) + " and " +
                                                std::to_string(arguments.between[1]));
  if (arguments.device) refuse_several(arguments.files, "--device");
  const std::vector<std::string> roots =
      arguments.files.size() > 1 ? short_names(arguments.files) : std::vector<std::string>{""};
  TopAnswers files = answer_each_file<TopAnswer>(
      arguments.files, arguments.flags, usual_thread_count(), [&](std::size_t i, ProgressBar& bar) {
        const std::string& file = arguments.files[i];
        return arguments.growth ? growth_in(file, arguments, bar)
                                : holdings_in(file, arguments, bar, roots[i]);
      });
  if (std::ranges::all_of(files.answers,
                          [](const auto& one) { return one.no_moment.has_value(); })) {
    tell_refused(files.refused);
    throw traces::InputError(*files.answers.front().no_moment);
  }
  print(printed(files, arguments));
  return tell_refused(files.refused);
}

void add_moment_options(CLI::App& command, TopArguments& arguments) {
  CLI::Option* at = add_moment(
      command, "--at", arguments.at,
      "When: peak (of allocated memory, the default), peak_reserved, oom, end, an event's "
      "number, or a time from the first event on, such as 12.5ms or time:3s");
  command
      .add_option("--between", arguments.between,
                  "Only what was allocated after the first of two events, up to the second, and "
                  "is live after it")
      ->expected(2)
      ->excludes(at);
  CLI::Option* device = command.add_option("--device", arguments.device, "Only this device");
  command
      .add_flag("--host", arguments.host,
                "Pinned host memory instead of that of GPUs: of recordings since PyTorch 2.14 and "
                "of programs with events about it")
      ->excludes(device);
}

void add_growth_options(CLI::App& command, TopArguments& arguments) {
  CLI::Option* growth = command.add_flag(
      "--growth", arguments.growth, "Find leaks: call sites that hold more with each iteration");
  CLI::Option* ends = command
                          .add_option("--iteration", arguments.iteration_ends,
                                      "The events that iterations end after: 100,200,300")
                          ->delimiter(',')
                          ->needs(growth);
  command.add_option("--every", arguments.every, "An iteration is so many events of a device")
      ->check(refusal_of_nothing)
      ->needs(growth)
      ->excludes(ends);
  for (const char* other :
       {"--at", "--between", "--by", "--kinds", "--folded", "--native", "--host"})
    growth->excludes(command.get_option(other));
}

void add_options(CLI::App& command, TopArguments& arguments) {
  add_file(command, arguments.files,
           "PyTorch memory snapshots (pickle or JSON), native traces, torch profiler traces, "
           "RMM or BFC logs (also .gz, .zst; - is standard input); of several the one that holds "
           "most is "
           "shown, and a table has all");
  add_moment_options(command, arguments);
  std::vector<std::string> names;
  for (const auto& [name, by] : groupings()) names.push_back(name);
  CLI::Option* by = command
                        .add_option("--by", arguments.by,
                                    "Group by: site (the user's own innermost frame, the "
                                    "default), stack (a tree), size, stream, pool, age, label "
                                    "(of the program), and what blocks hold, where the recording "
                                    "says it: kind, module, parameter")
                        ->check(CLI::IsMember(names));
  add_kinds_option(command, arguments.kinds);
  command.add_option("--limit", arguments.limit,
                     "Rows to show of each device (default: 20, in JSON all; 0 for all)");
  add_common_flags(command, arguments.flags);
  command
      .add_flag("--folded", arguments.folded,
                "Print folded stacks with their bytes, for flamegraph.pl")
      ->excludes(by)
      ->excludes(command.get_option("--json"))
      ->excludes(command.get_option("--limit"));
  command.add_flag("--native", arguments.native,
                   "In trees and folded stacks, frames of C and C++ beside Python's, too");
  add_growth_options(command, arguments);
}

}  // namespace

std::string held_at_end(const std::string& file, std::uint64_t limit) {
  TopArguments arguments;
  arguments.files = {file};
  arguments.at = "end";
  arguments.limit = limit;
  arguments.flags.quiet = true;
  ProgressBar bar(file, arguments.flags);
  const TopAnswer answer = holdings_in(file, arguments, bar, "");
  if (answer.no_moment) throw traces::InputError(*answer.no_moment);
  return answer.text;
}

Command top_command() {
  return {"top", "Show who holds memory at the peak or another moment, and find leaks",
          "Example: vramlab top snapshot.pickle", with<TopArguments>(add_options, show_top)};
}

}  // namespace vramlab::tools
