#include "tools/cli/commands/pack/pack_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/types/check.h"
#include "replay/packing/buffer.h"
#include "replay/packing/find_lifetimes.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::PackGroup;
using replay::PackingResult;
using replay::TriedPacking;

Table size_table() { return Table({left("", line_name_width), {"", 12}, left("")}); }

bool is_optimal(const PackGroup& group, const PackingResult& result) {
  return result.packing.height == group.load_bound;
}

std::string bounds_text(const PackGroup& group) {
  Table table = size_table();
  if (!group.bounds) {
    table.add({"load", format_bytes(group.load_bound), "peak of live memory"});
    return "  lower bounds\n" + table.text("    ");
  }
  table.add({"requested", format_bytes(group.bounds->peak_requested), "peak of requested memory"});
  table.add({"load", format_bytes(group.load_bound),
             "the same, rounded up to blocks: no packing is lower"});
  if (group.bounds->peak_by_stream.size() > 1)
    table.add({"by streams", format_bytes(group.bounds->sum_of_streams),
               "if streams share no memory: " + stream_peaks_text(*group.bounds)});
  return "  lower bounds\n" + table.text("    ");
}

std::string online_text(const PackOutcome& outcome, const PackGroup& group, Bytes best) {
  if (!group.online_peak_reserved) return "";
  if (*group.online_peak_reserved < group.load_bound)
    return "  the recording contradicts itself: it reserved " +
           format_bytes(*group.online_peak_reserved) + " at its peak, less than was in use\n";
  return "  the allocator reserved " + format_bytes(*group.online_peak_reserved) + " at its peak" +
         (outcome.input.source == replay::PackSource::recording ? ", as recorded: "
                                                                : ", replayed: ") +
         percent_above(*group.online_peak_reserved, best) + " above the best packing\n";
}

std::string group_text(const PackOutcome& outcome, std::size_t index) {
  const PackGroup& group = outcome.input.groups[index];
  const PackingResult& result = outcome.results[index];
  std::string text = (group.device ? "device " + std::to_string(*group.device) + ": " : "") +
                     std::to_string(group.buffers.size()) +
                     (group.device ? " blocks\n" : " buffers\n");
  text += bounds_text(group);
  text += "  packings into one range of addresses, with all lifetimes known in advance\n";
  Table table = size_table();
  for (const TriedPacking& tried : result.tried)
    table.add({tried.heuristic, format_bytes(tried.height),
               percent_above(tried.height, group.load_bound)});
  text += table.text("    ");
  for (const std::string& sentence : result.left_out)
    text += "    left out: " + shown_name(sentence) + "\n";
  text += "  best: " + best_packing_text(group, result) + "\n";
  text += online_text(outcome, group, result.packing.height);
  if (outcome.capacity)
    text += "  " + std::string(outcome.fits(index) ? "fits" : "does not fit") + " into " +
            format_bytes(*outcome.capacity) +
            (group.load_bound > *outcome.capacity ? ", and no packing can\n" : "\n");
  return text;
}

ordered_json bounds_json(const replay::LowerBounds& bounds) {
  const auto stream_json = [](const auto& peak) -> ordered_json {
    return {{"stream", peak.first.value}, {"peak_bytes", peak.second.count}};
  };
  return {{"peak_requested", bounds.peak_requested.count},
          {"peak_rounded", bounds.peak_rounded.count},
          {"sum_of_stream_peaks", bounds.sum_of_streams.count},
          {"streams", json_list(bounds.peak_by_stream, stream_json)}};
}

std::string end_text(EndedBy ended_by) {
  if (ended_by == EndedBy::nothing) return "";
  return std::string(ended_by == EndedBy::time ? "the time was over" : "interrupted") +
         " before the searches were done: another run may find another packing\n";
}

ordered_json ended_by_json(EndedBy ended_by) {
  if (ended_by == EndedBy::nothing) return nullptr;
  return ended_by == EndedBy::time ? "time" : "interrupt";
}

ordered_json tried_json(const TriedPacking& packing) {
  return {{"heuristic", packing.heuristic}, {"bytes", packing.height.count}};
}

ordered_json group_json(const PackOutcome& outcome, std::size_t index) {
  const PackGroup& group = outcome.input.groups[index];
  const PackingResult& result = outcome.results[index];
  return {{"device", or_null(group.device)},
          {"buffers", group.buffers.size()},
          {"lower_bounds", or_null(group.bounds, bounds_json)},
          {"load_bound", group.load_bound.count},
          {"tried", json_list(result.tried, tried_json)},
          {"left_out", result.left_out},
          {"best",
           {{"heuristic", result.heuristic},
            {"bytes", result.packing.height.count},
            {"is_optimal", is_optimal(group, result)}}},
          {"peak_reserved", or_null(group.online_peak_reserved)},
          {"fits", outcome.capacity ? ordered_json(outcome.fits(index)) : ordered_json(nullptr)}};
}

}  // namespace

