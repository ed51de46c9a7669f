// ByteSource: the bytes of an input, a piece at a time, so that a file of any size is read in the
// same little memory. gzip and zstd are unpacked on the way, told from the first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vramlab::traces {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Up to `count` bytes into `target`; 0 at the end only. Requires: count is not 0. Throws
  /// InputError.
  virtual std::size_t read(char* target, std::size_t count) = 0;
  /// The same bytes once more from the first on; null where there is no way back, as with a pipe.
  virtual std::unique_ptr<ByteSource> reopen() const = 0;
};

/// How far the reading of a file is, in bytes as they are stored.
struct ReadProgress {
  std::uint64_t bytes_read = 0;
  /// Unknown for a pipe.
  std::optional<std::uint64_t> bytes_total;
};
using ProgressListener = std::function<void(const ReadProgress&)>;

/// A file's own bytes; `-` is standard input. Throws InputError.
std::unique_ptr<ByteSource> open_file_source(const std::string& path,
                                             ProgressListener listener = nullptr);

/// Bytes that were looked at already, then the rest of where they came from.
std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> rest);

/// Unpack what `packed` gives. `file` is for error messages only.
std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, std::string file);
std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed, std::string file);

/// What error messages call a path: itself, but `standard input` for `-`.
std::string input_name(const std::string& path);

}  // namespace vramlab::traces
