// MappedFile: a file's bytes as memory, read by the system when they are looked at. A file that
// another program shortens meanwhile ends this one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vramlab::traces {

class MappedFile {
 public:
  /// Throws InputError.
  explicit MappedFile(const std::string& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {begin_, size_}; }

 private:
  const char* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace vramlab::traces
