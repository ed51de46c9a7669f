#include "traces/io/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

OpenFile open_for_reading(const std::string& path) {
  if (path == "-") return OpenFile(stdin);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse_file(path, "a file", "a directory");
  OpenFile file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse_file(path, "a file that can be read", std::strerror(errno));
  return file;
}

std::optional<std::uint64_t> size_of_file(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return std::nullopt;
  return size;
}

class FileSource : public ByteSource {
 public:
  FileSource(std::string path, ProgressListener listener)
      : path_(std::move(path)),
        listener_(std::move(listener)),
        file_(open_for_reading(path_)),
        progress_{0, size_of_file(path_)} {
    // The readers have buffers of their own.
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }

  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = std::fread(target, 1, count, file_.get());
    if (got < count && std::ferror(file_.get()) != 0)
      refuse_file(input_name(path_), "a file that can be read", std::strerror(errno));
    progress_.bytes_read += got;
    if (listener_) listener_(progress_);
    return got;
  }

  std::unique_ptr<ByteSource> reopen() const override {
    // Only a regular file has a size here, and only it can be read twice.
    if (!progress_.bytes_total) return nullptr;
    return std::make_unique<FileSource>(path_, nullptr);
  }

 private:
  std::string path_;
  ProgressListener listener_;
  OpenFile file_;
  ReadProgress progress_;
};

class PutBackSource : public ByteSource {
 public:
  PutBackSource(std::string bytes, std::unique_ptr<ByteSource> rest)
      : bytes_(std::move(bytes)), rest_(std::move(rest)) {}

  std::size_t read(char* target, std::size_t count) override {
    if (position_ == bytes_.size()) return rest_->read(target, count);
    const std::size_t got = bytes_.copy(target, count, position_);
    position_ += got;
    return got;
  }

  /// The bytes looked at are the first ones of `rest`, which reopened begins with them.
  std::unique_ptr<ByteSource> reopen() const override { return rest_->reopen(); }

 private:
  std::string bytes_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file_source(const std::string& path, ProgressListener listener) {
  return std::make_unique<FileSource>(path, std::move(listener));
}

std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PutBackSource>(std::move(bytes), std::move(rest));
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace vramlab::traces
