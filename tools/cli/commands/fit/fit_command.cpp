// `vramlab fit`: the largest batch or length that fits, found and proven by dry runs.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "streams/device/gpu_models.h"
#include "tools/cli/commands/dry_run/dry_run_attempt.h"
#include "tools/cli/commands/dry_run/dry_run_options.h"
#include "tools/cli/commands/dry_run/process_notes.h"
#include "tools/cli/commands/fit/fit_outcome.h"
#include "tools/cli/commands/fit/fit_report.h"
#include "tools/cli/commands/fit/fit_search.h"
#include "tools/cli/commands/fit/fork_server.h"
#include "tools/cli/commands/fit/kept_figures.h"
#include "tools/cli/commands/fit/runs_side_by_side.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/interrupts.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/numbered_folder.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"

namespace vramlab::tools {
namespace {

using replay::RunLimit;
using replay::TextKind;
using traces::InputError;

struct FitArguments {
  std::vector<std::string> gpus;
  std::optional<std::uint64_t> device_memory;
  std::vector<std::string> confs;
  std::string search;
  std::vector<std::string> templates;
  std::size_t jobs = usual_thread_count();
  std::uint64_t timeout_ns = 600'000'000'000;
  DryRunArguments run;
  /// Whether other option strings are tried, too.
  bool advises = false;
  /// The folder for histories.
  OutputArguments output;
  /// The page that shows all runs; empty without one.
  std::string report;
  bool forgets = false;
  std::string format;
  CommonFlags flags;
};

void add_question_options(CLI::App& command, FitArguments& arguments) {
  add_several_gpus(command, arguments.gpus, "The GPU on which the program has to fit");
  add_device_memory(command, arguments.device_memory, "that of the GPU");
  add_several_confs(command, arguments.confs,
                    "An option string to try (PYTORCH_CUDA_ALLOC_CONF; default: that of the "
                    "environment)");
  command.add_flag("--advise", arguments.advises,
                   "Say with which other option string more fits: replays choose, runs prove");
  command.add_option("--search", arguments.search,
                     "The placeholder to search (default: the first one with a range); all others "
                     "make a grid");
  command
      .add_option("--template", arguments.templates,
                  "A file with placeholders; the program gets a copy with the values filled in, "
                  "where the command names the file; may be given several times")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

void add_run_options(CLI::App& command, FitArguments& arguments) {
  command
      .add_option("--values", arguments.run.values,
                  "What a program reads that reads values of the device; computed: what follows "
                  "from small tensors with known values, else zeros")
      ->check(CLI::IsMember({"zeros", "ones", "random", "computed"}))
      ->capture_default_str();
  add_machine_options(command, arguments.run);
  add_job_options(command, arguments.run);
  add_course_options(command, arguments.run);
  add_fail_if(command, arguments.run,
              "A run does not fit if this holds of a process, such as 'peak_reserved > 20GiB'; may "
              "be given several times");
  command
      .add_option("--timeout", arguments.timeout_ns,
                  "The processor time after which a run is ended (default: 600s)")
      ->transform(time_in_nanoseconds())
      ->check(refusal_of_nothing);
  command
      .add_option("-j,--jobs", arguments.jobs,
                  "Runs at the same time, as far as the host's memory allows (default: one per "
                  "core)")
      ->check(CLI::Range(1, 1024));
}

void add_fit_options(CLI::App& command, FitArguments& arguments) {
  add_question_options(command, arguments);
  add_run_options(command, arguments);
  command.add_option("--format", arguments.format, "text (the default), json, csv or markdown")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  add_output(command, arguments.output,
             "A folder for the histories of the runs that prove the answers")
      ->type_name("FOLDER");
  command.add_option("--report", arguments.report,
                     "Write an HTML page with the peaks by value and all runs");
  command.add_flag("--force", arguments.output.may_overwrite,
                   "Overwrite the page, and histories in the folder");
  command.add_flag("--no-cache", arguments.forgets,
                   "Make all runs anew, and keep no figures in ~/.cache/vramlab");
  add_common_flags(command, arguments.flags);
  command.add_option("PROGRAM", arguments.run.program,
                     "The program and its arguments, after --, with placeholders such as "
                     "{batch:1..512}, {seq:512,1024} or {accumulate=256/batch}");
}

/// `NAME=value`.
bool is_assignment(const std::string& word) {
  const std::size_t end = word.find('=');
  if (end == std::string::npos || end == 0 || traces::is_digit(word[0])) return false;
  return std::all_of(
      word.begin(), word.begin() + static_cast<std::ptrdiff_t>(end),
      [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; });
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw InputError({path, "", "a file with placeholders", "none that can be read"});
  return text.str();
}

void add_words(const std::vector<std::string>& command, FitQuestion& question) {
  std::size_t at = 0;
  for (; at < command.size() && is_assignment(command[at]); ++at) {
    const std::size_t equals = command[at].find('=');
    question.variables.emplace_back(
        command[at].substr(0, equals),
        question.texts.add(command[at].substr(equals + 1), command[at], TextKind::word));
  }
  if (at == command.size())
    throw InputError({"fit", "", "-- and a program, such as -- python train.py {batch:1..512}",
                      at == 0 ? "none" : "variables alone"});
  for (; at < command.size(); ++at)
    question.words.push_back(question.texts.add(command[at], command[at], TextKind::word));
}

void add_templates(const FitArguments& arguments, FitQuestion& question) {
  for (const std::string& path : arguments.templates) {
    const bool is_named = std::ranges::any_of(arguments.run.program, [&](const std::string& word) {
      return word == path || word.ends_with("=" + path);
    });
    if (!is_named)
      throw InputError({"--template", "", path + " as a word of the command", "no such word"});
    question.templates.push_back(
        {path, question.texts.add(content_of(path), path, TextKind::file)});
  }
}

std::vector<FitGpu> gpus_of(const FitArguments& arguments) {
  if (arguments.gpus.empty() && !arguments.device_memory)
    throw InputError({"fit", "", "--gpu or --device-memory", "neither"});
  std::vector<FitGpu> gpus;
  for (const std::string& name :
       arguments.gpus.empty() ? std::vector<std::string>{usual_gpu} : arguments.gpus) {
    const streams::GpuModel& model = *streams::find_gpu(name);
    gpus.push_back({std::string(model.name),
                    arguments.device_memory ? Bytes{*arguments.device_memory} : model.available()});
  }
  return gpus;
}

/// Option strings that people set against running out of memory.
constexpr const char* confs_to_advise[] = {"",
                                           "expandable_segments:True",
                                           "max_split_size_mb:64",
                                           "max_split_size_mb:256",
                                           "garbage_collection_threshold:0.8",
                                           "roundup_power2_divisions:8"};

/// The option string that a run without `--conf` has.
std::string conf_of_environment() {
  for (const char* const name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr) return value;
  }
  return "";
}

void add_confs(const FitArguments& arguments, FitQuestion& question) {
  for (const std::string& conf : arguments.confs) question.confs.emplace_back(conf);
  if (question.confs.empty()) question.confs.emplace_back();
  question.asked_conf_count = question.confs.size();
  if (!arguments.advises) return;
  std::vector<std::string> asked = arguments.confs;
  if (asked.empty()) asked.push_back(conf_of_environment());
  for (const char* const conf : confs_to_advise)
    if (std::ranges::find(asked, conf) == asked.end()) question.confs.emplace_back(conf);
}

FitQuestion question_of(const FitArguments& arguments) {
  FitQuestion question;
  add_words(arguments.run.program, question);
  add_templates(arguments, question);
  question.texts.refuse_unknown_names();
  if (question.texts.placeholders().empty())
    throw InputError({"fit", "", "a placeholder in the command, such as {batch:1..512}",
                      "none; vramlab dry-run runs a program as it is"});
  question.searched = question.texts.searched(arguments.search);
  question.points = question.texts.grid(question.searched);
  question.gpus = gpus_of(arguments);
  add_confs(arguments, question);
  question.base = arguments.run;
  question.base.program.clear();
  asked_ranks(question.base);
  limits_of(question.base);
  return question;
}

/// A name that is a single part of a path.
std::string file_name(std::string text) {
  for (char& letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '=' && letter != '.' &&
        letter != '-' && letter != '_')
      letter = '_';
  return text;
}

/// The loop of the command: runs are begun while some are wanted and the host has room.
class FitLoop {
 public:
  FitLoop(const FitArguments& arguments, FitQuestion question)
      : arguments_(arguments),
        search_(std::move(question)),
        folder_(scratch_place().folder + "/vramlab-fit-" + std::to_string(geteuid())) {}

