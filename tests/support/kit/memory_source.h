// An input that is in memory.
#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "traces/io/byte_source.h"

namespace vramlab::support {

class MemorySource : public traces::ByteSource {
 public:
  explicit MemorySource(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = bytes_->copy(target, count, position_);
    position_ += got;
    return got;
  }

  std::unique_ptr<traces::ByteSource> reopen() const override {
    return std::make_unique<MemorySource>(bytes_);
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t position_ = 0;
};

/// For tests of other builds of the readers: each input becomes a file in the folder that
/// VRAMLAB_KEEP_INPUTS names, called after its bytes.
inline void keep_input(const std::string& bytes) {
  const char* const folder = std::getenv("VRAMLAB_KEEP_INPUTS");
  if (folder == nullptr) return;
  std::ofstream(folder + ("/" + std::to_string(std::hash<std::string>{}(bytes))), std::ios::binary)
      << bytes;
}

inline std::unique_ptr<traces::ByteSource> make_memory_source(std::string bytes) {
  keep_input(bytes);
  return std::make_unique<MemorySource>(std::make_shared<const std::string>(std::move(bytes)));
}

}  // namespace vramlab::support
