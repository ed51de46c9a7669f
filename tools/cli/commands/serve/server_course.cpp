#include "tools/cli/commands/serve/server_course.h"

#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "tools/cli/commands/serve/server_health.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

/// An engine that failed stays busy, and ends by itself.
constexpr std::chrono::seconds longest_writing{60};

/// Whether an engine has made steps that its history does not have yet.
bool is_engine_busy(const std::filesystem::path& notes) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(notes, error))
    if (entry.path().filename().string().starts_with("busy.")) return true;
  return false;
}

/// For the hook: an engine's own first requests are no part of the load, and once the load is over,
/// no steps come that it should wait for.
void note_moment(const std::filesystem::path& notes, const char* moment) {
  std::ofstream(notes / moment).flush();
}

}  // namespace

ServerCourse::ServerCourse(AskedCourse asked)
    : asked_(std::move(asked)),
      end_(Clock::now() + std::chrono::nanoseconds(asked_.timeout_ns)),
      requests_(asked_.port),
      sleep_(asked_.port),
      waking_(asked_.port) {}

bool ServerCourse::is_over(const std::filesystem::path& notes) {
  if (!has_answered_ && asked_.port != 0 && is_healthy(asked_.port)) {
    has_answered_ = true;
    send(notes);
  }
  if (has_answered_ && is_load_over(notes) && is_sleep_over()) return true;
  was_time_over_ = Clock::now() >= end_;
  return was_time_over_;
}

ServerState ServerCourse::server() const {
  if (asked_.port == 0) return ServerState::no_server;
  return has_answered_ ? ServerState::answered : ServerState::silent;
}

std::optional<ServedLoad> ServerCourse::load() {
  if (!has_load()) return std::nullopt;
  // A server that failed ends before they are looked at again.
  requests_.are_over();
  ServedLoad served{asked_.load, 0, requests_.failure()};
  if (has_answered_)
    for (std::size_t i = 0; i < asked_.load.shapes.size(); ++i)
      if (requests_.was_answered(i)) served.answered += asked_.load.shapes[i].count;
  return served;
}

std::optional<Sleep> ServerCourse::sleep() {
  if (asked_.sleep_level == 0) return std::nullopt;
  const bool is_known = !waking_.is_empty() && waking_.are_over();
  return Sleep{asked_.sleep_level, is_known && waking_.was_answered(0)};
}

void ServerCourse::send(const std::filesystem::path& notes) {
  note_moment(notes, "load.sent");
  std::uint64_t first = 0;
  for (const RequestShape& shape : asked_.load.shapes) {
    requests_.post(
        asked_.engine.path_of_requests,
        compact_json_text(asked_.engine.request(prompts_of(shape, first), shape.answer_tokens)));
    first += shape.count;
  }
}

bool ServerCourse::is_load_over(const std::filesystem::path& notes) {
  if (!requests_.are_over()) return false;
  if (!over_since_) {
    over_since_ = Clock::now();
    note_moment(notes, "load.over");
  }
  return !is_engine_busy(notes) || Clock::now() - *over_since_ >= longest_writing;
}

bool ServerCourse::is_sleep_over() {
  if (asked_.sleep_level == 0) return true;
  if (sleep_.is_empty()) sleep_.post("/sleep?level=" + std::to_string(asked_.sleep_level), "");
  if (!sleep_.are_over()) return false;
  if (!sleep_.was_answered(0)) return true;
  if (waking_.is_empty()) waking_.post("/wake_up", "");
  return waking_.are_over();
}

}  // namespace vramlab::tools