  void run() {
    ProgressBar bar("fit", arguments_.flags);
    RunsSideBySide runs({arguments_.jobs, static_cast<double>(arguments_.timeout_ns) * 1e-9},
                        [this] { return interrupt_.has_come(); });
    while (true) {
      begin_wanted(runs, bar);
      if (runs.count() == 0) break;
      for (EndedRun& ended : runs.wait()) take(ended);
      bar.show_table(fit_table(search_));
    }
    bar.remove();
  }

  FitOutcome outcome() {
    FitOutcome outcome;
    outcome.search = &search_;
    outcome.command = arguments_.run.program;
    outcome.was_interrupted = interrupt_.has_come();
    outcome.own_processes_because = own_processes_because_;
    outcome.cache_trouble = kept_.trouble();
    keep_histories(outcome);
    outcome.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    write_report(outcome);
    return outcome;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// The socket of the interpreter that runs with this option string share, which PyTorch reads
  /// when it is imported; below 0 if they can't share one. Figures of earlier commands need none,
  /// so it is started with the first run.
  int shared_interpreter(std::size_t conf, ProgressBar& bar) {
    auto shared = arguments_to_share();
    if (!shared || !own_processes_because_.empty()) return -1;
    auto& server = servers_[conf];
    if (server) return server->control();
    bar.show("imports what all runs share");
    shared->tells_files = !arguments_.forgets;
    shared->conf = search_.question().confs[conf];
    server = std::make_unique<ForkServer>(*shared,
                                          folder_.path() / ("interpreter" + std::to_string(conf)));
    const std::string reason = server->wait_until_ready([this] { return interrupt_.has_come(); });
    if (!interrupt_.has_come()) own_processes_because_ = reason;
    return reason.empty() ? server->control() : -1;
  }

  /// The program as all runs begin, if they may share an interpreter.
  std::optional<DryRunArguments> arguments_to_share() const {
    const FitQuestion& question = search_.question();
    DryRunArguments shared = question.base;
    if (!asked_ranks(shared).empty() || question.words.size() < 2) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
      if (!question.texts.is_literal(question.words[i])) return std::nullopt;
      shared.program.push_back(question.texts.filled(question.words[i], {}));
    }
    for (const auto& [name, text] : question.variables) {
      if (!question.texts.is_literal(text)) return std::nullopt;
      shared.variables.emplace_back(name, question.texts.filled(text, {}));
    }
    if (!is_script_of_python(shared.program)) return std::nullopt;
    shared.gpu = question.gpus.front().name;
    shared.device_memory = "none";
    return shared;
  }

