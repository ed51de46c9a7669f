#include "traces/io/gzip_text.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "allocator/types/check.h"

namespace vramlab::traces {
namespace {

struct EndDeflate {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

/// zlib takes a pointer to what it does not change.
Bytef* input_of(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

}  // namespace

std::string gzip_packed(std::string_view bytes) {
  constexpr int window_with_gzip_header = 15 + 16;
  z_stream stream{};
  check(
      deflateInit2(&stream, 6, Z_DEFLATED, window_with_gzip_header, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib packs");
  const std::unique_ptr<z_stream, EndDeflate> end(&stream);
  std::string packed;
  std::array<char, 65536> room{};
  constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();
  int result = Z_OK;
  do {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const std::string_view piece = bytes.substr(0, most_at_once);
      bytes.remove_prefix(piece.size());
      stream.next_in = input_of(piece);
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    result = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(room.data(), room.size() - stream.avail_out);
  } while (result != Z_STREAM_END);
  return packed;
}

std::string base64_text(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? letters[bits >> (18 - 6 * i) & 0x3f] : '=';
  }
  return text;
}

}  // namespace vramlab::traces
