#include "tools/cli/commands/serve/server_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace vramlab::tools {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

ServerSocket::ServerSocket() : number_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}

ServerSocket::~ServerSocket() {
  if (number_ >= 0) close(number_);
}

bool ServerSocket::connect_to(std::uint16_t port, int seconds) const {
  const timeval wait{seconds, 0};
  setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(number_, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  const sockaddr_in address = loopback(port);
  return connect(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool ServerSocket::send_all(std::string_view text) const {
  while (!text.empty()) {
    const auto count = send(number_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool tells_success(std::string_view answer) {
  constexpr std::size_t letters_to_status = 12;
  return answer.starts_with("HTTP/1.") && answer.substr(0, letters_to_status).ends_with(" 200");
}

std::uint16_t free_port() {
  const ServerSocket socket;
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket.number(), generic, size) != 0 ||
      getsockname(socket.number(), generic, &size) != 0)
    throw std::runtime_error(std::string("no port of the loopback is free: ") +
                             std::strerror(errno));
  return ntohs(address.sin_port);
}

}  // namespace vramlab::tools
