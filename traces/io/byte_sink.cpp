#include "traces/io/byte_sink.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

namespace fs = std::filesystem;

/// A link stays a link: its target is replaced.
std::string behind_links(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

struct EndDeflate {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

/// zlib takes a pointer to bytes that may change, though it only reads them.
Bytef* input_of(std::string_view bytes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Overwrite overwrite)
    : name_(path), path_(behind_links(path)), overwrite_(overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) fail("something that is no file");
  refuse_to_overwrite();
  open_temporary();
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  fs::remove(temporary_path_, ignored);
}

void OutputFile::fail(const std::string& found) const {
  throw InputError({name_, "", "a file that can be written", found});
}

void OutputFile::refuse_to_overwrite() const {
  std::error_code error;
  if (overwrite_ == Overwrite::refused && fs::exists(path_, error))
    throw InputError({name_, "", "no file of this name (or --force)", "one"});
}

/// Opens a file only where none exists: somebody else may be writing the same output.
void OutputFile::open_temporary() {
  constexpr int most_tries = 100;
  const fs::path path(path_);
  for (int i = 0; i < most_tries && file_ == nullptr; ++i) {
    const std::string name = "." + path.filename().string() + "." + std::to_string(i) + ".part";
    temporary_path_ = (path.parent_path() / name).string();
    file_ = std::fopen(temporary_path_.c_str(), "wbx");
    if (file_ == nullptr && errno != EEXIST) break;
  }
  if (file_ == nullptr) fail(std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  check(file_ != nullptr, "a finished file is not written to");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(std::strerror(errno));
}

void OutputFile::finish() {
  check(file_ != nullptr, "a file is finished once");
  if (std::fflush(file_) != 0) fail(std::strerror(errno));
  refuse_to_overwrite();
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) fail(error.message());
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(std::strerror(errno));
}

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
