#include "tools/cli/commands/serve/server_requests.h"

#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <utility>

namespace vramlab::tools {
namespace {

constexpr std::size_t most_letters_kept = 100;
constexpr int seconds_to_send = 30;

}  // namespace

void ServerRequests::post(const std::string& path, const std::string& body) {
  Request request;
  const std::string text = "POST " + path +
                           " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                           "Content-Type: application/json\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body;
  if (!request.socket.connect_to(port_, seconds_to_send) || !request.socket.send_all(text))
    end(request);
  requests_.push_back(std::move(request));
}

bool ServerRequests::are_over() {
  bool are_over = true;
  for (Request& request : requests_) {
    if (!request.is_over) look(request);
    are_over = are_over && request.is_over;
  }
  return are_over;
}

bool ServerRequests::was_answered(std::size_t number) const {
  return requests_[number].was_answered;
}

void ServerRequests::look(Request& request) {
  char letters[1U << 14U];
  while (true) {
    const auto count = recv(request.socket.number(), letters, sizeof letters, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (count <= 0) return end(request);
    const std::size_t left = most_letters_kept - request.begin.size();
    request.begin.append(letters, std::min(left, static_cast<std::size_t>(count)));
  }
}

void ServerRequests::end(Request& request) {
  request.is_over = true;
  request.was_answered = tells_success(request.begin);
  if (request.was_answered || !failure_.empty()) return;
  failure_ = request.begin.substr(0, request.begin.find('\r'));
  if (failure_.empty()) failure_ = "no answer";
}

}  // namespace vramlab::tools
