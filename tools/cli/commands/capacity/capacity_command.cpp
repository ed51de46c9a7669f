// `vramlab capacity`: finds the least device memory on which a recording runs, per setting. Of
// several recordings, such as the ranks of a job, the one that needs most decides.
#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/explain/ways_out.h"
#include "replay/replayer/ordered_device.h"
#include "replay/replayer/replay_setup.h"
#include "replay/settings_search/capacity.h"
#include "replay/settings_search/sweep.h"
#include "tools/cli/commands/pack/pack_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/explanation_report.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::CapacityAnswer;

struct CapacityRow {
  replay::AskedSetting setting;
  replay::CapacityAnswer answer;
  /// Modelled, for a recording that began late: the peak without a limit if its first blocks are
  /// requested anew.
  std::optional<Bytes> peak_anew = {};
  /// Empty where no memory is enough, or if there is too much to replay.
  std::optional<replay::SmallestGpu> smallest_gpu = {};
};

struct CapacityOutcome {
  /// A list of buffers has no reference here, and no rows.
  AskedWhatIf about;
  std::vector<CapacityRow> rows;
  /// The live memory over time, packed; it is the same under every setting.
  PackOutcome packing;

  bool is_list() const { return about.reference.empty(); }
  /// The packing of the device that needs most; empty if nothing is packed.
  std::optional<Bytes> best_packing() const;
};
/// One for each file. All have the same rows.
using CapacityOutcomes = std::vector<CapacityOutcome>;

/// A setting that runs with no memory size needs most.
bool needs_more(const CapacityAnswer& a, const CapacityAnswer& b) {
  if (a.least.has_value() != b.least.has_value()) return b.least.has_value();
  if (a.least != b.least) return *a.least > *b.least;
  return a.peak_reserved > b.peak_reserved;
}

/// The file that needs most memory under the setting of a row.
std::size_t worst_file(const CapacityOutcomes& files, std::size_t row) {
  std::size_t worst = 0;
  for (std::size_t i = 1; i < files.size(); ++i)
    if (needs_more(files[i].rows[row].answer, files[worst].rows[row].answer)) worst = i;
  return worst;
}

std::vector<std::string> short_names_of(const CapacityOutcomes& files) {
  std::vector<std::string> names;
  for (const CapacityOutcome& one : files) names.push_back(one.about.files.front());
  return short_names(names);
}

const std::vector<Column> figure_columns = {
    {"least memory"},  {"--device-memory"}, {"above packing"}, {"peak without limit"},
    {"live, rounded"}, {"live, requested"}, {"replays"}};

