// The processes of a program that is watched, with the figures that each told last: when it was
// asked, or at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::tools {

/// PyTorch's own counters. Peaks are the most that was seen.
struct WatchedDevice {
  std::int64_t device = 0;
  Bytes allocated;
  Bytes reserved;
  /// Free, in segments that are partly in use.
  Bytes stranded;
  Bytes peak_allocated;
  Bytes peak_reserved;
  Bytes peak_stranded;
  std::uint64_t failures = 0;
};

enum class WatchedState : unsigned char {
  /// Listens.
  running,
  /// The figures are those at its end.
  ended,
  /// Killed, or left without its last words: the figures are older than its end.
  gone,
};

struct WatchedProcess {
  std::int64_t process = 0;
  std::optional<std::int64_t> rank;
  /// Such as `train.py`.
  std::string program;
  std::vector<WatchedDevice> devices;
  /// The file with the explanations of its failed requests; empty without.
  std::string explanation;
  WatchedState state = WatchedState::running;
  /// Whether it answered the last question.
  bool answered = true;

  std::uint64_t failures() const;
};

/// Reads the line that a process tells; nothing if it is none.
std::optional<WatchedProcess> watched_process_from(const std::string& line);

/// `rank 0, process 4711 (train.py)`.
std::string name_of(const WatchedProcess& process);

class WatchedProcesses {
 public:
  explicit WatchedProcesses(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Asks all that run, and reads the last words of those that have ended.
  void look();
  /// In order of rank; those without come last, in order of process.
  std::vector<WatchedProcess> in_order() const;

 private:
  void ask(const std::vector<std::filesystem::path>& sockets);
  void take(const std::string& line, WatchedState state);

  std::filesystem::path folder_;
  /// By process.
  std::map<std::int64_t, WatchedProcess> seen_;
};

}  // namespace vramlab::tools
