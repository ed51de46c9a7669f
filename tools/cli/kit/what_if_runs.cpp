#include "tools/cli/kit/what_if_runs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "allocator/types/answers.h"
#include "replay/replayer/replay_setup.h"
#include "replay/settings_search/sweep.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/several_files.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using replay::AskedSetting;
using replay::Replayer;
using replay::SweepFigures;
using replay::SweepRow;

struct Attempt {
  std::optional<SweepFigures> figures;
  std::string refusal;
};

Attempt run_one(const Replayer& replayer, const AskedSetting& setting,
                replay::ReplayConditions conditions) {
  if (!setting.is_recorded) {
    if (auto refusal = replay::refusal_of(setting.conf, replayer.version()))
      return {std::nullopt, *std::move(refusal)};
    conditions.options = setting.conf;
  }
  conditions.changes = setting.changes;
  try {
    SweepFigures figures = figures_of(replayer.file(), replayer.figures(conditions));
    figures.can_be_judged = conditions.starting_memory != replay::StartingMemory::as_recorded ||
                            !replayer.start_holds_peaks();
    return {std::move(figures), {}};
  } catch (const traces::InputError& error) {
    return {std::nullopt, error.what()};
  } catch (const AllocatorError& error) {
    return {std::nullopt, error.what()};
  }
}

SweepRow row_of(const AskedSetting& setting, std::vector<Attempt>::iterator first,
                std::size_t file_count) {
  SweepRow row{setting.conf, setting.is_recorded, {}, {}};
  for (std::size_t file = 0; file < file_count; ++file) {
    Attempt& attempt = *(first + static_cast<std::ptrdiff_t>(file));
    if (!attempt.figures) return {setting.conf, setting.is_recorded, attempt.refusal, {}};
    row.files.push_back(*std::move(attempt.figures));
  }
  return row;
}

void add_notes(AskedWhatIf& asked, const Replayer& replayer,
               const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    asked.notes.push_back(asked.files.size() > 1 ? replayer.file() + ": " + note : note);
}

std::string late_text(const AskedWhatIf& asked) {
  if (asked.late.empty()) return {};
  const bool are_several = asked.files.size() > 1;
  const std::string subject = are_several ? "These recordings" : "This recording";
  std::string text = subject + (asked.is_beyond_judging() ? " cannot tell which setting helps:"
                                : are_several             ? " tell only a part:"
                                                          : " tells only a part:");
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, asked.late.size()); ++i)
    text += (i == 0 ? " " : "; ") + (are_several ? asked.late[i].file + ", " : "") +
            late_start_text(asked.late[i].start);
  if (asked.late.size() > most)
    text += "; and so it is in " + std::to_string(asked.late.size() - most) + " more";
  return text + ". Record before the first allocation.";
}

std::string headline_of(const AskedWhatIf& asked) {
  std::string text = asked.files.front();
  if (asked.files.size() > 1)
    text += " and " + std::to_string(asked.files.size() - 1) + " more; the worst counts";
  text += "; rules of PyTorch " + asked.reference;
  return text + (asked.conditions.empty() ? "" : "; " + asked.conditions);
}

/// A remark stands behind its line if there is room, otherwise on lines of its own.
std::string with_remark(const std::string& line, const std::string& remark) {
  if (remark.empty()) return line + "\n";
  const std::string behind = "  (" + shown_name(remark) + ")";
  if (line.size() + behind.size() <= widest_line) return line + behind + "\n";
  constexpr std::size_t indent = 2;
  std::string text = line + "\n";
  for (const std::string& part : broken_lines(behind.substr(indent), widest_line - 2 * indent))
    text += std::string(2 * indent, ' ') + part + "\n";
  return text;
}

}  // namespace