/// Bytes to the granule, as `--device-memory` takes them.
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
  const auto live = [&answer](Bytes replay::LiveBounds::* part) {
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

/// Sizes that look alike are exact.
std::string range_text(const replay::SizeRange& range) {
  const bool is_narrow = format_bytes(range.from) == format_bytes(range.below);
  const auto size = [&](Bytes bytes) {
    return is_narrow ? exact_text(bytes) : format_bytes(bytes);
  };
  return size(range.from) + " to below " + size(range.below);
}

/// A remark on settings that fit in no memory, or that fail again with more memory.
std::string remark_on(const CapacityRow& row) {
  const CapacityAnswer& answer = row.answer;
  if (!answer.least) return "runs with no memory size";
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (answer.least_as_it_went_on)
    add(format_bytes(*answer.least_as_it_went_on) +
        " if requests fail as in the recorded run, which went on");
  if (row.peak_anew)
    add("modelled: reserves " + format_bytes(*row.peak_anew) +
        " without a limit, with the blocks from before the recording requested anew");
  std::string ranges;
  constexpr std::size_t most_named = 3;
  for (std::size_t i = 0; i < std::min(most_named, answer.fails_above.size()); ++i)
    ranges += (i == 0 ? "fails again from " : ", from ") + range_text(answer.fails_above[i]);
  if (answer.fails_above.size() > most_named)
    ranges += " and on " + std::to_string(answer.fails_above.size() - most_named) + " more ranges";
  if (!ranges.empty()) add(ranges);
  if (answer.looked_up_to)
    add((ranges.empty() ? "runs with all sizes tried from there up to "
                        : "larger sizes were tried up to ") +
        format_bytes(*answer.looked_up_to));
  return text;
}

std::string setting_name(const CapacityRow& row) {
  return options_text(row.setting, "as in the file");
}

/// Rows of the worst file under each setting, with its name if there are several.
std::vector<SettingCells> rows_of(const CapacityOutcomes& files) {
  const std::vector<std::string> names = short_names_of(files);
  std::vector<SettingCells> rows;
  for (std::size_t i = 0; i < files.front().rows.size(); ++i) {
    const std::size_t worst = worst_file(files, i);
    const CapacityRow& row = files[worst].rows[i];
    std::string remark = remark_on(row);
    if (files.size() > 1) remark = names[worst] + (remark.empty() ? "" : "; ") + remark;
    rows.push_back({setting_name(row), remark, cells_of(files[worst], row.answer)});
  }
  return rows;
}

/// The need of each file under each setting. `shown` makes a text safe for the format.
Table files_table(const CapacityOutcomes& files,
                  const std::function<std::string(const std::string& text)>& shown) {
  const std::vector<std::string> names = short_names_of(files);
  const std::size_t settings = files.front().rows.size();
  std::vector<Column> columns = {
      name_column("file"), {"least memory"}, {"best packing"}, {"peak without limit"}};
  if (settings > 1) columns.push_back(left("options"));
  Table table(std::move(columns));
  const auto size = [](const std::optional<Bytes>& bytes) {
    return bytes ? format_bytes(*bytes) : std::string("-");
  };
  for (std::size_t i = 0; i < settings; ++i)
    for (std::size_t file = 0; file < files.size(); ++file) {
      const CapacityRow& row = files[file].rows[i];
      std::vector<std::string> cells = {shown(names[file]), size(row.answer.least),
                                        size(files[file].best_packing()),
                                        format_bytes(row.answer.peak_reserved)};
      if (settings > 1) cells.push_back(shown(setting_name(row)));
      table.add(std::move(cells));
    }
  return table;
}

/// The GPU of each setting with an answer, of the file that needs most under it; with several
/// settings it ends with the options.
std::vector<std::string> gpus_of(const CapacityOutcomes& files) {
  std::vector<std::string> gpus;
  const std::size_t settings = files.front().rows.size();
  for (std::size_t i = 0; i < settings; ++i) {
    const CapacityRow& row = files[worst_file(files, i)].rows[i];
    if (row.smallest_gpu)
      gpus.push_back(smallest_gpu_text(*row.smallest_gpu) + without_code_text(*row.smallest_gpu) +
                     (settings > 1 ? "  (" + setting_name(row) + ")" : ""));
  }
  return gpus;
}

std::string gpu_lines(const CapacityOutcomes& files) {
  std::string text;
  for (const std::string& gpu : gpus_of(files))
    add_line(text, text.empty() ? "smallest GPU" : "", gpu);
  return text;
}

/// The memory that a perfect planner would save.
std::string packing_text(const PackOutcome& packing, std::size_t index) {
  const replay::PackGroup& group = packing.input.groups[index];
  std::string text = "device " + std::to_string(*group.device) + ": " +
                     std::to_string(group.buffers.size()) +
                     " blocks, all lifetimes known in advance\n";
  add_line(text, "live at once",
           format_bytes(group.bounds->peak_requested) + " as requested, " +
               format_bytes(group.load_bound) + " rounded up by the options");
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
          {"least_as_it_went_on_bytes", or_null(answer.least_as_it_went_on)},
          {"peak_requested_anew_bytes", or_null(row.peak_anew)},
          {"above_packing_millionths", or_null(above_packing(outcome, answer))},
          {"peak_without_limit_bytes", answer.peak_reserved.count},
          {"smallest_gpu", or_null(row.smallest_gpu, smallest_gpu_json)},
          {"lower_bounds", or_null(answer.live, bounds_json)},
          {"fails_above", json_list(answer.fails_above, range_json)},
          {"looked_up_to_bytes", or_null(answer.looked_up_to)},
          {"replays", answer.replays}};
}

std::optional<Bytes> CapacityOutcome::best_packing() const {
  const auto largest = largest_packing(packing);
  if (!largest) return std::nullopt;
  return packing.results[*largest].packing.height;
}

AskedWhatIf asked_of(const CapacityOutcomes& files) {
  std::vector<AskedWhatIf> asked;
  for (const CapacityOutcome& one : files) asked.push_back(one.about);
  return joined(asked);
}