std::string stream_peaks_text(const replay::LowerBounds& bounds) {
  constexpr std::size_t most = 4;
  std::string text;
  std::size_t count = 0;
  for (const auto& [stream, peak] : bounds.peak_by_stream) {
    if (count++ == most) break;
    text += (text.empty() ? "stream " : ", stream ") + std::to_string(stream.value) + " " +
            format_bytes(peak);
  }
  if (bounds.peak_by_stream.size() > most)
    text += ", and " + std::to_string(bounds.peak_by_stream.size() - most) + " more";
  return text;
}

ordered_json pack_groups_json(const PackOutcome& outcome) {
  ordered_json groups = ordered_json::array();
  for (std::size_t i = 0; i < outcome.results.size(); ++i) groups.push_back(group_json(outcome, i));
  return groups;
}

std::string best_packing_text(const PackGroup& group, const PackingResult& result) {
  return format_bytes(result.packing.height) + " (" + std::to_string(result.packing.height.count) +
         " bytes) by " + result.heuristic +
         (is_optimal(group, result)
              ? ", which is optimal"
              : ", at most " + percent_above(result.packing.height, group.load_bound) +
                    " above the lowest possible");
}

bool PackOutcome::all_fit() const {
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!fits(i)) return false;
  return true;
}

bool PackOutcome::was_ended() const {
  return std::ranges::any_of(results, &replay::PackingResult::was_ended);
}

std::string pack_text(const PackOutcome& outcome) {
  std::string text = shown_name(outcome.file) + "\n";
  for (const std::string& note : outcome.input.notes) text += "  note: " + shown_name(note) + "\n";
  for (std::size_t i = 0; i < outcome.results.size(); ++i) text += group_text(outcome, i);
  return text + end_text(outcome.ended_by);
}

std::string pack_json(const PackOutcome& outcome) {
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"source", replay::pack_source_name(outcome.input.source)},
                    {"notes", outcome.input.notes},
                    {"capacity", or_null(outcome.capacity)},
                    {"ended_by", ended_by_json(outcome.ended_by)},
                    {"groups", pack_groups_json(outcome)}});
}

replay::PackingResult checked_packing(const replay::PackGroup& group,
                                      const replay::PackingLimits& limits) {
  replay::PackingResult result = best_packing(group.buffers, limits);
  const auto fault = packing_fault(group.buffers, result.packing);
  check(!fault, fault ? fault->c_str() : "the packing is without fault");
  check(result.packing.height >= result.load_bound, "a packing is not below the load bound");
  return result;
}

std::vector<replay::PackingResult> checked_packings(const replay::PackInput& input,
                                                    const replay::PackingLimits& limits) {
  std::vector<replay::PackingResult> results;
  for (const replay::PackGroup& group : input.groups)
    results.push_back(checked_packing(group, limits));
  return results;
}

replay::PackingResult packing_beside(const replay::PackGroup& group) {
  return checked_packing(group, replay::packing_beside_replays());
}

PackOutcome packing_beside(const replay::Replayer& replayer,
                           const replay::ReplayConditions& conditions) {
  PackOutcome outcome;
  outcome.file = replayer.file();
  outcome.input.source =
      replayer.has_histories() ? replay::PackSource::recording : replay::PackSource::program;
  std::vector<replay::DeviceLifetimes> devices = lifetimes_of(replayer, conditions);
  for (replay::DeviceLifetimes& device : devices) {
    if (device.blocks.empty()) continue;
    outcome.input.groups.push_back(pack_group_of(device, replayer.file()));
    // The group has what packing needs, and lifetimes of millions of blocks take much memory.
    device.blocks = std::vector<replay::Lifetime>();
    outcome.results.push_back(packing_beside(outcome.input.groups.back()));
  }
  return outcome;
}

std::optional<std::size_t> largest_packing(const PackOutcome& outcome) {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < outcome.results.size(); ++i)
    if (!largest || outcome.results[i].packing.height > outcome.results[*largest].packing.height)
      largest = i;
  return largest;
}

nlohmann::ordered_json best_packing_json(const replay::PackingResult* result) {
  if (result == nullptr) return nullptr;
  return {{"heuristic", result->heuristic},
          {"bytes", result->packing.height.count},
          {"load_bound", result->load_bound.count},
          {"is_optimal", result->is_optimal()},
          {"left_out", result->left_out}};
}

}  // namespace vramlab::tools
