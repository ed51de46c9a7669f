#include "traces/native/mapped_trace.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "traces/io/input_error.h"
#include "traces/native/native_binary.h"

namespace vramlab::traces {
namespace {

[[noreturn]] void fail(const std::string& path) {
  refuse_file(path, "a file that can be mapped", std::strerror(errno));
}

class ViewSource : public ByteSource {
 public:
  explicit ViewSource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = bytes_.copy(target, count);
    bytes_.remove_prefix(got);
    return got;
  }
  std::unique_ptr<ByteSource> reopen() const override { return nullptr; }

 private:
  std::string_view bytes_;
};

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  struct stat facts{};
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

/// Every place of the layout is a multiple of 8 bytes, so the events can be used as they lie.
MappedTrace::MappedTrace(const std::string& path)
    : file_(path), records_(tables_, {unused_, header_}) {
  ViewSource source(file_.bytes());
  const auto keep_run = [this](std::uint64_t byte, std::uint64_t count) {
    runs_.emplace_back(reinterpret_cast<const NativeEvent*>(file_.bytes().data() + byte), count);
    event_count_ += count;
  };
  read_native_binary(source, path, records_, keep_run);
}

}  // namespace vramlab::traces
