#include "tools/cli/kit/preloaded_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/shared_files.h"
#include "tools/cli/printers/shown_text.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

constexpr const char* library_name = "libvramlab_preload.so";

/// The libraries as LD_PRELOAD lists them.
std::string listed_for_loader(const std::vector<std::filesystem::path>& libraries) {
  std::string list;
  for (const std::filesystem::path& library : libraries) {
    const std::string& path = library.native();
    if (path.find_first_of(" :") != std::string::npos)
      throw traces::InputError(
          {path, "", "a path that LD_PRELOAD can hold", "a space or a colon in it"});
    list += (list.empty() ? "" : ":") + path;
  }
  return list;
}

sigset_t signals_to_send_on() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&signals, signal);
  return signals;
}

[[noreturn]] void become(const PreloadedProgram& program, const std::string& libraries) {
  if (program.output == ProgramOutput::standard_error) dup2(STDERR_FILENO, STDOUT_FILENO);
  const char* const before = std::getenv("LD_PRELOAD");
  // Libraries that are preloaded already stay in front, so that other tools that wrap the driver
  // see the program's calls first.
  const std::string others = before == nullptr || *before == '\0' ? "" : std::string(before) + ":";
  if (!libraries.empty()) setenv("LD_PRELOAD", (others + libraries).c_str(), 1);
  for (const auto& [name, value] : program.variables) setenv(name.c_str(), value.c_str(), 1);
  setenv("VRAMLAB_PROGRAM_PROCESS", std::to_string(getpid()).c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  const int error = errno;
  tell("vramlab: " + shown_name(words.front()) + ": " + std::strerror(error) + "\n");
  _exit(error == ENOENT ? program_not_found : program_not_runnable);
}

/// The child's status, if it has ended. Other ended processes whose parent we have become are only
/// reaped.
std::optional<int> status_if_ended(pid_t child) {
  std::optional<int> status;
  int ended = 0;
  while (const pid_t process = waitpid(-1, &ended, WNOHANG)) {
    if (process < 0) break;
    if (process == child) status = exit_status_of(ended);
  }
  return status;
}

/// Asks a program to end once it is over, and kills it if it does not.
class EndOfProgram {
 public:
  EndOfProgram(pid_t child, const std::function<bool()>& is_over)
      : child_(child), is_over_(is_over) {}

  bool is_asked() const { return static_cast<bool>(is_over_); }
  /// Called again and again, after a pause.
  void look() {
    if (!was_asked_to_end_) {
      if (!is_over_()) return;
      was_asked_to_end_ = true;
      kill(child_, SIGTERM);
    } else if (++pauses_ == most_pauses) {
      kill(child_, SIGKILL);
    }
  }

  static constexpr timespec pause{0, 200'000'000};

 private:
  /// A minute.
  static constexpr int most_pauses = 300;
  pid_t child_;
  const std::function<bool()>& is_over_;
  bool was_asked_to_end_ = false;
  int pauses_ = 0;
};

int wait_for(pid_t child, const sigset_t& signals, const std::function<bool()>& is_over) {
  EndOfProgram end(child, is_over);
  while (true) {
    siginfo_t info{};
    const int signal = end.is_asked() ? sigtimedwait(&signals, &info, &EndOfProgram::pause)
                                      : sigwaitinfo(&signals, &info);
    if (signal == SIGCHLD) {
      if (const auto status = status_if_ended(child)) return *status;
      continue;
    }
    if (signal < 0 && errno == EAGAIN) end.look();
    // Signals of the terminal reach the program anyway; signals that somebody sends reach us alone.
    if (signal > 0 && info.si_code <= 0) kill(child, signal);
  }
}

/// Processes of the program that lost their parent and became our children.
std::vector<pid_t> own_children() {
  std::vector<pid_t> children;
  const std::string self = std::to_string(getpid());
  std::ifstream list("/proc/self/task/" + self + "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

/// Asks the processes to end first, as they may have something to write, and does not wait for
/// ever.
void end_left_processes() {
  constexpr int asked_rounds = 30;
  constexpr int most_rounds = 60;
  for (int round = 0; round < most_rounds; ++round) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    const std::vector<pid_t> left = own_children();
    if (left.empty()) return;
    if (round == 0 || round >= asked_rounds)
      for (const pid_t process : left) kill(process, round == 0 ? SIGTERM : SIGKILL);
    const timespec pause{0, 100'000'000};
    nanosleep(&pause, nullptr);
  }
}

/// Reads `4711` and `4711.2`.
std::optional<RecordingPart> part_from(std::string_view name) {
  RecordingPart part;
  const char* const end = name.data() + name.size();
  auto read = std::from_chars(name.data(), end, part.process);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '.')
    read = std::from_chars(read.ptr + 1, end, part.number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return part;
}

/// A program that was killed during a write leaves at most half a line, which no reader accepts.
void cut_half_line(const RecordingPart& part) {
  std::ifstream file(part.path, std::ios::binary);
  std::uintmax_t whole = part.bytes;
  while (whole > 0) {
    file.seekg(static_cast<std::streamoff>(whole - 1));
    if (file.get() == '\n') break;
    --whole;
  }
  file.close();
  if (whole != part.bytes) std::filesystem::resize_file(part.path, whole);
}

std::string name_with_process(const RecordingPart& part) {
  const std::string name = part.output + "." + std::to_string(part.process);
  return part.number == 1 ? name : name + "." + std::to_string(part.number);
}

/// Reserves the name with an empty file, as several ranks may end at once with one name. False if
/// the name belongs to another.
bool claim(const std::string& name, const FinishedRecordings& to) {
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  // Other errors are reported when the file is written.
  if (file >= 0 || errno != EEXIST) return true;
  return to.overwrite == traces::Overwrite::allowed &&
         std::filesystem::last_write_time(name) < to.begun;
}

std::string finish_claimed(const RecordingPart& part, std::string name, FinishedRecordings to) {
  if (!claim(name, to)) {
    name = name_with_process(part);
    if (!claim(name, to))
      throw traces::InputError({name, "", "no file of this name (or --force)", "one"});
  }
  to.overwrite = traces::Overwrite::allowed;
  try {
    finish_recording(part, name, to);
  } catch (...) {
    std::error_code ignored;
    if (std::filesystem::is_empty(name, ignored)) std::filesystem::remove(name, ignored);
    throw;
  }
  return name;
}

void put_main_first(std::vector<RecordingPart>& parts, int process) {
  const auto main = std::max_element(
      parts.begin(), parts.end(), [&](const RecordingPart& a, const RecordingPart& b) {
        const bool a_is_own = a.process == process;
        const bool b_is_own = b.process == process;
        return std::tie(a_is_own, a.bytes) < std::tie(b_is_own, b.bytes);
      });
  std::rotate(parts.begin(), main, main + 1);
}

}  // namespace

int exit_status_of(int waited) {
  return WIFSIGNALED(waited) ? ended_by_signal + WTERMSIG(waited) : WEXITSTATUS(waited);
}

void require_own_libraries(const std::string& what) {
  const std::string reason = VRAMLAB_NO_PRELOAD_REASON;
  if (!reason.empty()) throw std::runtime_error("this build has no " + what + ": " + reason);
}

std::filesystem::path find_own_file(const std::filesystem::path& built,
                                    const std::filesystem::path& installed) {
  const auto found =
      first_own_place({built, VRAMLAB_LIBRARY_PLACE / installed, "../lib" / installed});
  if (found) return *found;
  throw traces::InputError(
      {own_folder().string(), "", built.string(),
       "none here and no " + installed.string() + " in " + std::string(VRAMLAB_LIBRARY_PLACE)});
}

std::filesystem::path preload_library() {
  require_own_libraries(library_name);
  return find_own_file(library_name, library_name);
}

void become_preloaded(const PreloadedProgram& program) {
  become(program, listed_for_loader(program.libraries));
}

ProgramEnd run_preloaded(const PreloadedProgram& program) {
  const std::string libraries = listed_for_loader(program.libraries);
  if (program.left == LeftProcesses::end) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const sigset_t signals = signals_to_send_on();
  sigset_t signals_before;
  sigprocmask(SIG_BLOCK, &signals, &signals_before);
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("no process can be made: ") + std::strerror(errno));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &signals_before, nullptr);
    become(program, libraries);
  }
  const int status = wait_for(child, signals, program.is_over);
  if (program.left == LeftProcesses::end) end_left_processes();
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
  return {child, status};
}

