#include "tools/cli/commands/fit/fit_search.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "streams/device/gpu_models.h"
#include "tools/cli/commands/fit/kept_figures.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using replay::RunLimit;
using replay::WantedRun;

/// A search with fewer values has no need to learn.
constexpr std::size_t least_values_to_learn = 3;
/// Option strings to advise are tried up to this number for each point and GPU.
constexpr std::size_t most_advised_tries = 2;

const streams::GpuProperties& properties_of(const FitGpu& gpu) {
  return streams::find_gpu(gpu.name)->properties;
}

std::vector<std::vector<replay::SearchedValue>> values_of(const FitQuestion& question) {
  std::vector<std::vector<replay::SearchedValue>> values;
  for (const replay::PlaceholderValues& point : question.points) {
    if (question.searched != nullptr)
      values.push_back(question.texts.allowed(*question.searched, point));
    else if (question.texts.with_derived(point))
      values.push_back({{"", 0}});
    else
      values.emplace_back();
  }
  return values;
}

void replace_path(std::string& word, const std::string& path, const std::string& copy) {
  if (word == path || word.ends_with("=" + path))
    word.replace(word.size() - path.size(), path.size(), copy);
}

}  // namespace

std::optional<std::uint64_t> FitCell::headroom(const FitFigures& figures) const {
  if (figures.peak_reserved > facts.memory.count) return std::nullopt;
  return facts.memory.count - figures.peak_reserved;
}

FitSearch::FitSearch(FitQuestion question)
    : question_(std::move(question)), values_(values_of(question_)) {
  for (std::size_t point = 0; point < question_.points.size(); ++point)
    for (std::size_t gpu = 0; gpu < question_.gpus.size(); ++gpu)
      for (std::size_t conf = 0; conf < question_.asked_conf_count; ++conf)
        cells_.push_back(new_cell(point, gpu, conf));
}

FitCell FitSearch::new_cell(std::size_t point, std::size_t gpu, std::size_t conf) const {
  FitCell cell;
  cell.point = point;
  cell.gpu = gpu;
  cell.conf = conf;
  cell.is_advised = conf >= question_.asked_conf_count;
  cell.facts.memory = question_.gpus[gpu].memory;
  for (const replay::SearchedValue& value : values_[point])
    cell.facts.values.push_back(value.number);
  if (values_[point].empty()) cell.problem = "no value comes out even in all derived ones";
  return cell;
}

const FitCell& FitSearch::cell_at(std::size_t point, std::size_t gpu, std::size_t conf) const {
  return cells_[(point * question_.gpus.size() + gpu) * question_.asked_conf_count + conf];
}

bool FitSearch::is_same_group(std::size_t gpu, std::size_t other) const {
  const streams::GpuProperties& one = properties_of(question_.gpus[gpu]);
  const streams::GpuProperties& two = properties_of(question_.gpus[other]);
  return one.compute_capability() == two.compute_capability() && one.sm_count == two.sm_count;
}

std::size_t FitSearch::first_of_group(std::size_t gpu) const {
  std::size_t first = 0;
  while (!is_same_group(first, gpu)) ++first;
  return first;
}

const FitCell& FitSearch::teacher_of(const FitCell& cell) const {
  return cell_at(cell.point, 0, 0);
}

bool FitSearch::waits_for_teacher(const FitCell& cell) const {
  const FitCell& teacher = teacher_of(cell);
  return &teacher != &cell && cell.facts.values.size() >= least_values_to_learn && !teacher.is_done;
}

bool FitSearch::all_histories_are_the_same(const FitCell& cell) const {
  const auto runs = unlimited_runs(cell);
  if (runs.size() < 2 || runs.begin()->second->history_fingerprint.empty()) return false;
  return std::ranges::all_of(runs, [&](const auto& run) {
    return run.second->history_fingerprint == runs.begin()->second->history_fingerprint;
  });
}

