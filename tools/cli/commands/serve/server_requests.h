// ServerRequests: requests to a server on the loopback that are under way at the same time, and
// what came back. They are sent at once, and looked at again and again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cli/commands/serve/server_socket.h"

namespace vramlab::tools {

class ServerRequests {
 public:
  explicit ServerRequests(std::uint16_t port) : port_(port) {}

  /// Sends a POST of JSON. A server that can't be reached has failed it.
  void post(const std::string& path, const std::string& body);

  bool is_empty() const { return requests_.empty(); }
  /// Reads what has come. True once all requests are answered or have failed.
  bool are_over();
  /// By the order of posting: whether a request was answered with the status 200.
  bool was_answered(std::size_t number) const;
  /// The status line of the first request that failed; empty without one.
  const std::string& failure() const { return failure_; }

 private:
  struct Request {
    ServerSocket socket;
    /// The first letters of the answer, which have its status.
    std::string begin;
    bool is_over = false;
    bool was_answered = false;
  };
  void look(Request& request);
  void end(Request& request);

  std::uint16_t port_;
  std::vector<Request> requests_;
  std::string failure_;
};

}  // namespace vramlab::tools
