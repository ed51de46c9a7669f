// Bytes out: ByteSink, which takes a writer's bytes a piece at a time, so that an output of any
// size is written in the same little memory; OutputFile, a sink that is a whole file or none; and
// bytes packed as a text for an HTML page.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "allocator/types/check.h"

namespace vramlab::traces {

class ByteSink : public Interface {
 public:
  /// Writes all of the bytes. Throws InputError where it can't.
  virtual void write(std::string_view bytes) = 0;
};

/// Collects small pieces and hands them on as large ones. Bytes added after the last flush() are
/// lost.
class ByteCollector {
 public:
  explicit ByteCollector(ByteSink& sink) : sink_(sink) {}

  void add(char byte) {
    if (size_ == room) flush();
    bytes_[size_++] = byte;
  }
  void add(std::string_view bytes) {
    if (bytes.size() > room - size_) flush();
    if (bytes.size() > room) return sink_.write(bytes);
    std::ranges::copy(bytes, bytes_.get() + size_);
    size_ += bytes.size();
  }
  void flush() {
    sink_.write({bytes_.get(), size_});
    size_ = 0;
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 16;

  ByteSink& sink_;
  std::unique_ptr<char[]> bytes_ = std::make_unique_for_overwrite<char[]>(room);
  std::size_t size_ = 0;
};

enum class Overwrite : std::uint8_t { refused, allowed };

/// A file that exists as a whole or not at all. It is written under a temporary name beside its own
/// and gets its name at the end.
class OutputFile : public ByteSink {
 public:
  /// Throws InputError where the file can't be written, or exists and must not be overwritten.
  OutputFile(const std::string& path, Overwrite overwrite);
  /// Removes a file that was not finished.
  ~OutputFile() override;

  void write(std::string_view bytes) override;
  /// Gives the file its name. It can't be written to afterwards.
  void finish();

  /// The path as it was given.
  const std::string& name() const { return name_; }
  /// The file to remove where the program is ended before the destructor runs.
  const std::string& temporary_path() const { return temporary_path_; }

 private:
  void refuse_to_overwrite() const;
  void open_temporary();
  [[noreturn]] void fail(const std::string& found) const;

  /// The path as the user wrote it, for messages.
  std::string name_;
  std::string path_;
  Overwrite overwrite_;
  std::string temporary_path_;
  std::FILE* file_ = nullptr;
};

// Bytes become a text for an HTML page when they are packed with gzip, then written in base64.
std::string gzip_packed(std::string_view bytes);
std::string base64_text(std::string_view bytes);

}  // namespace vramlab::traces
