#include "traces/files/input_bytes.h"

#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "traces/files/input_error.h"

namespace vramlab::traces {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

[[noreturn]] void fail_as_broken(const std::string& file, std::size_t byte,
                                 std::string_view format) {
  throw InputError({file, "byte " + std::to_string(byte), "whole " + std::string(format) + " data",
                    "damaged or cut-off data"});
}

void check_size(const std::string& file, std::size_t size, std::size_t limit) {
  if (size > limit)
    refuse_file(file, "at most " + std::to_string(limit) + " bytes, unpacked", "more than that");
}

std::string read_stream(std::FILE* stream, const std::string& file, std::size_t limit) {
  std::string bytes;
  std::array<char, chunk_bytes> chunk{};
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), stream)) {
    bytes.append(chunk.data(), count);
    if (bytes.size() > limit)
      refuse_file(file, "a file of at most " + std::to_string(limit) + " bytes", "a larger one");
  }
  if (std::ferror(stream) != 0) refuse_file(file, "a file that can be read", std::strerror(errno));
  return bytes;
}

struct EndInflate {
  void operator()(z_stream* state) const {
    inflateEnd(state);
    delete state;
  }
};

/// Unpacks all members of a gzip file, one after another.
std::string unpack_gzip(std::string& bytes, const std::string& file, const InputLimits& limits) {
  std::unique_ptr<z_stream, EndInflate> state(new z_stream{});
  constexpr int gzip_window = 15 + 16;
  if (inflateInit2(state.get(), gzip_window) != Z_OK)
    refuse_file(file, "memory to unpack it", "none");
  state->next_in = reinterpret_cast<Bytef*>(bytes.data());
  state->avail_in = static_cast<uInt>(bytes.size());
  std::string unpacked;
  std::vector<Bytef> chunk(chunk_bytes);
  while (true) {
    state->next_out = chunk.data();
    state->avail_out = static_cast<uInt>(chunk.size());
    const int status = inflate(state.get(), Z_NO_FLUSH);
    const std::size_t produced = chunk.size() - state->avail_out;
    unpacked.append(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(produced));
    check_size(file, unpacked.size(), limits.unpacked_bytes);
    if (status == Z_STREAM_END && state->avail_in == 0) return unpacked;
    const bool goes_on = status == Z_STREAM_END
                             ? inflateReset(state.get()) == Z_OK
                             : status == Z_OK && (produced > 0 || state->avail_in > 0);
    if (!goes_on) fail_as_broken(file, bytes.size() - state->avail_in, "gzip");
  }
}

std::string unpack_zstd(const std::string& bytes, const std::string& file,
                        const InputLimits& limits) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> state(ZSTD_createDCtx(),
                                                                   &ZSTD_freeDCtx);
  if (!state) refuse_file(file, "memory to unpack it", "none");
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::string unpacked;
  std::vector<char> chunk(chunk_bytes);
  while (true) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    const std::size_t left = ZSTD_decompressStream(state.get(), &out, &in);
    if (ZSTD_isError(left) != 0) fail_as_broken(file, in.pos, "zstd");
    unpacked.append(chunk.data(), out.pos);
    check_size(file, unpacked.size(), limits.unpacked_bytes);
    if (in.pos == in.size && left == 0) return unpacked;
    if (in.pos == in.size && out.pos < out.size) fail_as_broken(file, in.pos, "zstd");
  }
}

}  // namespace

std::string read_input_bytes(const std::string& path, const InputLimits& limits) {
  if (path == "-")
    return unpack_input(read_stream(stdin, "standard input", limits.file_bytes), "standard input",
                        limits);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse_file(path, "a file", "a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) refuse_file(path, "a file that can be read", std::strerror(errno));
  return unpack_input(read_stream(file.get(), path, limits.file_bytes), path, limits);
}

std::string unpack_input(std::string bytes, const std::string& file, const InputLimits& limits) {
  const std::string_view start = bytes;
  if (start.starts_with("\x1f\x8b")) return unpack_gzip(bytes, file, limits);
  if (start.starts_with("\x28\xb5\x2f\xfd")) return unpack_zstd(bytes, file, limits);
  check_size(file, bytes.size(), limits.unpacked_bytes);
  return bytes;
}

}  // namespace vramlab::traces
