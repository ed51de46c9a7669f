#include "traces/io/input_bytes.h"

#include <array>
#include <utility>

#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

Packing packing_of(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return Packing::gzip;
  if (bytes.starts_with("\x28\xb5\x2f\xfd")) return Packing::zstd;
  return Packing::none;
}

}  // namespace

std::string_view packing_name(Packing packing) {
  constexpr std::array<std::string_view, 3> names = {"", "gzip", "zstd"};
  return names[static_cast<std::size_t>(packing)];
}

OpenBytes open_bytes(const std::string& path, ProgressListener listener) {
  return open_bytes(open_file_source(path, std::move(listener)), input_name(path));
}

OpenBytes open_bytes(std::unique_ptr<ByteSource> source, std::string file) {
  OpenBytes bytes{std::move(file), Packing::none, std::move(source), {}};
  bytes.start = look_ahead(bytes.source, looked_at_bytes);
  bytes.packing = packing_of(bytes.start);
  if (bytes.packing == Packing::none) return bytes;
  const auto unpack = bytes.packing == Packing::gzip ? make_gzip_source : make_zstd_source;
  bytes.source = unpack(std::move(bytes.source), bytes.file);
  bytes.start = look_ahead(bytes.source, looked_at_bytes);
  return bytes;
}

std::string look_ahead(std::unique_ptr<ByteSource>& source, std::size_t most_bytes) {
  std::string bytes(most_bytes, '\0');
  std::size_t count = 0;
  while (count < bytes.size()) {
    const std::size_t got = source->read(bytes.data() + count, bytes.size() - count);
    if (got == 0) break;
    count += got;
  }
  bytes.resize(count);
  source = put_back(bytes, std::move(source));
  return bytes;
}

std::string read_all(const OpenBytes& input, std::size_t most_bytes) {
  std::string bytes;
  std::array<char, 65536> piece{};
  while (const std::size_t count = input.source->read(piece.data(), piece.size())) {
    bytes.append(piece.data(), count);
    if (bytes.size() > most_bytes)
      refuse_file(input.file, "at most " + std::to_string(most_bytes) + " bytes, unpacked",
                  "more than that");
  }
  return bytes;
}

std::string read_input_bytes(const std::string& path, std::size_t most_bytes) {
  return read_all(open_bytes(path), most_bytes);
}

}  // namespace vramlab::traces
