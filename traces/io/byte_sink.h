// ByteSink: where a writer's bytes go, a piece at a time, so that an output of any size is written
// in the same little memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
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
  explicit ByteCollector(ByteSink& sink) : sink_(sink) {}

  void add(char byte) {
    if (size_ == room) flush();
    bytes_[size_++] = byte;
  }
  void add(std::string_view bytes) {
    if (bytes.size() > room - size_) flush();
    if (bytes.size() > room) return sink_.write(bytes);
    std::ranges::copy(bytes, bytes_.get() + size_);
    size_ += bytes.size();
  }
  void flush() {
    sink_.write({bytes_.get(), size_});
    size_ = 0;
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 16;

  ByteSink& sink_;
  std::unique_ptr<char[]> bytes_ = std::make_unique_for_overwrite<char[]>(room);
  std::size_t size_ = 0;
};

}  // namespace vramlab::traces
