#include "tools/kit/preloaded_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "traces/files/input_error.h"

namespace vramlab::tools {
namespace {

constexpr const char* library_name = "libvramlab_preload.so";
constexpr int not_found = 127;
constexpr int not_runnable = 126;

/// Beside the program, as it is built, or where it is installed.
std::filesystem::path find_library() {
  const std::string reason = VRAMLAB_NO_PRELOAD_REASON;
  if (!reason.empty())
    throw std::runtime_error("this build has no " + std::string(library_name) + ": " + reason);
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* const place : {".", VRAMLAB_LIBRARY_PLACE, "../lib"}) {
    auto path = (folder / place / library_name).lexically_normal();
    if (std::filesystem::exists(path)) return path;
  }
  throw traces::InputError({folder.string(), "", library_name,
                            "none here and none in " + std::string(VRAMLAB_LIBRARY_PLACE)});
}

std::string checked_library() {
  std::string path = find_library().string();
  if (path.find_first_of(" :") != std::string::npos)
    throw traces::InputError(
        {path, "", "a path that LD_PRELOAD can hold", "a space or a colon in it"});
  return path;
}

sigset_t signals_to_send_on() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&signals, signal);
  return signals;
}

[[noreturn]] void become(const PreloadedProgram& program, const std::string& library) {
  const char* const before = std::getenv("LD_PRELOAD");
  // What was there stays in front, so that tools which wrap the driver too see the program's calls
  // first.
  const std::string others = before == nullptr || *before == '\0' ? "" : std::string(before) + ":";
  setenv("LD_PRELOAD", (others + library).c_str(), 1);
  for (const auto& [name, value] : program.variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  const int error = errno;
  std::fprintf(stderr, "vramlab: %s: %s\n", words.front(), std::strerror(error));
  _exit(error == ENOENT ? not_found : not_runnable);
}

int wait_for(pid_t child, const sigset_t& signals) {
  while (true) {
    siginfo_t info{};
    const int signal = sigwaitinfo(&signals, &info);
    if (signal == SIGCHLD) {
      int status = 0;
      if (waitpid(child, &status, WNOHANG) != child) continue;
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    // The terminal's own signals reach all of its processes; those of people are for us alone.
    if (signal > 0 && info.si_code <= 0) kill(child, signal);
  }
}

}  // namespace

ProgramEnd run_preloaded(const PreloadedProgram& program) {
  const std::string library = checked_library();
  const sigset_t signals = signals_to_send_on();
  sigset_t signals_before;
  sigprocmask(SIG_BLOCK, &signals, &signals_before);
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error(std::string("no process can be made: ") + std::strerror(errno));
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &signals_before, nullptr);
    become(program, library);
  }
  const int status = wait_for(child, signals);
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
  return {child, status};
}

}  // namespace vramlab::tools