std::vector<WantedRun> FitSearch::wishes_of(FitCell& cell) const {
  cell.is_done = !cell.problem.empty();
  if (cell.is_done || waits_for_teacher(cell)) return {};
  std::vector<WantedRun> wishes;
  for (const std::size_t value : cell.undecided) wishes.push_back({value, RunLimit::none});
  if (!wishes.empty()) return wishes;
  const std::size_t last = cell.facts.values.size() - 1;
  if (all_histories_are_the_same(cell)) {
    if (!unlimited_runs(cell).contains(last)) return {{last, RunLimit::none}};
    cell.problem =
        "every history is the same: the program ignores {" + question_.searched->name + "}";
    cell.is_done = true;
    return {};
  }
  wishes = wanted_runs(cell.facts);
  cell.is_done = wishes.empty();
  return wishes;
}

/// The runs that all cells wish for, the most useful first, also those that were begun.
std::vector<FitRunKey> FitSearch::runs_wished() {
  std::vector<std::vector<FitRunKey>> by_rank;
  for (FitCell& cell : cells_) {
    // Runs of other points change nothing.
    if (std::exchange(cell.is_stale, false)) cell.wishes = wishes_of(cell);
    const std::vector<WantedRun>& wishes = cell.wishes;
    by_rank.resize(std::max(by_rank.size(), wishes.size()));
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      FitRunKey key{cell.point, wishes[i].index, cell.gpu, cell.conf, wishes[i].limit};
      if (key.limit == RunLimit::none) {
        key.gpu = first_of_group(cell.gpu);
        key.conf = 0;
      }
      by_rank[i].push_back(key);
    }
  }
  std::vector<FitRunKey> wished;
  for (const std::vector<FitRunKey>& keys : by_rank)
    wished.insert(wished.end(), keys.begin(), keys.end());
  return wished;
}

std::vector<FitRunKey> FitSearch::wanted() {
  std::vector<FitRunKey> wished = runs_wished();
  while (open_promising_cells()) wished = runs_wished();
  std::vector<FitRunKey> wanted;
  for (const FitRunKey& key : wished)
    if (!begun_.contains(key) && std::ranges::find(wanted, key) == wanted.end())
      wanted.push_back(key);
  return wanted;
}

/// Once all is known of a point on a GPU, the option string to advise with which most should fit,
/// if that is more than fits with the others.
std::optional<FitCell> FitSearch::promising_cell(std::size_t point, std::size_t gpu) const {
  std::set<std::size_t> tried;
  std::optional<std::size_t> most;
  for (const FitCell& cell : cells_) {
    if (cell.point != point || cell.gpu != gpu) continue;
    if (!cell.is_done || (!cell.problem.empty() && !cell.is_advised)) return std::nullopt;
    if (cell.is_advised) tried.insert(cell.conf);
    most = std::max(most, largest_value(cell.facts).fits);
  }
  std::optional<FitCell> best;
  for (std::size_t conf = question_.asked_conf_count; conf < question_.confs.size(); ++conf) {
    if (tried.size() >= most_advised_tries || tried.contains(conf)) continue;
    FitCell cell = new_cell(point, gpu, conf);
    for (auto run = runs_.lower_bound({point, 0, 0, 0, RunLimit::none});
         run != runs_.end() && run->first.point == point; ++run)
      learn(cell, run->first, run->second.figures);
    const auto guess = guessed_largest(cell.facts);
    if (guess <= most) continue;
    most = guess;
    best = std::move(cell);
  }
  return best;
}

/// Whether there was one.
bool FitSearch::open_promising_cells() {
  if (question_.confs.size() == question_.asked_conf_count) return false;
  const std::size_t before = cells_.size();
  for (const auto& [point, gpu] : std::exchange(may_have_advice_, {}))
    if (auto cell = promising_cell(point, gpu)) cells_.push_back(std::move(*cell));
  return cells_.size() > before;
}

