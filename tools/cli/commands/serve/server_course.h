// ServerCourse: the course of a program that may be a server. Once it answers its health check, it
// gets the requests that were asked for, and when these are answered and its history is written, it
// is over. It has a time for all of this.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "tools/cli/commands/serve/asked_load.h"
#include "tools/cli/commands/serve/serve_outcome.h"
#include "tools/cli/commands/serve/server_requests.h"

namespace vramlab::tools {

class ServerCourse {
 public:
  /// `port`: 0 for a script, which ends by itself. `load`: without requests, health is all.
  ServerCourse(std::uint16_t port, std::uint64_t timeout_ns, AskedLoad load);

  bool has_load() const { return !load_.shapes.empty(); }
  /// Whether the program need not go on. Asked again and again. The hook for Python notes in
  /// `notes` that engines are busy.
  bool is_over(const std::filesystem::path& notes);

  ServerState server() const;
  bool was_time_over() const { return was_time_over_; }
  /// The requests and their fate, once the program has ended; empty if there are none.
  std::optional<ServedLoad> load();

 private:
  using Clock = std::chrono::steady_clock;
  /// The requests are sent one after another, and looked at later.
  void send();
  /// Whether all requests are over, and what happened is written.
  bool is_load_over(const std::filesystem::path& notes);

  std::uint16_t port_;
  Clock::time_point end_;
  AskedLoad load_;
  ServerRequests requests_;
  bool has_answered_ = false;
  bool was_time_over_ = false;
  /// From the first look at which all requests were over.
  std::optional<Clock::time_point> over_since_;
};

}  // namespace vramlab::tools
