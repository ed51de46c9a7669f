#include "tools/cuda_standins/libraries/nccl/rank_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/driver.h"

namespace vramlab::dry_run {
namespace {

/// The beginning of each file: the process that writes it.
struct Sender {
  std::int64_t process = 0;
  /// Numbers of processes are given again; this one is not, in clock ticks since the system's
  /// start.
  std::uint64_t started = 0;
  std::uint64_t has_left = 0;
};

struct MessageHead {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t is_known = 0;
};

/// Larger files are taken for mistakes. Later values of their rank are unknown.
constexpr std::uint64_t most_bytes_of_a_file = std::uint64_t{256} << 20;

/// Ranks of other machines never come. A job has many communicators with them, and waits once.
std::atomic<bool> some_rank_never_came = false;

/// When a process was started; 0 if it has ended.
std::uint64_t start_of_process(std::int64_t process) {
  const std::string name = "/proc/" + std::to_string(process) + "/stat";
  char text[1024] = {};
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  // The name of the program, in brackets, may have any letters.
  const char* const name_end = bytes > 0 ? std::strrchr(text, ')') : nullptr;
  char state = 0;
  unsigned long long started = 0;
  if (name_end == nullptr ||
      std::sscanf(
          name_end + 1,
          " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
          &state, &started) != 2)
    return 0;
  return state == 'Z' || state == 'X' ? 0 : started;
}

template <class Value>
bool read_at(int file, std::uint64_t place, Value& value) {
  return pread(file, &value, sizeof value, static_cast<off_t>(place)) ==
         static_cast<ssize_t>(sizeof value);
}

/// A new file under its name, which begins with the sender; -1 if there can be none.
int create_mail(const std::string& path) {
  const std::string unfinished = path + ".part";
  const int file = open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  const Sender sender{getpid(), start_of_process(getpid())};
  if (pwrite(file, &sender, sizeof sender, 0) == sizeof sender &&
      rename(unfinished.c_str(), path.c_str()) == 0)
    return file;
  close(file);
  return -1;
}

}  // namespace

RankChannel::RankChannel(ChannelPlace place) : place_(std::move(place)) {
  mkdir(place_.folder.c_str(), 0700);
  // Others look into this file whether this rank is still there.
  outbox(to_all_ranks);
}

RankChannel::~RankChannel() {
  leave();
  for (const auto& [to, mail] : sent_) close(mail.file);
  for (const auto& [way, mail] : received_)
    if (mail.file >= 0) close(mail.file);
}

std::string RankChannel::path_of(int from, int to) const {
  const std::string begin = place_.folder + "/" + place_.name + "." + std::to_string(from);
  return to == to_all_ranks ? begin : begin + "-" + std::to_string(to);
}

RankChannel::Mail& RankChannel::outbox(int to) {
  const auto [found, is_new] = sent_.try_emplace(to);
  if (is_new) found->second = {create_mail(path_of(place_.rank, to)), sizeof(Sender)};
  return found->second;
}

/// Opened once the sender has made it.
RankChannel::Mail& RankChannel::inbox(std::pair<int, int> way) {
  Mail& mail = received_[way];
  if (mail.file < 0)
    mail = {open(path_of(way.first, way.second).c_str(), O_RDONLY | O_CLOEXEC), sizeof(Sender)};
  return mail;
}

void RankChannel::send(int to, std::uint64_t number, const std::optional<Bytes>& values) {
  const std::lock_guard guard(lock_);
  Mail& mail = outbox(to);
  if (mail.file < 0 || has_left_) return;
  const bool is_known = values && mail.place < most_bytes_of_a_file;
  const MessageHead head{number, is_known ? values->size() : 0, is_known ? 1U : 0U};
  Bytes message(sizeof head + head.bytes);
  std::memcpy(message.data(), &head, sizeof head);
  if (is_known) std::copy(values->begin(), values->end(), message.begin() + sizeof head);
  if (pwrite(mail.file, message.data(), message.size(), static_cast<off_t>(mail.place)) ==
      static_cast<ssize_t>(message.size()))
    mail.place += message.size();
}

void RankChannel::leave() {
  const std::lock_guard guard(lock_);
  Mail& mail = outbox(to_all_ranks);
  if (mail.file < 0 || std::exchange(has_left_, true)) return;
  const std::uint64_t yes = 1;
  [[maybe_unused]] const ssize_t written =
      pwrite(mail.file, &yes, sizeof yes, offsetof(Sender, has_left));
}

std::optional<Bytes> RankChannel::receive(int from, int to, std::uint64_t number) {
  using Clock = std::chrono::steady_clock;
  constexpr auto longest_sleep = std::chrono::microseconds(2'000);
  const auto end = Clock::now() + place_.longest_wait;
  auto sleep = std::chrono::microseconds(20);
  for (std::optional<Bytes> values;;) {
    // Asked first: what a rank sends before it ends is still found.
    const RankState state = state_of(from);
    const bool is_over = Clock::now() >= end;
    if (look_into({from, to}, number, values) != Look::not_yet) return values;
    if (is_over || state == RankState::ended ||
        (state == RankState::absent && some_rank_never_came)) {
      lose(from, state);
      return std::nullopt;
    }
    usleep(static_cast<useconds_t>(sleep.count()));
    sleep = std::min(sleep * 2, longest_sleep);
  }
}

RankChannel::Look RankChannel::look_into(std::pair<int, int> way, std::uint64_t number,
                                         std::optional<Bytes>& values) {
  const std::lock_guard guard(lock_);
  Mail& mail = inbox(way);
  return mail.file < 0 ? Look::not_yet : look(mail, number, values);
}

RankChannel::Look RankChannel::look(Mail& mail, std::uint64_t number,
                                    std::optional<Bytes>& values) {
  for (MessageHead head; read_at(mail.file, mail.place, head);) {
    // The ranks do not call the same: one of them sent fewer messages.
    if (head.number > number) return Look::never;
    Bytes bytes(std::min<std::size_t>(head.bytes, most_bytes_sent));
    const auto count =
        pread(mail.file, bytes.data(), bytes.size(), static_cast<off_t>(mail.place + sizeof head));
    // The rest of it is just being written.
    if (count != static_cast<ssize_t>(bytes.size())) return Look::not_yet;
    mail.place += sizeof head + head.bytes;
    if (head.number < number) continue;
    if (head.is_known != 0) values = std::move(bytes);
    return Look::found;
  }
  return Look::not_yet;
}

RankChannel::RankState RankChannel::state_of(int rank) {
  const std::lock_guard guard(lock_);
  if (lost_.contains(rank)) return RankState::ended;
  const Mail& mail = inbox({rank, to_all_ranks});
  Sender sender;
  if (mail.file < 0 || !read_at(mail.file, 0, sender)) return RankState::absent;
  return sender.has_left != 0 || start_of_process(sender.process) != sender.started
             ? RankState::ended
             : RankState::present;
}

void RankChannel::lose(int rank, RankState state) {
  const std::lock_guard guard(lock_);
  if (state == RankState::absent) some_rank_never_came = true;
  if (!lost_.insert(rank).second || vramlab_dry_run_note == nullptr) return;
  const char* const why = state == RankState::absent    ? " did not come"
                          : state == RankState::present ? " did not send them"
                                                        : " ended";
  const std::string subject =
      "rank " + std::to_string(rank) + " of " + std::to_string(place_.size) + why;
  vramlab_dry_run_note("missing_rank", subject.c_str());
}

}  // namespace vramlab::dry_run
