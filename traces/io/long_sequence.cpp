#include "traces/io/long_sequence.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {

ScratchFile::ScratchFile(std::string folder) : folder_(std::move(folder)) {
  // The system replaces the last letters by its own.
  std::string name = folder_ + "/vramlab-scratch-" + std::string(6, 'X');
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("a folder for scratch files (TMPDIR says which)");
  // Without a name, the file goes with the program however that ends.
  unlink(name.c_str());
}

ScratchFile::~ScratchFile() { close(descriptor_); }

void ScratchFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("room for a scratch file (TMPDIR says where)");
    size_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void ScratchFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  check(offset + bytes.size() <= size_, "a scratch file is read where something was written");
  while (!bytes.empty()) {
    const ssize_t count =
        pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("a scratch file that can be read");
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void ScratchFile::fail(const std::string& expected) const {
  throw InputError({folder_, "", expected, std::strerror(errno)});
}

}  // namespace vramlab::traces
