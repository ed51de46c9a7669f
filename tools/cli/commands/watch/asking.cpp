#include "tools/cli/commands/watch/asking.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace vramlab::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_answer = 1U << 20U;

/// One connection, which is closed with the value.
class Asked {
 public:
  explicit Asked(const std::filesystem::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& path = socket.native();
    if (path.size() >= sizeof(address.sun_path)) return;
    std::ranges::copy(path, std::begin(address.sun_path));
    file_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file_ < 0) return;
    if (connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
    // A process with too many questions before this one listens, too.
    is_busy_ = errno == EAGAIN;
    end();
  }
  Asked(Asked&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        is_busy_(other.is_busy_),
        answer_(std::move(other.answer_)) {}
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  Asked& operator=(Asked&&) = delete;
  ~Asked() { end(); }

  bool is_open() const { return file_ >= 0; }
  bool is_listening() const { return is_open() || is_busy_; }
  int file() const { return file_; }

  void send(const std::string& question) {
    if (!is_open()) return;
    const auto sent = ::send(file_, question.data(), question.size(), MSG_NOSIGNAL);
    if (std::cmp_not_equal(sent, question.size())) end();
  }

  /// Reads what has come, and ends with the answer.
  void read() {
    std::array<char, 4096> bytes{};
    const ssize_t count = recv(file_, bytes.data(), bytes.size(), 0);
    if (count > 0) answer_.append(bytes.data(), static_cast<std::size_t>(count));
    const bool comes_more = count > 0 || (count < 0 && errno == EAGAIN);
    if (!comes_more || answer_.ends_with('\n') || answer_.size() > longest_answer) end();
  }

  /// Empty unless it is whole.
  std::string answer() const { return answer_.ends_with('\n') ? answer_ : std::string(); }

 private:
  void end() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }

  int file_ = -1;
  bool is_busy_ = false;
  std::string answer_;
};

/// Waits for those that have not answered. False if the time is over, or none is left.
bool wait_for_answers(std::vector<Asked>& all, Clock::time_point end) {
  std::vector<pollfd> open;
  for (const Asked& asked : all)
    if (asked.is_open()) open.push_back({asked.file(), POLLIN, 0});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  if (open.empty() || left.count() <= 0) return false;
  const int ready = poll(open.data(), open.size(), static_cast<int>(left.count()));
  if (ready < 0) return errno == EINTR;
  for (Asked& asked : all)
    if (std::ranges::any_of(
            open, [&](const pollfd& one) { return one.fd == asked.file() && one.revents != 0; }))
      asked.read();
  return true;
}

}  // namespace

bool is_listening(const std::filesystem::path& socket) { return Asked(socket).is_listening(); }

std::vector<std::string> answers_to(const std::string& question,
                                    const std::vector<std::filesystem::path>& sockets,
                                    std::chrono::milliseconds longest) {
  const auto end = Clock::now() + longest;
  std::vector<Asked> all;
  all.reserve(sockets.size());
  for (const std::filesystem::path& socket : sockets) {
    all.emplace_back(socket);
    all.back().send(question + "\n");
  }
  while (wait_for_answers(all, end)) continue;
  std::vector<std::string> answers;
  answers.reserve(all.size());
  for (const Asked& asked : all) answers.push_back(asked.answer());
  return answers;
}

}  // namespace vramlab::tools
