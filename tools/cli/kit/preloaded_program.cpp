#include "tools/cli/kit/preloaded_program.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

constexpr const char* library_name = "libvramlab_preload.so";

/// As LD_PRELOAD takes them.
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
  const char* const before = std::getenv("LD_PRELOAD");
  // What was there stays in front, so that tools which wrap the driver too see the program's calls
  // first.
  const std::string others = before == nullptr || *before == '\0' ? "" : std::string(before) + ":";
  setenv("LD_PRELOAD", (others + libraries).c_str(), 1);
  for (const auto& [name, value] : program.variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  const int error = errno;
  std::fprintf(stderr, "vramlab: %s: %s\n", words.front(), std::strerror(error));
  _exit(error == ENOENT ? program_not_found : program_not_runnable);
}

int status_of(int ended) {
  return WIFSIGNALED(ended) ? ended_by_signal + WTERMSIG(ended) : WEXITSTATUS(ended);
}

/// The child's status, if it has ended. Whatever else ended, and is ours by now, is forgotten.
std::optional<int> status_if_ended(pid_t child) {
  std::optional<int> status;
  int ended = 0;
  while (const pid_t process = waitpid(-1, &ended, WNOHANG)) {
    if (process < 0) break;
    if (process == child) status = status_of(ended);
  }
  return status;
}

int wait_for(pid_t child, const sigset_t& signals) {
  while (true) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals, &info);
    if (signal == SIGCHLD) {
      if (const auto status = status_if_ended(child)) return *status;
      continue;
    }
    // The terminal's own signals reach all of its processes; those of people are for us alone.
    if (signal > 0 && info.si_code <= 0) kill(child, signal);
  }
}

/// Processes whose parent we are: those of the program that lost theirs.
std::vector<pid_t> own_children() {
  std::vector<pid_t> children;
  const std::string self = std::to_string(getpid());
  std::ifstream list("/proc/self/task/" + self + "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

/// First asks them to end, as they may have something to write, and does not wait for ever.
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

}  // namespace

void require_own_libraries(const std::string& what) {
  const std::string reason = VRAMLAB_NO_PRELOAD_REASON;
  if (!reason.empty()) throw std::runtime_error("this build has no " + what + ": " + reason);
}

std::filesystem::path find_own_file(const std::filesystem::path& built,
                                    const std::filesystem::path& installed) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::filesystem::path& place :
       {built, VRAMLAB_LIBRARY_PLACE / installed, "../lib" / installed}) {
    auto path = (folder / place).lexically_normal();
    if (std::filesystem::exists(path)) return path;
  }
  throw traces::InputError(
      {folder.string(), "", built.string(),
       "none here and no " + installed.string() + " in " + std::string(VRAMLAB_LIBRARY_PLACE)});
}

std::filesystem::path preload_library() {
  require_own_libraries(library_name);
  return find_own_file(library_name, library_name);
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
  const int status = wait_for(child, signals);
  if (program.left == LeftProcesses::end) end_left_processes();
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
  return {child, status};
}

}  // namespace vramlab::tools