std::vector<ReplayedFile> open_all(const std::vector<std::string>& files,
                                   const ReplayArguments& arguments, const CommonFlags& flags,
                                   std::size_t threads) {
  const replay::ReplayConditions conditions = conditions_of(arguments);
  std::vector<std::optional<ReplayedFile>> opened(files.size());
  for_each_file(files, flags, threads, [&](std::size_t i, ProgressBar& bar) {
    opened[i].emplace(open_replayed(files[i], bar.listener(), {conditions.version}));
  });
  std::vector<ReplayedFile> all;
  for (std::optional<ReplayedFile>& one : opened) {
    one->replayer.refuse_full_devices(conditions);
    all.push_back(*std::move(one));
  }
  return all;
}

replay::Replayers replayers_of(const std::vector<ReplayedFile>& files) {
  replay::Replayers replayers;
  for (const ReplayedFile& file : files) replayers.push_back(&file.replayer);
  return replayers;
}

std::vector<SweepRow> run_settings(const replay::Replayers& replayers,
                                   const std::vector<AskedSetting>& settings,
                                   const replay::ReplayConditions& conditions,
                                   std::size_t threads) {
  const std::size_t files = replayers.size();
  std::vector<Attempt> attempts(settings.size() * files);
  run_tasks(attempts.size(), threads, [&](std::size_t task) {
    attempts[task] = run_one(*replayers[task % files], settings[task / files], conditions);
  });
  std::vector<SweepRow> rows;
  for (std::size_t i = 0; i < settings.size(); ++i)
    rows.push_back(
        row_of(settings[i], attempts.begin() + static_cast<std::ptrdiff_t>(i * files), files));
  return rows;
}

AskedWhatIf asked_what_if(const std::vector<std::string>& files, const replay::Replayers& replayers,
                          const ReplayArguments& arguments) {
  AskedWhatIf asked{
      files, std::string(replayers.front()->version().name), conditions_text(arguments), {}};
  for (const Replayer* const replayer : replayers) add_notes(asked, *replayer, replayer->notes());
  for (const std::string& note : notes_on(arguments)) asked.notes.push_back(note);
  for (const Replayer* const replayer : replayers)
    for (const replay::LateStart& start : replayer->late_starts())
      asked.late.push_back({replayer->file(), start});
  return asked;
}

void note_short_memory(AskedWhatIf& asked, const replay::Replayers& replayers,
                       const ReplayArguments& arguments) {
  if (conditions_of(arguments).memory) return;
  for (const Replayer* const replayer : replayers)
    add_notes(asked, *replayer, replayer->short_memory_notes());
}

AskedWhatIf joined(const std::vector<AskedWhatIf>& asked) {
  AskedWhatIf all{{}, asked.front().reference, asked.front().conditions, {}};
  for (const AskedWhatIf& one : asked) {
    all.files.insert(all.files.end(), one.files.begin(), one.files.end());
    all.late.insert(all.late.end(), one.late.begin(), one.late.end());
    for (const std::string& note : one.notes) {
      const bool is_of_all = std::ranges::all_of(asked, [&](const AskedWhatIf& other) {
        return std::ranges::find(other.notes, note) != other.notes.end();
      });
      const std::string text = is_of_all ? note : one.files.front() + ": " + note;
      if (std::ranges::find(all.notes, text) == all.notes.end()) all.notes.push_back(text);
    }
  }
  return all;
}

bool AskedWhatIf::is_beyond_judging() const {
  const auto is_late = [this](const std::string& file) {
    return std::ranges::any_of(late, [&](const LateFile& one) { return one.file == file; });
  };
  return !late.empty() && std::ranges::all_of(files, is_late) &&
         std::ranges::all_of(late, [](const LateFile& one) { return one.start.holds_peak(); });
}

nlohmann::ordered_json late_json(const AskedWhatIf& asked) {
  return json_list(asked.late, [](const LateFile& late) -> nlohmann::ordered_json {
    return {{"file", late.file},
            {"device", late.start.device.value},
            {"reserved_before_bytes", late.start.reserved.count},
            {"peak_reserved_bytes", late.start.peak_reserved.count}};
  });
}