std::string capacity_text(const CapacityOutcomes& files) {
  if (files.front().is_list()) return pack_text(files.front().packing);
  const AskedWhatIf about = asked_of(files);
  std::string text = head_text(about);
  for (const std::string& note : about.notes) text += "note: " + shown_name(note) + "\n";
  text += settings_text(figure_columns, rows_of(files)) + gpu_lines(files);
  if (files.size() > 1)
    return text + "\n" + files_table(files, std::identity()).text_within(table_columns(), "");
  const PackOutcome& packing = files.front().packing;
  for (std::size_t i = 0; i < packing.results.size(); ++i) text += packing_text(packing, i);
  return text;
}

std::string capacity_markdown(const CapacityOutcomes& files) {
  const AskedWhatIf about = asked_of(files);
  std::string text = head_markdown(about) + settings_markdown(figure_columns, rows_of(files));
  if (files.size() > 1) text += "\n" + files_table(files, code_cell).markdown();
  std::string list;
  for (const std::string& gpu : gpus_of(files))
    list += "* smallest GPU: " + markdown_cell(gpu) + "\n";
  for (const std::string& note : about.notes) list += "* " + markdown_cell(note) + "\n";
  return text + (list.empty() ? "" : "\n" + list);
}

/// Empty where no GPU is known to be enough.
std::string gpu_name(const CapacityRow& row) {
  const bool is_known = row.smallest_gpu && row.smallest_gpu->gpu != nullptr;
  return is_known ? std::string(row.smallest_gpu->gpu->name) : std::string();
}

std::vector<std::string> csv_cells(const CapacityOutcome& outcome, const CapacityRow& row) {
  const auto number = [](const std::optional<Bytes>& bytes) {
    return bytes ? std::to_string(bytes->count) : std::string();
  };
  const CapacityAnswer& answer = row.answer;
  const auto live = [&](Bytes replay::LiveBounds::* part) {
    return answer.live ? number((*answer.live).*part) : std::string();
  };
  return {row.setting.conf,
          row.setting.is_recorded ? "true" : "false",
          number(answer.least),
          number(outcome.best_packing()),
          number(answer.peak_reserved),
          live(&replay::LiveBounds::rounded),
          live(&replay::LiveBounds::requested),
          std::to_string(answer.fails_above.size()),
          std::to_string(answer.replays),
          gpu_name(row)};
}

/// A row for each setting, and for each file.
std::string capacity_csv(const CapacityOutcomes& files) {
  std::vector<Column> columns = {{"conf"},
                                 {"as_in_file"},
                                 {"least_bytes"},
                                 {"best_packing_bytes"},
                                 {"peak_without_limit_bytes"},
                                 {"live_rounded_bytes"},
                                 {"live_requested_bytes"},
                                 {"fails_above"},
                                 {"replays"},
                                 {"smallest_gpu"}};
  if (files.size() > 1) columns.push_back({"file"});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < files.front().rows.size(); ++i)
    for (const CapacityOutcome& one : files) {
      std::vector<std::string> cells = csv_cells(one, one.rows[i]);
      if (files.size() > 1) cells.push_back(one.about.files.front());
      table.add(std::move(cells));
    }
  return table.csv();
}

ordered_json file_json(const CapacityOutcome& outcome) {
  return {{"schema_version", 2},
          {"file", outcome.about.files.front()},
          {"source", replay::pack_source_name(outcome.packing.input.source)},
          {"reference", text_or_null(outcome.about.reference)},
          {"conditions", outcome.about.conditions},
          {"granularity_bytes", replay::device_granule.count},
          {"late_starts", late_json(outcome.about)},
          {"notes", outcome.about.notes},
          {"rows",
           json_list(outcome.rows, [&](const CapacityRow& row) { return row_json(outcome, row); })},
          {"packing",
           {{"notes", outcome.packing.input.notes},
            {"capacity", or_null(outcome.packing.capacity)},
            {"groups", pack_groups_json(outcome.packing)}}}};
}

/// The need of all files under the setting of a row.
ordered_json worst_json(const CapacityOutcomes& files, std::size_t index) {
  const CapacityOutcome& worst = files[worst_file(files, index)];
  const CapacityRow& row = worst.rows[index];
  return {{"conf", row.setting.conf},
          {"as_in_file", row.setting.is_recorded},
          {"least_bytes", or_null(row.answer.least)},
          {"worst_file", worst.about.files.front()}};
}

