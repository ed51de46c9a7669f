// ScratchFile: a file without a name, for what is too long for memory. It takes room in its folder
// while it is used and is gone afterwards, however the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace vramlab::traces {

/// The folder for scratch files, and when they are worth it.
struct ScratchPlace {
  /// Empty: nowhere, so everything stays in memory.
  std::string folder;
  /// What is no longer than this stays in memory.
  std::size_t most_bytes_in_memory = std::size_t{8} << 20;
  /// What is written and read at once.
  std::size_t chunk_bytes = std::size_t{256} << 10;
};

class ScratchFile {
 public:
  /// Throws InputError where there can be none.
  explicit ScratchFile(std::string folder);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();

  /// At the end. Throws InputError where the folder has no room left.
  void append(std::span<const std::byte> bytes);
  /// Requires: so much was written there.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  [[noreturn]] void fail(const std::string& expected) const;

  std::string folder_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace vramlab::traces
