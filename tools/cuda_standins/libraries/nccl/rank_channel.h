// RankChannel: the small values that the ranks of a communicator send each other, each rank a
// process of the same dry run. A rank adds its messages to files of its own in the dry run's folder
// and never waits for readers, so a message is there also after its rank has ended.
//
// A reader waits until the message is there. It stops waiting, for good, when the sender has ended
// or the time is up: the values are unknown then, and the report says so. Once a rank did not come,
// no other one that has not come yet is waited for.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vramlab::dry_run {

using Bytes = std::vector<char>;

/// Larger values are not sent: no rank asks for them.
inline constexpr std::size_t most_bytes_sent = std::size_t{64} * 1024;

struct ChannelPlace {
  std::string folder;
  /// The same for all ranks of the communicator, and for no others.
  std::string name;
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds longest_wait{};
};

/// The addressee of messages: one rank, or all of them.
inline constexpr int to_all_ranks = -1;

class RankChannel {
 public:
  explicit RankChannel(ChannelPlace place);
  RankChannel(const RankChannel&) = delete;
  RankChannel& operator=(const RankChannel&) = delete;
  ~RankChannel();

  /// Numbers of messages to an addressee grow. Unknown values are told as unknown.
  void send(int to, std::uint64_t number, const std::optional<Bytes>& values);
  /// The message with this number of another rank, to this rank alone or to all. Empty if the
  /// sender did not know the values, or does not send them any more.
  std::optional<Bytes> receive(int from, int to, std::uint64_t number);
  /// Tells the others that this rank sends nothing more.
  void leave();

 private:
  /// A file with messages in the order of their numbers.
  struct Mail {
    int file = -1;
    std::uint64_t place = 0;
  };
  /// A rank that is absent may still come.
  enum class RankState : std::uint8_t { absent, present, ended };
  enum class Look : std::uint8_t { found, not_yet, never };

  std::string path_of(int from, int to) const;
  Mail& outbox(int to);
  Mail& inbox(std::pair<int, int> way);
  Look look(Mail& mail, std::uint64_t number, std::optional<Bytes>& values);
  Look look_into(std::pair<int, int> way, std::uint64_t number, std::optional<Bytes>& values);
  RankState state_of(int rank);
  void lose(int rank, RankState state);

  ChannelPlace place_;
  std::mutex lock_;
  std::map<int, Mail> sent_;
  /// By sender and addressee.
  std::map<std::pair<int, int>, Mail> received_;
  /// Ranks for which nobody waits any more.
  std::set<int> lost_;
  bool has_left_ = false;
};

}  // namespace vramlab::dry_run