std::string head_text(const AskedWhatIf& asked) {
  std::string text = shown_name(headline_of(asked)) + "\n";
  return text + paragraph(late_text(asked));
}

std::string head_markdown(const AskedWhatIf& asked) {
  std::string text = markdown_cell(headline_of(asked)) + "\n\n";
  if (!asked.late.empty()) text += markdown_cell(late_text(asked)) + "\n\n";
  return text;
}

void refuse_bad_options(const std::vector<std::string>& options, const ReferenceVersion& version) {
  for (const std::string& conf : options)
    if (const auto refusal = replay::refusal_of(conf, version))
      throw traces::InputError(
          {"--conf", "", "options that PyTorch " + std::string(version.name) + " takes", *refusal});
}

std::string settings_text(std::vector<Column> figures, const std::vector<SettingCells>& rows) {
  figures.push_back(left("options"));
  Table table(std::move(figures));
  for (const SettingCells& row : rows) {
    std::vector<std::string> cells = row.figures;
    cells.push_back(row.options);
    table.add(std::move(cells));
  }
  std::istringstream lines(table.text(""));
  std::string line;
  std::getline(lines, line);
  std::string text = line + "\n";
  for (const SettingCells& row : rows) {
    std::getline(lines, line);
    text += with_remark(line, row.remark);
  }
  return text;
}

std::string settings_markdown(std::vector<Column> figures, const std::vector<SettingCells>& rows) {
  figures.insert(figures.begin(), left("options"));
  figures.push_back(left(""));
  Table table(std::move(figures));
  for (const SettingCells& row : rows) {
    std::vector<std::string> cells = row.figures;
    cells.insert(cells.begin(), code_cell(row.options));
    cells.push_back(markdown_cell(row.remark));
    table.add(std::move(cells));
  }
  return table.markdown();
}

std::string options_text(const AskedSetting& setting, const std::string& recorded) {
  const std::string text = setting.conf.empty() ? "no options" : setting.conf;
  return setting.is_recorded ? recorded + " (" + text + ")" : text;
}

std::string conditions_text(const ReplayArguments& arguments) {
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : " ") + name + " " + value;
  };
  if (arguments.device_memory) add("--device-memory", typed_size(*arguments.device_memory));
  if (!arguments.gpu.empty()) add("--gpu", arguments.gpu);
  if (!arguments.device_costs.empty()) add("--device-costs", arguments.device_costs);
  if (arguments.memory_fraction)
    add("--memory-fraction", compact_json_text(*arguments.memory_fraction));
  if (arguments.held_by_others) add("--held-by-others", typed_size(*arguments.held_by_others));
  if (arguments.cudagraph_initial_mempool)
    add("--cudagraph-initial-mempool", typed_size(*arguments.cudagraph_initial_mempool));
  if (!arguments.frees.empty()) add("--frees", arguments.frees);
  if (arguments.on_out_of_memory != "recorded") add("--on-oom", arguments.on_out_of_memory);
  return text;
}

std::string GivenConditions::text() const {
  return but_options + (but_options.empty() || options.empty() ? "" : " ") + options;
}

GivenConditions given_conditions(const ReplayArguments& arguments) {
  GivenConditions given{conditions_text(arguments), {}};
  if (!arguments.reference.empty())
    given.but_options +=
        (given.but_options.empty() ? "--reference " : " --reference ") + arguments.reference;
  if (arguments.options) given.options = "--conf '" + *arguments.options + "'";
  return given;
}

std::size_t usual_thread_count() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void run_tasks(std::size_t count, std::size_t threads,
               const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next{0};
  std::mutex failure_lock;
  std::size_t failed_task = count;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t task = next++; task < count; task = next++) {
      try {
        run(task);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(failure_lock);
        if (task < failed_task) failure = std::current_exception();
        failed_task = std::min(failed_task, task);
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vramlab::tools
