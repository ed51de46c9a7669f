// Bytes in: ByteSource, which gives the bytes of an input a piece at a time, so that a file of any
// size is read in the same little memory; OpenBytes, an input that was opened and unpacked if its
// first bytes say that it is packed; and LineSource, an input's lines. All throw InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/check.h"

namespace vramlab::traces {

class ByteSource : public Interface {
 public:
  /// Reads up to `count` bytes into `target`; 0 at the end only. Requires: count is not 0.
  virtual std::size_t read(char* target, std::size_t count) = 0;
  /// The same bytes once more from the first on; null where they can be read once only, as from a
  /// pipe.
  virtual std::unique_ptr<ByteSource> reopen() const = 0;
};

/// Progress in reading a file, in bytes as they are stored.
struct ReadProgress {
  std::uint64_t bytes_read = 0;
  /// Unknown for a pipe.
  std::optional<std::uint64_t> bytes_total;
};
using ProgressListener = std::function<void(const ReadProgress&)>;

/// A file's own bytes; `-` is standard input.
std::unique_ptr<ByteSource> open_file_source(const std::string& path,
                                             ProgressListener listener = nullptr);

/// Bytes that were looked at already, then the rest of where they came from.
std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> rest);

// Sources that unpack the bytes of another one. `file` is for error messages only.
std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, std::string file);
std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed, std::string file);
/// As a zip archive deflates its files.
std::unique_ptr<ByteSource> make_deflate_source(std::unique_ptr<ByteSource> packed,
                                                std::string file);

/// All bytes of a source that can be read once only, to read them again. Larger ones than
/// usual_most_bytes are refused.
std::unique_ptr<ByteSource> held_in_memory(std::unique_ptr<ByteSource> source,
                                           const std::string& file);

/// The name of a path in error messages: itself, but `standard input` for `-`.
std::string input_name(const std::string& path);

/// The ways in which people pack and wrap the files that they pass on.
enum class Packing : std::uint8_t { gzip, zstd, zip, viewer_page };
/// `gzip`, `zstd`, `zip` or `page`.
std::string_view packing_name(Packing packing);

/// An opened input of any kind, with its first bytes, so that its format can be told before it is
/// read.
struct OpenBytes {
  /// The input's name for messages.
  std::string file;
  /// The outermost one first; mostly none or a single one.
  std::vector<Packing> packings;
  /// All bytes, unpacked, from the first on.
  std::unique_ptr<ByteSource> source;
  /// The first bytes, which the source gives again.
  std::string start;
};

inline constexpr std::size_t looked_at_bytes = 64;

/// `-` is standard input.
OpenBytes open_bytes(const std::string& path, ProgressListener listener = nullptr);
/// `file` is the input's name for messages.
OpenBytes open_bytes(std::unique_ptr<ByteSource> source, std::string file);

/// The first bytes of a source, which then gives them again.
std::string look_ahead(std::unique_ptr<ByteSource>& source, std::size_t most_bytes);

/// Reads everything. An input that is larger, perhaps only once it is unpacked, is refused.
inline constexpr std::size_t usual_most_bytes = std::size_t{64} << 20;
std::string read_all(const OpenBytes& input, std::size_t most_bytes = usual_most_bytes);
std::string read_input_bytes(const std::string& path, std::size_t most_bytes = usual_most_bytes);

/// Some programs begin their text files with a byte order mark.
std::string_view without_byte_order_mark(std::string_view bytes);

/// The number that the letters spell; null if they spell none of 64 bits.
std::optional<std::uint64_t> whole_number(std::string_view letters, int base = 10);

/// An input's lines, one at a time, with the byte where each begins. It is for formats of short
/// lines: a longer one is refused.
class LineSource {
 public:
  static constexpr std::size_t longest_line = 4096;

  /// Both must outlive it. `file` is the input's name for messages.
  LineSource(ByteSource& source, const std::string& file)
      : source_(source), file_(file), buffer_(buffer_bytes) {}

  /// The next line, without its end (`\n` or `\r\n`) and without a byte order mark before the
  /// first; valid until the next call. Null at the end of the input.
  std::optional<std::string_view> next();

  /// Refuses the last line. `found` may be any bytes, so it is quoted.
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const;
  std::uint64_t bytes_taken() const { return next_position_; }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
  static_assert(longest_line < buffer_bytes);

  bool fill();
  std::string_view take(std::size_t count, std::size_t end_bytes);

  ByteSource& source_;
  const std::string& file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool source_ended_ = false;
  std::uint64_t position_ = 0;
  std::uint64_t next_position_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace vramlab::traces
