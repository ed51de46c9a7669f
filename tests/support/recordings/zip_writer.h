// Small zip archives for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vramlab::support {

struct ZippedFile {
  std::string name;
  std::string bytes;
};

enum class ZipStyle : std::uint8_t {
  /// As torch.save writes: files stored as they are, a directory with numbers of 64 bits.
  stored,
  /// As most programs write.
  deflated,
};

std::string zip_archive(const std::vector<ZippedFile>& files, ZipStyle style);

/// As torch.save writes a value that is this pickle.
std::string torch_save_archive(const std::string& pickle);

}  // namespace vramlab::support
