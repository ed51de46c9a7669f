#include "traces/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "traces/files/input_error.h"

namespace vramlab::traces {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(const std::string& path) {
  throw InputError({path, "", "a file that can be mapped", std::strerror(errno)});
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (file.number() < 0 || fstat(file.number(), &facts) != 0) fail(path);
  if (!S_ISREG(facts.st_mode))
    throw InputError({path, "", "a file that can be mapped", "a directory, pipe or device"});
  size_ = static_cast<std::size_t>(facts.st_size);
  // Nothing can't be mapped.
  if (size_ == 0) return;
  void* begin = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (begin == MAP_FAILED) fail(path);
  begin_ = static_cast<const char*>(begin);
}

MappedFile::~MappedFile() {
  // munmap() takes the address as one that may be written to.
  if (size_ != 0) munmap(const_cast<char*>(begin_), size_);
}

}  // namespace vramlab::traces
