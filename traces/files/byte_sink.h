// ByteSink: where a writer's bytes go, a piece at a time, so that an output of any size is written
// in the same little memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vramlab::traces {

class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  /// All of them. Throws InputError where they can't be written.
  virtual void write(std::string_view bytes) = 0;
};

/// Collects small pieces and hands them on as large ones. What flush() was not called for is lost.
class ByteCollector {
 public:
  explicit ByteCollector(ByteSink& sink) : sink_(sink) { bytes_.reserve(2 * full_bytes); }

  // Flattened, as a compiler that has much else to do leaves parts of a string's code as calls.
  [[gnu::flatten]] void add(char byte) {
    bytes_ += byte;
    if (bytes_.size() >= full_bytes) flush();
  }
  [[gnu::flatten]] void add(std::string_view bytes) {
    bytes_ += bytes;
    if (bytes_.size() >= full_bytes) flush();
  }
  /// What `append` puts behind the bytes that wait.
  template <typename Append>
  void add_by(const Append& append) {
    append(bytes_);
    if (bytes_.size() >= full_bytes) flush();
  }
  void flush() {
    sink_.write(bytes_);
    bytes_.clear();
  }

 private:
  static constexpr std::size_t full_bytes = std::size_t{1} << 16;

  ByteSink& sink_;
  std::string bytes_;
};

}  // namespace vramlab::traces