/// A run without a failure tells how the need grows.
void FitSearch::learn(FitCell& cell, const FitRunKey& key, const FitFigures& figures) const {
  const bool is_own = is_same_group(cell.gpu, key.gpu);
  const auto need =
      cell.conf < figures.needs.size() && figures.used_memory() && figures.stopped == FitStop::none
          ? figures.needs[cell.conf]
          : std::nullopt;
  if (is_own && need)
    cell.facts.needs[key.value] = Bytes{*need};
  else if (is_own && key.limit == RunLimit::none)
    cell.facts.runs_without_need.insert(key.value);
  else if (need && is_same_group(key.gpu, teacher_of(cell).gpu))
    cell.facts.hints[key.value] = Bytes{*need};
}

int FitSearch::usual_status(const FitCell& cell) const {
  const auto runs = unlimited_runs(cell);
  return runs.empty() ? 0 : runs.begin()->second->status;
}

void FitSearch::note_problem(FitCell& cell, const FitRunKey& key, const FitFigures& figures) const {
  if (!cell.problem.empty() || figures.stopped == FitStop::interrupt) return;
  const std::string name = value_name(key.point, key.value);
  const bool is_first_lesson = key.limit == RunLimit::none && key.value == 0;
  const bool counts = key.limit == RunLimit::memory_of_gpu || is_first_lesson;
  // A grid alone begins with the limit.
  const bool tells_of_program = is_first_lesson || question_.searched == nullptr;
  if (figures.stopped == FitStop::time)
    cell.problem = name + " did not end in time (--timeout)";
  else if (!figures.trouble.empty())
    cell.problem = name + ": " + figures.trouble;
  else if (counts && figures.ran_out_of_host_memory)
    cell.problem = name + " did not get enough memory of the host, which says nothing of the GPU";
  else if (is_first_lesson && !figures.error.empty())
    cell.problem = name + " ended with " + figures.error + ", without a limit of memory";
  else if (tells_of_program && !figures.used_memory() && figures.failures == 0)
    cell.problem =
        name + " used no memory of a GPU, and ended with status " + std::to_string(figures.status);
  else
    return;
  cell.last_words = figures.last_words;
}

void FitSearch::judge(FitCell& cell, std::size_t value, const FitFigures& figures) {
  if (!cell.problem.empty() || figures.stopped != FitStop::none) return;
  const bool ended_as_usual = figures.status == usual_status(cell);
  FitVerdict verdict = FitVerdict::fits;
  if (!figures.broken_limit.empty()) {
    verdict = FitVerdict::over_limit;
  } else if (figures.failures == 0) {
    if (!ended_as_usual) verdict = FitVerdict::ended_otherwise;
  } else if (!ended_as_usual) {
    verdict = FitVerdict::out_of_memory;
  } else {
    const auto without = unlimited_runs(cell);
    const auto same = without.find(value);
    if (same == without.end()) {
      cell.undecided.insert(value);
      return;
    }
    verdict = figures.peak_allocated >= same->second->peak_allocated
                  ? FitVerdict::fits_after_failures
                  : FitVerdict::went_on_with_less;
  }
  cell.undecided.erase(value);
  cell.verdicts[value] = verdict;
  cell.facts.fits[value] =
      verdict == FitVerdict::fits || verdict == FitVerdict::fits_after_failures;
}

void FitSearch::add(const FitRunKey& key, MadeFitRun made) {
  begun_.insert(key);
  const FitFigures& figures = runs_[key].figures;
  runs_[key] = std::move(made);
  for (FitCell& cell : cells_) {
    if (cell.point != key.point) continue;
    cell.is_stale = true;
    may_have_advice_.emplace(cell.point, cell.gpu);
    const bool is_of_cell = cell.gpu == key.gpu && cell.conf == key.conf;
    if (key.limit == RunLimit::none ? is_same_group(cell.gpu, key.gpu) : is_of_cell)
      note_problem(cell, key, figures);
    learn(cell, key, figures);
    if (key.limit == RunLimit::memory_of_gpu && is_of_cell) judge(cell, key.value, figures);
    if (key.limit == RunLimit::none && cell.undecided.contains(key.value))
      judge(cell, key.value, *limited_run(cell, key.value));
  }
}

