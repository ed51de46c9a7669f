#include "tools/cli/commands/fit/runs_side_by_side.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tools/cli/commands/fit/fork_server.h"
#include "tools/cli/kit/own_processes.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 250ms;
/// How long a run may take to end once it is asked to.
constexpr auto most_ending = 5s;

// ---- The process of a run -----------------------------------------------------------------------

void write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

/// A run whose program is forked by the server. The process that minds the program is the first
/// line of the file.
FitFigures forked_figures(const FitRun& run, int file) {
  double processor_s = 0;
  const ForkedRun forked{run.fork_server, run.log, [file](pid_t process) {
                           write_all(file, std::to_string(process) + "\n");
                         }};
  FitFigures figures = figures_of_run(run, [&](const PreloadedProgram& program) {
    const ForkedEnd end = run_forked(forked, program);
    processor_s = end.processor_s;
    return ProgramEnd{end.process, end.status};
  });
  figures.processor_s = processor_s;
  return figures;
}

[[noreturn]] void run_alone(const FitRun& run, pid_t parent, int file) {
  stand_alone(parent, SIGTERM);
  take_standard_streams(run.log);
  FitFigures figures;
  try {
    figures = run.fork_server < 0 ? figures_of_run(run, run_preloaded) : forked_figures(run, file);
  } catch (const std::exception& error) {
    figures = {};
    figures.trouble = error.what();
  }
  write_all(file, compact_json_text(figures_json(figures)));
  _exit(0);
}

// ---- Looks at it from outside -------------------------------------------------------------------

/// The process and all below it.
std::vector<pid_t> tree_of(pid_t process) {
  std::vector<pid_t> tree = {process};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string self = std::to_string(tree[i]);
    // Children belong to the thread that made them.
    DIR* const threads = opendir(("/proc/" + self + "/task").c_str());
    if (threads == nullptr) continue;
    while (const dirent* const thread = readdir(threads)) {
      std::ifstream list("/proc/" + self + "/task/" + thread->d_name + "/children");
      for (pid_t child = 0; list >> child;) tree.push_back(child);
    }
    closedir(threads);
  }
  return tree;
}

/// The time of the process, and of its children that have ended.
double processor_s_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  // A process that ends here makes reading fail, which an iterator of the file would throw.
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  constexpr int fields_before = 11;
  for (int i = 0; i < fields_before; ++i) fields >> skipped;
  double ticks = 0;
  for (int i = 0; i < 4; ++i) {
    double part = 0;
    fields >> part;
    ticks += part;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Memory that it does not share.
std::uint64_t host_bytes_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;
  file >> total >> resident >> shared;
  return (resident - std::min(resident, shared)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// All there is if the system does not say.
std::uint64_t available_host_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) << 10U;
  return UINT64_MAX;
}

void pause_shortly() {
  const timespec pause{0, 10'000'000};
  nanosleep(&pause, nullptr);
}

/// The first line of the file, if it is a number; 0 otherwise.
pid_t process_in(int file) {
  char text[16] = {};
  if (pread(file, text, sizeof text - 1, 0) <= 0) return 0;
  return static_cast<pid_t>(std::atoi(text));
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string content_of(int file) {
  std::string text;
  char part[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  return text;
}

}  // namespace

RunsSideBySide::RunsSideBySide(const SideBySideOptions& options, std::function<bool()> is_stopped)
    : options_(options), is_stopped_(std::move(is_stopped)) {}

bool RunsSideBySide::has_room() const {
  if (runs_.empty()) return true;
  if (!has_ended_one_ || runs_.size() >= options_.jobs) return false;
  // Runs that have begun may still grow.
  std::uint64_t missing = largest_host_bytes_;
  for (const Run& run : runs_)
    missing += largest_host_bytes_ - std::min(largest_host_bytes_, run.host_bytes);
  return missing + missing / 4 <= available_host_bytes();
}

void RunsSideBySide::start(std::size_t number, const FitRun& run) {
  const int file = memfd_create("vramlab-fit", MFD_CLOEXEC);
  if (file < 0)
    throw std::runtime_error(std::string("no file in memory can be made: ") + std::strerror(errno));
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    close(file);
    throw std::runtime_error(std::string("no process can be made: ") + std::strerror(errno));
  }
  if (process == 0) run_alone(run, parent, file);
  Run started;
  started.number = number;
  started.process = process;
  started.file = file;
  started.last_active = Clock::now();
  runs_.push_back(started);
}