std::string capacity_json(const CapacityOutcomes& files) {
  std::vector<ordered_json> documents;
  for (const CapacityOutcome& one : files) documents.push_back(file_json(one));
  if (files.size() == 1) return json_text(documents.front());
  ordered_json all = of_files_json(std::move(documents), worst_file(files, 0));
  all["rows"] = ordered_json::array();
  for (std::size_t i = 0; i < files.front().rows.size(); ++i)
    all["rows"].push_back(worst_json(files, i));
  return json_text(all);
}

struct CapacityArguments {
  std::vector<std::string> files;
  std::vector<std::string> options;
  ReplayArguments replay;
  std::optional<std::uint64_t> replays_above{};
  /// Known for a list of buffers.
  std::uint64_t capacity = 0;
  std::size_t threads = usual_thread_count();
  TableOutput output;
  CommonFlags flags;
};

std::string printed(const CapacityOutcomes& files, const std::string& format) {
  if (format == "json") return capacity_json(files);
  if (format == "csv") return capacity_csv(files);
  return format == "markdown" ? capacity_markdown(files) : capacity_text(files);
}

void refuse_settings(const std::string& file, const CapacityArguments& arguments) {
  if (arguments.files.size() > 1)
    throw traces::InputError(
        {file, "", "a recording or a program, as several files are", "a list of buffers"});
  if (!arguments.options.empty() || !conditions_text(arguments.replay).empty())
    throw traces::InputError({file, "",
                              "a recording or a program, which --conf and other "
                              "conditions are for",
                              "a list of buffers"});
}

/// If a number of replays was asked for, it is the only limit, however long they take.
replay::CapacityEffort effort_of(const CapacityArguments& arguments) {
  if (!arguments.replays_above) return {};
  return {*arguments.replays_above, std::numeric_limits<std::uint64_t>::max()};
}

Bytes peak_anew(const replay::Replayer& replayer, replay::ReplayConditions conditions) {
  conditions.memory = replay::boundless_memory;
  conditions.starting_memory = replay::StartingMemory::requested_anew;
  Bytes peak;
  for (const replay::DeviceReport& device : replayer.figures(conditions).devices)
    peak = std::max(peak, device.peak_reserved.bytes);
  return peak;
}

/// The smallest GPU of the list on which the recording runs: not below the least memory, and not on
/// a size above it on which it fails.
std::optional<replay::SmallestGpu> find_gpu(const replay::Replayer& replayer,
                                            const replay::ReplayConditions& conditions,
                                            const CapacityAnswer& answer) {
  if (!answer.least) return std::nullopt;
  replay::GpuQuestion question{conditions};
  const Bytes not_counted = conditions.held_by_others.value_or(Bytes{}) + replay::device_granule;
  question.least = *answer.least - std::min(*answer.least, not_counted);
  return smallest_gpu(replayer, question, replay_effort());
}

/// The rows and, as one more task, the packing. Several files share the threads.
void find_all(const replay::Replayer& replayer, const CapacityArguments& arguments,
              CapacityOutcome& outcome) {
  const replay::ReplayConditions asked = conditions_of(arguments.replay);
  const std::size_t rows = outcome.rows.size();
  const std::size_t threads = std::max<std::size_t>(1, arguments.threads / arguments.files.size());
  run_tasks(rows + 1, threads, [&](std::size_t i) {
    if (i == rows) {
      outcome.packing = packing_beside(replayer, asked);
      return;
    }
    replay::ReplayConditions conditions = asked;
    const replay::AskedSetting& setting = outcome.rows[i].setting;
    if (!setting.is_recorded) conditions.options = setting.conf;
    outcome.rows[i].answer = find_capacity(replayer, conditions, effort_of(arguments));
    outcome.rows[i].smallest_gpu = find_gpu(replayer, conditions, outcome.rows[i].answer);
    if (!outcome.about.late.empty()) outcome.rows[i].peak_anew = peak_anew(replayer, conditions);
  });
}

void note_models(const replay::Replayer& replayer, CapacityOutcome& outcome) {
  for (const CapacityRow& row : outcome.rows) {
    replay::ReplayConditions conditions;
    if (!row.setting.is_recorded) conditions.options = row.setting.conf;
    const allocator::Settings settings = replayer.settings_for(conditions);
    if (settings.backend == allocator::Backend::native) continue;
    outcome.about.notes.push_back(replay::modelled_backend_note(settings));
    return;
  }
}

