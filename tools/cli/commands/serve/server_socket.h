// ServerSocket: a connection to a server on the loopback, closed when it goes.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace vramlab::tools {

class ServerSocket {
 public:
  ServerSocket();
  ServerSocket(ServerSocket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ServerSocket& operator=(ServerSocket&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ServerSocket(const ServerSocket&) = delete;
  ServerSocket& operator=(const ServerSocket&) = delete;
  ~ServerSocket();

  /// Sending and receiving take at most so many seconds each. False if nobody listens.
  bool connect_to(std::uint16_t port, int seconds) const;
  bool send_all(std::string_view text) const;
  int number() const { return number_; }

 private:
  int number_;
};

/// Whether the beginning of an answer, such as `HTTP/1.1 200 OK`, tells success.
bool tells_success(std::string_view answer);

/// A port of the loopback that nobody listens at now. Throws if there is none.
std::uint16_t free_port();

}  // namespace vramlab::tools
