// ServerCourse: the course of a program that may be a server. Once it answers its health check, it
// gets the requests that were asked for, and when these are answered and its history is written, it
// sleeps and wakes, if that was asked for, and is over. It has a time for all of this.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands/serve/asked_load.h"
#include "tools/cli/commands/serve/engine_server.h"
#include "tools/cli/commands/serve/serve_outcome.h"
#include "tools/cli/commands/serve/server_requests.h"

namespace vramlab::tools {

struct AskedCourse {
  /// 0 for a script, which ends by itself.
  std::uint16_t port = 0;
  std::uint64_t timeout_ns = 0;
  /// Without requests, health is all.
  AskedLoad load;
  /// The level of sleep; 0 for none.
  unsigned sleep_level = 0;
  /// It decides what is sent.
  EngineServer engine;
};

class ServerCourse {
 public:
  explicit ServerCourse(AskedCourse asked);

  bool has_load() const { return !asked_.load.shapes.empty(); }
  /// Whether the program need not go on. Asked again and again. The hook for Python notes in the
  /// folder `notes` that engines are busy, and reads there how far the load is.
  bool is_over(const std::filesystem::path& notes);

  ServerState server() const;
  bool was_time_over() const { return was_time_over_; }
  /// The requests and their fate, once the program has ended; empty if there are none.
  std::optional<ServedLoad> load();
  /// The level, and how it went; empty if it was not asked for.
  std::optional<Sleep> sleep();

 private:
  using Clock = std::chrono::steady_clock;
  /// The requests are sent one after another, and looked at later.
  void send(const std::filesystem::path& notes);
  /// Whether all requests are over, and what happened is written.
  bool is_load_over(const std::filesystem::path& notes);
  /// Whether it slept and woke. Called again and again after the load.
  bool is_sleep_over();

  AskedCourse asked_;
  Clock::time_point end_;
  ServerRequests requests_;
  /// To sleep, then to wake up.
  ServerRequests sleep_;
  ServerRequests waking_;
  bool has_answered_ = false;
  bool was_time_over_ = false;
  /// From the first look at which all requests were over.
  std::optional<Clock::time_point> over_since_;
};

}  // namespace vramlab::tools
