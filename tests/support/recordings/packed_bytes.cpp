#include "tests/support/recordings/packed_bytes.h"

#include <zlib.h>
#include <zstd.h>

namespace vramlab::support {
namespace {

/// The header is chosen by the bits of the window, as zlib has it.
std::string packed_with(std::string bytes, int window_bits) {
  z_stream state{};
  deflateInit2(&state, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, bytes.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

}  // namespace

std::string gzip(const std::string& bytes) { return packed_with(bytes, 15 + 16); }

std::string zstd(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string deflated(const std::string& bytes) { return packed_with(bytes, -15); }

}  // namespace vramlab::support