CapacityOutcome of_recording(traces::OpenBytes bytes, const CapacityArguments& arguments,
                             ProgressBar& bar) {
  if (arguments.capacity > 0)
    throw traces::InputError({"--capacity", "", "a list of buffers, whose capacity is known",
                              "a recording or a program"});
  const std::unique_ptr<replay::Recording> recording =
      open_recording(open_input(std::move(bytes)), {conditions_of(arguments.replay).version});
  const replay::Replayer replayer(*recording);
  replayer.refuse_without_requests();
  refuse_bad_options(arguments.options, replayer.version());
  CapacityOutcome outcome;
  outcome.about = asked_what_if({replayer.file()}, {&replayer}, arguments.replay);
  refuse_full_device(conditions_of(arguments.replay), replay::boundless_memory);
  if (arguments.options.empty()) outcome.rows.push_back({{replayer.settings().text, true}, {}});
  for (const std::string& conf : arguments.options) outcome.rows.push_back({{conf, false}, {}});
  note_models(replayer, outcome);
  if (replayer.has_caught_failures())
    outcome.about.notes.emplace_back(
        "least memory, live memory and packing include requests that failed in the recorded run");
  bar.show("finds the least memory");
  find_all(replayer, arguments, outcome);
  return outcome;
}

CapacityOutcome of_list(traces::OpenBytes& bytes, const CapacityArguments& arguments,
                        const std::string& format) {
  refuse_settings(bytes.file, arguments);
  if (format != "text" && format != "json")
    throw traces::InputError({"--format", "", "text or json of a list of buffers", format});
  CapacityOutcome outcome;
  PackOutcome& packing = outcome.packing;
  packing.file = bytes.file;
  if (arguments.capacity > 0) packing.capacity = Bytes{arguments.capacity};
  packing.input = replay::read_pack_list(bytes);
  packing.results = checked_packings(packing.input, {});
  return outcome;
}

ExitStatus capacity(const CapacityArguments& arguments) {
  const std::string format = wanted_format(arguments.output, arguments.flags);
  OpenOutput output(arguments.output, arguments.files);
  const auto files = answer_each_file<CapacityOutcome>(
      arguments.files, arguments.flags, arguments.threads, [&](std::size_t i, ProgressBar& bar) {
        traces::OpenBytes bytes = traces::open_bytes(arguments.files[i], bar.listener());
        const std::string file = bytes.file;
        CapacityOutcome outcome = traces::begins_like_buffer_list(bytes.start)
                                      ? of_list(bytes, arguments, format)
                                      : of_recording(std::move(bytes), arguments, bar);
        outcome.about.files = {file};
        return outcome;
      });
  output.finish(printed(files.answers, format));
  if (tell_refused(files.refused) != ExitStatus::done) return ExitStatus::bad_input;
  const PackOutcome& packing = files.answers.front().packing;
  return !packing.capacity || packing.all_fit() ? ExitStatus::done : ExitStatus::answer_is_no;
}

void add_options(CLI::App& command, CapacityArguments& arguments) {
  add_file(command, arguments.files,
           "Recordings or programs, in any format that vramlab info knows, of several the worst "
           "counts; or a list of buffers in the CSV of MiniMalloc (- is standard input)");
  add_several_confs(command, arguments.options,
                    "Options (PYTORCH_CUDA_ALLOC_CONF) instead of those in the file");
  add_limitless_conditions(command, arguments.replay);
  command.add_option("--replays-above", arguments.replays_above,
                     "Replays on larger devices than the answer, to see whether more memory always "
                     "helps (default: 1000, and fewer once they went through 250 million events)");
  command
      .add_option("--capacity", arguments.capacity,
                  "For a list of buffers: check that the best packing fits into this, such as "
                  "1MiB (exit status 1 if not)")
      ->transform(size_in_bytes())
      ->check(CLI::PositiveNumber);
  add_jobs(command, arguments.threads);
  add_table_output(command, arguments.output);
}

}  // namespace

Command capacity_command() {
  return {"capacity", "Find the least device memory on which a recording runs, per setting",
          "Example: vramlab capacity snapshot.pickle --conf '' --conf "
          "expandable_segments:True",
          with<CapacityArguments>(add_options, capacity)};
}

}  // namespace vramlab::tools
