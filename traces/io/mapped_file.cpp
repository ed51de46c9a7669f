#include "traces/io/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

[[noreturn]] void fail(const std::string& path) {
  refuse_file(path, "a file that can be mapped", std::strerror(errno));
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  struct stat facts {};
  if (!file || fstat(fileno(file.get()), &facts) != 0) fail(path);
  if (!S_ISREG(facts.st_mode))
    refuse_file(path, "a file that can be mapped", "a directory, pipe or device");
  size_ = static_cast<std::size_t>(facts.st_size);
  // An empty file can't be mapped.
  if (size_ == 0) return;
  void* begin = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fileno(file.get()), 0);
  if (begin == MAP_FAILED) fail(path);
  begin_ = static_cast<const char*>(begin);
}

MappedFile::~MappedFile() {
  // munmap() takes the address as one that may be written to.
  if (size_ != 0) munmap(const_cast<char*>(begin_), size_);
}

}  // namespace vramlab::traces
