#include "tools/cli/commands/fit/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tools/cli/kit/own_processes.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr int poll_ms = 50;
/// How long a program may take to end once it is asked to, in polls.
constexpr int most_polls_of_ending = 60;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// Both ends; the second is for another process.
std::array<int, 2> socket_pair(int kind) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, kind | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("no sockets can be made");
  return ends;
}

[[noreturn]] void become_server(const PreloadedProgram& program, const std::string& log,
                                pid_t parent, int control) {
  stand_alone(parent, SIGKILL);
  take_standard_streams(log);
  fcntl(control, F_SETFD, 0);
  become_preloaded(program);
}

std::string request_text(const ForkedRun& run, const PreloadedProgram& program) {
  constexpr std::ptrdiff_t interpreter_and_script = 2;
  ordered_json variables = ordered_json::object();
  for (const auto& [name, value] : program.variables) variables[name] = value;
  return compact_json_text(
      {{"arguments", std::vector<std::string>(program.words.begin() + interpreter_and_script,
                                              program.words.end())},
       {"variables", variables},
       {"folder", std::filesystem::current_path().string()},
       {"log", run.log}});
}

/// Sends the request with one end of a new connection, and returns the other.
int connect_with(const ForkedRun& run, const PreloadedProgram& program) {
  const auto [own, other] = socket_pair(SOCK_STREAM);
  std::string text = request_text(run, program);
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &other, sizeof(int));
  const ssize_t sent = sendmsg(run.control, &message, MSG_NOSIGNAL);
  close(other);
  if (sent < 0) {
    close(own);
    fail("the interpreter that all runs share is gone");
  }
  return own;
}

void send_to_all(pid_t process, int signal) {
  // Before it has a group of its own.
  if (kill(-process, signal) != 0) kill(process, signal);
}

sigset_t requests_to_end() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
  return signals;
}

/// The lines of a connection: the processes of the minder and of the program, then the program's
/// status and processor time.
class Answers {
 public:
  explicit Answers(int connection) : connection_(connection) {}
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers() { close(connection_); }

  /// Waits for a line. Requests to end are passed on to the process, if there is one.
  std::string line(pid_t process) {
    const sigset_t signals = requests_to_end();
    while (text_.find('\n') == std::string::npos) {
      pollfd waited{connection_, POLLIN, 0};
      if (poll(&waited, 1, poll_ms) > 0) read_more();
      const timespec at_once{0, 0};
      if (polls_of_ending_ < 0 && sigtimedwait(&signals, nullptr, &at_once) > 0)
        polls_of_ending_ = 0;
      if (polls_of_ending_ < 0 || process == 0) continue;
      if (polls_of_ending_ == 0) send_to_all(process, SIGTERM);
      if (++polls_of_ending_ > most_polls_of_ending) send_to_all(process, SIGKILL);
    }
    const std::size_t end = text_.find('\n');
    std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return line;
  }

 private:
  void read_more() {
    std::array<char, 256> part{};
    const ssize_t got = read(connection_, part.data(), part.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) throw std::runtime_error("the interpreter that all runs share has ended");
    text_.append(part.data(), static_cast<std::size_t>(got));
  }

  int connection_;
  std::string text_;
  /// Since the first request to end; below 0 before.
  int polls_of_ending_ = -1;
};

}  // namespace

bool is_script_of_python(const std::vector<std::string>& words) {
  if (words.size() < 2) return false;
  const std::string name = std::filesystem::path(words[0]).filename().string();
  const bool is_python =
      name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string::npos;
  return is_python && !words[1].starts_with('-') && is_program(words[0]) &&
         std::filesystem::is_regular_file(words[1]);
}

ForkServer::ForkServer(const DryRunArguments& arguments, const std::filesystem::path& folder) {
  const std::filesystem::path stand_ins = stand_in_folder();
  const auto [own, other] = socket_pair(SOCK_SEQPACKET);
  std::filesystem::create_directories(folder);
  const PreloadedProgram program{
      {arguments.program[0], (stand_ins / "python/vramlab_dry_run/serving.py").string(),
       std::to_string(other), arguments.program[1]},
      stand_in_variables(arguments, stand_ins, folder),
      stand_in_libraries(stand_ins)};
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become_server(program, folder.string() + ".log", parent, other);
  close(other);
  control_ = own;
  if (process_ < 0) fail("no process can be made");
}

ForkServer::~ForkServer() {
  close(control_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::string ForkServer::wait_until_ready(const std::function<bool()>& is_stopped) const {
  while (!is_stopped()) {
    pollfd waited{control_, POLLIN, 0};
    if (poll(&waited, 1, poll_ms) <= 0) continue;
    std::array<char, 4096> text{};
    const ssize_t got = recv(control_, text.data(), text.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "the interpreter that was to be shared ended";
    const std::string answer(text.data(), static_cast<std::size_t>(got));
    return answer == "ready" ? "" : answer;
  }
  return "interrupted";
}

ForkedEnd run_forked(const ForkedRun& run, const PreloadedProgram& program) {
  const sigset_t signals = requests_to_end();
  sigset_t signals_before;
  sigprocmask(SIG_BLOCK, &signals, &signals_before);
  Answers answers(connect_with(run, program));
  std::istringstream begun(answers.line(0));
  pid_t minder = 0;
  ForkedEnd end;
  begun >> minder >> end.process;
  run.tell_minder(minder);
  std::istringstream told(answers.line(end.process));
  int waited = 0;
  told >> waited >> end.processor_s;
  end.status = exit_status_of(waited);
  sigprocmask(SIG_SETMASK, &signals_before, nullptr);
  return end;
}

}  // namespace vramlab::tools
