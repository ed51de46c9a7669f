#include "tools/cli/commands/serve/server_health.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vramlab::tools {
namespace {

/// Closed when it goes.
class Socket {
 public:
  Socket() : number_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

std::uint16_t free_port() {
  const Socket socket;
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.number(), generic, size) != 0 ||
      getsockname(socket.number(), generic, &size) != 0)
    throw std::runtime_error(std::string("no port of the loopback is free: ") +
                             std::strerror(errno));
  return ntohs(address.sin_port);
}

bool is_healthy(std::uint16_t port) {
  const Socket socket;
  const timeval wait{2, 0};
  setsockopt(socket.number(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(socket.number(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  const sockaddr_in address = loopback(port);
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return false;
  constexpr std::string_view question =
      "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  if (send(socket.number(), question.data(), question.size(), MSG_NOSIGNAL) < 0) return false;
  // The status is in the first twelve letters: HTTP/1.1 200.
  char answer[12];
  if (recv(socket.number(), answer, sizeof answer, MSG_WAITALL) != sizeof answer) return false;
  const std::string_view text(answer, sizeof answer);
  return text.starts_with("HTTP/1.") && text.ends_with(" 200");
}

}  // namespace vramlab::tools
