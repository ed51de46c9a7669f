// An input of any kind, opened: unpacked if its first bytes say that it is gzip or zstd, and with
// these first bytes, so that its format can be told before it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

enum class Packing : std::uint8_t { none, gzip, zstd };
/// `gzip`, `zstd`; empty for none.
std::string_view packing_name(Packing packing);

struct OpenBytes {
  /// For messages.
  std::string file;
  Packing packing = Packing::none;
  /// All bytes, unpacked, from the first on.
  std::unique_ptr<ByteSource> source;
  /// The first of them.
  std::string start;
};

inline constexpr std::size_t looked_at_bytes = 64;

/// `-` is standard input. Throws InputError.
OpenBytes open_bytes(const std::string& path, ProgressListener listener = nullptr);
/// `file` is the input's name for messages.
OpenBytes open_bytes(std::unique_ptr<ByteSource> source, std::string file);

/// The first bytes of a source, which then gives them again.
std::string look_ahead(std::unique_ptr<ByteSource>& source, std::size_t most_bytes);

/// Reads everything. An input that is larger, perhaps only once it is unpacked, is refused.
inline constexpr std::size_t usual_most_bytes = std::size_t{64} << 20;
std::string read_all(const OpenBytes& input, std::size_t most_bytes = usual_most_bytes);
std::string read_input_bytes(const std::string& path, std::size_t most_bytes = usual_most_bytes);

}  // namespace vramlab::traces