const FitFigures* FitSearch::limited_run(const FitCell& cell, std::size_t value) const {
  const auto found = runs_.find({cell.point, value, cell.gpu, cell.conf, RunLimit::memory_of_gpu});
  return found == runs_.end() ? nullptr : &found->second.figures;
}

std::map<std::size_t, const FitFigures*> FitSearch::unlimited_runs(const FitCell& cell) const {
  std::map<std::size_t, const FitFigures*> found;
  const std::size_t gpu = first_of_group(cell.gpu);
  for (auto run = runs_.lower_bound({cell.point, 0, 0, 0, RunLimit::none});
       run != runs_.end() && run->first.point == cell.point; ++run)
    if (run->first.limit == RunLimit::none && run->first.gpu == gpu)
      found[run->first.value] = &run->second.figures;
  return found;
}

std::string FitSearch::point_name(std::size_t point) const {
  std::string name;
  for (const replay::Placeholder& placeholder : question_.texts.placeholders()) {
    if (&placeholder == question_.searched) continue;
    name += (name.empty() ? "" : ", ") + placeholder.name + "=" +
            question_.points[point].at(placeholder.name);
  }
  return name;
}

std::string FitSearch::value_name(std::size_t point, std::size_t value) const {
  const std::string name = point_name(point);
  if (question_.searched == nullptr) return name.empty() ? "the program" : name;
  return (name.empty() ? "" : name + ", ") + question_.searched->name + "=" +
         values_[point][value].text;
}

replay::PlaceholderValues FitSearch::values_of_run(const FitRunKey& key) const {
  replay::PlaceholderValues given = question_.points[key.point];
  if (question_.searched != nullptr)
    given[question_.searched->name] = values_[key.point][key.value].text;
  return question_.texts.with_derived(std::move(given)).value();
}

DryRunArguments FitSearch::arguments_of(const FitRunKey& key) const {
  const replay::PlaceholderValues values = values_of_run(key);
  DryRunArguments arguments = question_.base;
  arguments.gpu = question_.gpus[key.gpu].name;
  arguments.device_memory =
      key.limit == RunLimit::none ? "none" : std::to_string(question_.gpus[key.gpu].memory.count);
  arguments.conf = question_.confs[key.conf];
  for (const std::size_t word : question_.words)
    arguments.program.push_back(question_.texts.filled(word, values));
  for (const auto& [name, text] : question_.variables)
    arguments.variables.emplace_back(name, question_.texts.filled(text, values));
  return arguments;
}

FitRun FitSearch::run_of(const FitRunKey& key, const std::filesystem::path& folder) const {
  FitRun run{arguments_of(key), question_.confs, {}};
  for (const FitTemplate& file : question_.templates) {
    std::filesystem::create_directories(folder);
    const std::string copy = (folder / std::filesystem::path(file.path).filename()).string();
    std::ofstream stream(copy, std::ios::binary);
    stream << question_.texts.filled(file.text, values_of_run(key));
    stream.close();
    if (!stream) throw traces::InputError({copy, "", "room for a copy of " + file.path, "none"});
    for (std::string& word : run.arguments.program) replace_path(word, file.path, copy);
  }
  return run;
}

std::string FitSearch::identity_of(const FitRunKey& key) const {
  std::vector<std::string> contents;
  for (const FitTemplate& file : question_.templates)
    contents.push_back(question_.texts.filled(file.text, values_of_run(key)));
  for (const auto& conf : question_.confs) contents.push_back(conf.value_or("of the environment"));
  return identity_of_run(arguments_of(key), contents);
}

}  // namespace vramlab::tools
