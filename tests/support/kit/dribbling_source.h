// Bytes out of memory, given to a reader a number at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "traces/io/byte_source.h"

namespace vramlab::support {

class DribblingSource : public traces::ByteSource {
 public:
  /// The bytes must outlive it.
  DribblingSource(const std::string& bytes, std::size_t bytes_at_a_time)
      : bytes_(bytes), bytes_at_a_time_(bytes_at_a_time) {}

  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = bytes_.copy(target, std::min(count, bytes_at_a_time_), position_);
    position_ += got;
    return got;
  }
  std::unique_ptr<traces::ByteSource> reopen() const override {
    return std::make_unique<DribblingSource>(bytes_, bytes_at_a_time_);
  }

 private:
  const std::string& bytes_;
  std::size_t bytes_at_a_time_;
  std::size_t position_ = 0;
};

/// The same, but it can be read once only.
class PipedSource : public DribblingSource {
 public:
  using DribblingSource::DribblingSource;
  std::unique_ptr<traces::ByteSource> reopen() const override { return nullptr; }
};

}  // namespace vramlab::support
