#include "tools/cli/commands/serve/server_course.h"

#include <system_error>
#include <utility>

#include "tools/cli/commands/serve/server_health.h"

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

}  // namespace

ServerCourse::ServerCourse(std::uint16_t port, std::uint64_t timeout_ns, AskedLoad load)
    : port_(port),
      end_(Clock::now() + std::chrono::nanoseconds(timeout_ns)),
      load_(std::move(load)),
      requests_(port) {}

bool ServerCourse::is_over(const std::filesystem::path& notes) {
  if (!has_answered_ && port_ != 0 && is_healthy(port_)) {
    has_answered_ = true;
    send();
  }
  if (has_answered_ && is_load_over(notes)) return true;
  was_time_over_ = Clock::now() >= end_;
  return was_time_over_;
}

ServerState ServerCourse::server() const {
  if (port_ == 0) return ServerState::no_server;
  return has_answered_ ? ServerState::answered : ServerState::silent;
}

std::optional<ServedLoad> ServerCourse::load() {
  if (!has_load()) return std::nullopt;
  // A server that failed ends before they are looked at again.
  requests_.are_over();
  ServedLoad served{load_, 0, requests_.failure()};
  if (has_answered_)
    for (std::size_t i = 0; i < load_.shapes.size(); ++i)
      if (requests_.was_answered(i)) served.answered += load_.shapes[i].count;
  return served;
}

void ServerCourse::send() {
  std::uint64_t first = 0;
  for (const RequestShape& shape : load_.shapes) {
    requests_.post("/v1/completions", completion_body(shape, first));
    first += shape.count;
  }
}

bool ServerCourse::is_load_over(const std::filesystem::path& notes) {
  if (!requests_.are_over()) return false;
  if (!over_since_) over_since_ = Clock::now();
  return !is_engine_busy(notes) || Clock::now() - *over_since_ >= longest_writing;
}

}  // namespace vramlab::tools