  std::filesystem::path place_of(std::size_t number) const {
    return folder_.path() / std::to_string(number);
  }
  std::filesystem::path history_of(std::size_t number) const {
    return place_of(number).string() + ".pickle";
  }

  void begin_wanted(RunsSideBySide& runs, ProgressBar& bar) {
    while (!interrupt_.has_come() && take_known()) continue;
    if (interrupt_.has_come()) return;
    for (const FitRunKey& key : search_.wanted()) {
      if (!runs.has_room()) return;
      begin(key, runs, bar);
    }
  }

  /// Kept figures have no history.
  bool keeps_history(const FitRunKey& key) const {
    return !arguments_.output.path.empty() && key.limit == RunLimit::memory_of_gpu;
  }

  /// Takes what earlier commands found out. Returns whether it was something.
  bool take_known() {
    bool was_something = false;
    if (arguments_.forgets) return was_something;
    for (const FitRunKey& key : search_.wanted()) {
      if (keeps_history(key) || !looked_up_.insert(key).second) continue;
      const auto known = kept_.find(search_.identity_of(key));
      if (!known) continue;
      search_.add(key, {*known, true});
      was_something = true;
    }
    return was_something;
  }

  void begin(const FitRunKey& key, RunsSideBySide& runs, ProgressBar& bar) {
    const int fork_server = shared_interpreter(key.conf, bar);
    if (interrupt_.has_come()) return;
    const std::size_t number = keys_.size();
    FitRun run = search_.run_of(key, place_of(number));
    run.log = place_of(number).string() + ".log";
    run.fork_server = fork_server;
    run.arguments.tells_files = !arguments_.forgets;
    if (keeps_history(key)) run.arguments.output = history_of(number).string();
    search_.begin(key);
    runs.start(number, run);
    keys_.push_back(key);
    bar.show("run " + std::to_string(number + 1) + ": " + search_.value_name(key.point, key.value) +
             (key.limit == RunLimit::none ? ", no limit of memory"
                                          : ", " + search_.question().gpus[key.gpu].name));
  }