void finish_recording(const RecordingPart& part, const std::string& name,
                      const FinishedRecordings& to) {
  cut_half_line(part);
  traces::OpenTrace trace = open_input(part.path, nullptr);
  traces::OutputFile output(name, to.overwrite);
  traces::SnapshotTables tables;
  const auto writer = make_trace_writer(to.format, output, tables);
  traces::read_trace(trace, tables, writer->sinks());
  writer->finish();
  output.finish();
  std::filesystem::remove(part.path);
}

std::vector<RecordingPart> recording_parts(const std::filesystem::path& folder,
                                           const std::string& mark) {
  std::vector<RecordingPart> parts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.rfind(mark + ".");
    if (at == std::string::npos) continue;
    auto part = part_from(std::string_view(name).substr(at + mark.size() + 1));
    if (!part) continue;
    part->path = entry.path().string();
    part->output = (folder / name.substr(0, at)).string();
    part->bytes = entry.file_size();
    parts.push_back(*part);
  }
  std::sort(parts.begin(), parts.end(), [](const RecordingPart& a, const RecordingPart& b) {
    return std::tie(a.process, a.number) < std::tie(b.process, b.number);
  });
  return parts;
}

std::vector<std::string> finish_recordings(const std::vector<RecordingPart>& parts, int process,
                                           const FinishedRecordings& to) {
  std::map<std::string, std::vector<RecordingPart>> of_outputs;
  for (const RecordingPart& part : parts) of_outputs[part.output].push_back(part);
  std::vector<std::string> names;
  for (auto& [output, own] : of_outputs) {
    put_main_first(own, process);
    for (const RecordingPart& part : own)
      names.push_back(
          finish_claimed(part, &part == &own.front() ? output : name_with_process(part), to));
  }
  return names;
}

}  // namespace vramlab::tools
