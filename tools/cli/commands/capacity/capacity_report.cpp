#include "tools/cli/commands/capacity/capacity_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/commands/pack/packing_beside.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::CapacityAnswer;

const std::vector<Column> figure_columns = {
    {"least memory"},  {"--device-memory"}, {"above packing"}, {"peak without limit"},
    {"live, rounded"}, {"live, requested"}, {"replays"}};

/// To the granule, as `--device-memory` takes it.
std::string exact_text(Bytes bytes) {
  constexpr Bytes mebibyte{1ULL << 20};
  return std::to_string(bytes / mebibyte) + "MiB";
}

/// How far the online allocator is above the packing, in millionths of it.
std::optional<std::int64_t> above_packing(const CapacityOutcome& outcome,
                                          const CapacityAnswer& answer) {
  const auto packing = outcome.best_packing();
  if (!packing || !answer.least || packing->count == 0) return std::nullopt;
  return static_cast<std::int64_t>(replay::ratio_of(answer.least->count, packing->count)) -
         replay::whole_ratio;
}

std::vector<std::string> cells_of(const CapacityOutcome& outcome, const CapacityAnswer& answer) {
  const auto live = [&answer](Bytes replay::LiveBounds::*part) {
    return answer.live ? format_bytes((*answer.live).*part) : std::string("-");
  };
  const auto above = above_packing(outcome, answer);
  return {answer.least ? format_bytes(*answer.least) : "-",
          answer.least ? exact_text(*answer.least) : "-",
          above ? (*above < 0 ? "" : "+") + ratio_text(*above) : "-",
          format_bytes(answer.peak_reserved),
          live(&replay::LiveBounds::rounded),
          live(&replay::LiveBounds::requested),
          std::to_string(answer.replays)};
}

/// More memory does not always help; where that matters it is said.
std::string remark_on(const CapacityAnswer& answer) {
  if (!answer.least) return "runs with no memory size";
  std::string text;
  constexpr std::size_t most_named = 3;
  for (std::size_t i = 0; i < std::min(most_named, answer.fails_above.size()); ++i)
    text += (i == 0 ? "fails again from " : ", from ") + format_bytes(answer.fails_above[i].from) +
            " to below " + format_bytes(answer.fails_above[i].below);
  if (answer.fails_above.size() > most_named)
    text += " and on " + std::to_string(answer.fails_above.size() - most_named) + " more ranges";
  if (answer.looked_up_to)
    text += (text.empty() ? "" : "; ") + std::string("searched up to ") +
            format_bytes(*answer.looked_up_to);
  return text;
}

std::vector<SettingCells> rows_of(const CapacityOutcome& outcome) {
  std::vector<SettingCells> rows;
  for (const CapacityRow& row : outcome.rows)
    rows.push_back({options_text(row.setting, "as in the file"), remark_on(row.answer),
                    cells_of(outcome, row.answer)});
  return rows;
}

/// What there would be to gain.
std::string packing_text(const PackOutcome& packing, std::size_t index) {
  const replay::PackGroup& group = packing.input.groups[index];
  std::string text = "device " + std::to_string(*group.device) + ": " +
                     std::to_string(group.buffers.size()) +
                     " blocks, all lifetimes known in advance\n";
  add_line(text, "live at once",
           format_bytes(group.bounds->peak_requested) + " requested, " +
               format_bytes(group.load_bound) + " as blocks");
  if (group.bounds->peak_by_stream.size() > 1)
    add_line(text, "peaks by stream",
             format_bytes(group.bounds->sum_of_streams) + ": " + stream_peaks_text(*group.bounds));
  add_line(text, "best packing", best_packing_text(group, packing.results[index]));
  for (const std::string& sentence : packing.results[index].left_out)
    add_line(text, "left out", sentence);
  return text;
}

ordered_json bounds_json(const replay::LiveBounds& live) {
  return {{"live_requested_bytes", live.requested.count},
          {"live_rounded_bytes", live.rounded.count},
          {"live_on_device_bytes", live.on_device.count}};
}

ordered_json range_json(const replay::SizeRange& range) {
  return {{"from_bytes", range.from.count}, {"below_bytes", range.below.count}};
}

ordered_json row_json(const CapacityOutcome& outcome, const CapacityRow& row) {
  const CapacityAnswer& answer = row.answer;
  return {{"conf", row.setting.conf},
          {"as_in_file", row.setting.is_recorded},
          {"least_bytes", or_null(answer.least)},
          {"above_packing_millionths", or_null(above_packing(outcome, answer))},
          {"peak_reserved", answer.peak_reserved.count},
          {"lower_bounds", or_null(answer.live, bounds_json)},
          {"fails_above", json_list(answer.fails_above, range_json)},
          {"looked_up_to_bytes", or_null(answer.looked_up_to)},
          {"replays", answer.replays}};
}

}  // namespace

std::optional<Bytes> CapacityOutcome::best_packing() const {
  const auto largest = largest_packing(packing);
  if (!largest) return std::nullopt;
  return packing.results[*largest].packing.height;
}

std::string capacity_text(const CapacityOutcome& outcome) {
  if (outcome.is_list()) return pack_text(outcome.packing);
  std::string text = headline_of(outcome.about) + "\n";
  for (const std::string& note : outcome.about.notes) text += "note: " + note + "\n";
  text += settings_text(figure_columns, rows_of(outcome));
  for (std::size_t i = 0; i < outcome.packing.results.size(); ++i)
    text += packing_text(outcome.packing, i);
  return text;
}

std::string capacity_markdown(const CapacityOutcome& outcome) {
  return settings_markdown(figure_columns, rows_of(outcome));
}

std::string capacity_csv(const CapacityOutcome& outcome) {
  Table table({{"conf"},
               {"as_in_file"},
               {"least_bytes"},
               {"best_packing_bytes"},
               {"peak_reserved"},
               {"live_rounded_bytes"},
               {"live_requested_bytes"},
               {"fails_above"},
               {"replays"}});
  const auto number = [](const std::optional<Bytes>& bytes) {
    return bytes ? std::to_string(bytes->count) : std::string();
  };
  for (const CapacityRow& row : outcome.rows) {
    const CapacityAnswer& answer = row.answer;
    const auto live = [&](Bytes replay::LiveBounds::*part) {
      return answer.live ? number((*answer.live).*part) : std::string();
    };
    table.add({row.setting.conf, row.setting.is_recorded ? "true" : "false", number(answer.least),
               number(outcome.best_packing()), number(answer.peak_reserved),
               live(&replay::LiveBounds::rounded), live(&replay::LiveBounds::requested),
               std::to_string(answer.fails_above.size()), std::to_string(answer.replays)});
  }
  return table.csv();
}

std::string capacity_json(const CapacityOutcome& outcome) {
  return json_text(
      {{"schema_version", 1},
       {"file", outcome.about.files.front()},
       {"source", replay::pack_source_name(outcome.packing.input.source)},
       {"reference", text_or_null(outcome.about.reference)},
       {"conditions", outcome.about.conditions},
       {"granularity_bytes", replay::device_granule.count},
       {"notes", outcome.about.notes},
       {"rows",
        json_list(outcome.rows, [&](const CapacityRow& row) { return row_json(outcome, row); })},
       {"packing",
        {{"notes", outcome.packing.input.notes},
         {"capacity", or_null(outcome.packing.capacity)},
         {"groups", pack_groups_json(outcome.packing)}}}});
}

}  // namespace vramlab::tools