  void take(EndedRun& ended) {
    const FitRunKey& key = keys_[ended.number];
    if (ended.figures.stopped == FitStop::interrupt) return;
    numbers_[key] = ended.number;
    // Copies of templates are part of the identity.
    std::erase_if(ended.figures.files, [this](const NotedFile& file) {
      return file.path.starts_with(folder_.path().string() + "/");
    });
    if (!arguments_.forgets) kept_.keep(search_.identity_of(key), ended.figures);
    search_.add(key, {std::move(ended.figures), false});
  }

  /// The answer stands without it.
  void write_report(FitOutcome& outcome) const {
    if (arguments_.report.empty()) return;
    try {
      traces::OutputFile file(arguments_.report, arguments_.output.overwrite());
      file.write(fit_report(outcome));
      file.finish();
    } catch (const std::exception& error) {
      outcome.report_trouble = error.what();
    }
  }

  /// The answer stands without them.
  void keep_histories(FitOutcome& outcome) {
    if (arguments_.output.path.empty()) return;
    try {
      keep_proofs(outcome);
    } catch (const std::exception& error) {
      outcome.history_trouble = error.what();
    }
  }

  void keep_proofs(FitOutcome& outcome) {
    const std::filesystem::path to = arguments_.output.path;
    for (const FitCell& cell : search_.cells()) {
      const replay::LargestValue answer = largest_value(cell.facts);
      for (const auto& value : {answer.fits, answer.next}) {
        if (!value) continue;
        const FitRunKey key{cell.point, *value, cell.gpu, cell.conf, RunLimit::memory_of_gpu};
        const auto number = numbers_.find(key);
        if (number != numbers_.end()) keep_history(key, number->second, to, outcome);
      }
    }
  }

  /// Histories of several processes end in the process.
  void keep_history(const FitRunKey& key, std::size_t number, const std::filesystem::path& to,
                    FitOutcome& outcome) {
    const std::string from = history_of(number).filename().string();
    std::string name =
        search_.value_name(key.point, key.value) + "." + search_.question().gpus[key.gpu].name;
    if (search_.question().confs.size() > 1) name += ".conf" + std::to_string(key.conf + 1);
    name = file_name(name) + ".pickle";
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string found = entry.path().filename().string();
      if (!found.starts_with(from)) continue;
      const std::filesystem::path target = to / (name + found.substr(from.size()));
      check_new_output(target.string(), arguments_.output.overwrite());
      std::filesystem::copy_file(entry.path(), target,
                                 std::filesystem::copy_options::overwrite_existing);
    }
    if (std::filesystem::exists(to / name)) outcome.histories[key] = (to / name).string();
  }

  const FitArguments& arguments_;
  Clock::time_point begin_ = Clock::now();
  StopOnInterrupt interrupt_;
  FitSearch search_;
  NumberedFolder folder_;
  /// By the number of the run.
  std::vector<FitRunKey> keys_;
  std::set<FitRunKey> looked_up_;
  std::map<FitRunKey, std::size_t> numbers_;
  /// By option string.
  std::map<std::size_t, std::unique_ptr<ForkServer>> servers_;
  KeptFigures kept_;
  /// Why each run starts the program anew; empty if the runs share an interpreter or can't.
  std::string own_processes_because_;
};

ExitStatus fit(const FitArguments& arguments) {
  FitQuestion question = question_of(arguments);
  TableOutput table;
  table.format = arguments.format;
  const std::string format = wanted_format(table, arguments.flags, "text");
  stand_in_folder();
  // Before the program runs for minutes.
  if (!arguments.output.path.empty()) std::filesystem::create_directories(arguments.output.path);
  check_new_output(arguments.report, arguments.output.overwrite());
  FitLoop loop(arguments, std::move(question));
  loop.run();
  const FitOutcome outcome = loop.outcome();
  print(fit_printed(outcome, format));
  if (outcome.was_interrupted) return ExitStatus::interrupted;
  if (something_fits(*outcome.search)) return ExitStatus::done;
  return has_problem(*outcome.search) ? ExitStatus::bad_input : ExitStatus::answer_is_no;
}

}  // namespace

Command fit_command() {
  return {"fit", "Find the largest batch or length that fits on a GPU, proven by dry runs",
          "Example: vramlab fit --gpu rtx4090 -- python train.py --batch {batch:1..512}",
          with<FitArguments>(add_fit_options, fit)};
}

}  // namespace vramlab::tools