void RunsSideBySide::ask_to_end(Run& run, FitStop reason) {
  if (run.stopped != FitStop::none) return;
  run.stopped = reason;
  run.asked_to_end = Clock::now();
  kill(run.process, SIGTERM);
}

/// Ends it if it has taken too long.
void RunsSideBySide::look_at(Run& run) {
  std::vector<pid_t> tree = tree_of(run.process);
  if (const pid_t minder = process_in(run.file); minder != 0) {
    const std::vector<pid_t> more = tree_of(minder);
    tree.insert(tree.end(), more.begin(), more.end());
  }
  double processor_s = 0;
  std::uint64_t host_bytes = 0;
  for (const pid_t process : tree) {
    processor_s += processor_s_of(process);
    host_bytes += host_bytes_of(process);
  }
  run.processor_s = std::max(run.processor_s, processor_s);
  run.host_bytes = std::max(run.host_bytes, host_bytes);
  largest_host_bytes_ = std::max(largest_host_bytes_, run.host_bytes);
  const auto now = Clock::now();
  if (run.processor_s > run.active_at_s + 0.5) {
    run.active_at_s = run.processor_s;
    run.last_active = now;
  }
  // A run that only waits for a core is no idle one.
  constexpr double least_idle_s = 60;
  const std::chrono::duration<double> idle = now - run.last_active;
  if (run.processor_s > options_.most_processor_s ||
      idle.count() > std::max(least_idle_s, options_.most_processor_s))
    ask_to_end(run, FitStop::time);
  if (run.stopped == FitStop::none || now - run.asked_to_end < most_ending) return;
  // Its own process stays to clean up, unless that does not help either.
  for (const pid_t process : tree)
    if (process != run.process || now - run.asked_to_end > 2 * most_ending) kill(process, SIGKILL);
}

EndedRun RunsSideBySide::finished(const Run& run) const {
  EndedRun ended{run.number, {}};
  std::string text = content_of(run.file);
  if (!text.starts_with('{')) text.erase(0, text.find('\n') + 1);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_object())
    ended.figures = figures_from_json(json);
  else
    ended.figures.trouble = "the process of the run ended before it told anything";
  // Nobody else ends a program of the interpreter that runs share.
  if (const pid_t minder = json.is_object() ? 0 : process_in(run.file); minder != 0)
    for (const pid_t process : tree_of(minder)) kill(process, SIGKILL);
  close(run.file);
  ended.figures.stopped = run.stopped;
  ended.figures.processor_s = std::max(run.processor_s, ended.figures.processor_s);
  ended.figures.host_bytes = run.host_bytes;
  return ended;
}

std::vector<EndedRun> RunsSideBySide::take_ended() {
  std::vector<EndedRun> ended;
  for (std::size_t i = 0; i < runs_.size();) {
    Run& run = runs_[i];
    rusage used{};
    int status = 0;
    const pid_t found = wait4(run.process, &status, WNOHANG, &used);
    if (found == 0 || (found < 0 && errno == EINTR)) {
      ++i;
      continue;
    }
    run.processor_s =
        std::max(run.processor_s, seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
    run.host_bytes = std::max(run.host_bytes, static_cast<std::uint64_t>(used.ru_maxrss) << 10U);
    largest_host_bytes_ = std::max(largest_host_bytes_, run.host_bytes);
    has_ended_one_ = true;
    ended.push_back(finished(run));
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return ended;
}

std::vector<EndedRun> RunsSideBySide::wait() {
  while (!runs_.empty()) {
    if (std::vector<EndedRun> ended = take_ended(); !ended.empty()) return ended;
    if (is_stopped_())
      for (Run& run : runs_) ask_to_end(run, FitStop::interrupt);
    if (const auto now = Clock::now(); now >= next_look_) {
      for (Run& run : runs_) look_at(run);
      next_look_ = now + between_looks;
    }
    pause_shortly();
  }
  return {};
}

void RunsSideBySide::end_all() {
  for (Run& run : runs_) ask_to_end(run, FitStop::interrupt);
  while (!runs_.empty()) {
    take_ended();
    for (Run& run : runs_) look_at(run);
    if (!runs_.empty()) pause_shortly();
  }
}

}  // namespace vramlab::tools
