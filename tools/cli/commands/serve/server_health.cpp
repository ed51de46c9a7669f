#include "tools/cli/commands/serve/server_health.h"

#include <sys/socket.h>

#include "tools/cli/commands/serve/server_socket.h"

namespace vramlab::tools {

bool is_healthy(std::uint16_t port) {
  const ServerSocket socket;
  constexpr int seconds = 2;
  if (!socket.connect_to(port, seconds) ||
      !socket.send_all("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
    return false;
  // The status is in the first twelve letters: HTTP/1.1 200.
  char answer[12];
  if (recv(socket.number(), answer, sizeof answer, MSG_WAITALL) != sizeof answer) return false;
  return tells_success({answer, sizeof answer});
}

}  // namespace vramlab::tools
