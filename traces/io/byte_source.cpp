#include "traces/io/byte_source.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "traces/io/input_error.h"
#include "traces/io/viewer_page.h"
#include "traces/io/zip_archive.h"

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
  if (!file && path.find("://") != std::string::npos)
    refuse_file(path, "a file", "a URL: download it first");
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

/// A source of bytes that are in memory, for all that read them.
class HeldSource : public ByteSource {
 public:
  explicit HeldSource(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = bytes_->copy(target, count, position_);
    position_ += got;
    return got;
  }
  std::unique_ptr<ByteSource> reopen() const override {
    return std::make_unique<HeldSource>(bytes_);
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t position_ = 0;
};

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

/// The packed bytes of a source; a decoder takes as many as it likes.
class PackedBytes {
 public:
  PackedBytes(std::unique_ptr<ByteSource> source, std::string file, std::string format)
      : source_(std::move(source)), file_(std::move(file)), format_(std::move(format)) {}

  /// Gets a whole piece where all bytes were taken: decoders answer differently for other pieces.
  /// False at the end.
  bool fill() {
    if (taken_ < count_) return true;
    position_ += count_;
    taken_ = count_ = 0;
    while (count_ < piece_.size()) {
      const std::size_t got = source_->read(piece_.data() + count_, piece_.size() - count_);
      if (got == 0) break;
      count_ += got;
    }
    return count_ > 0;
  }
  const char* begin() const { return piece_.data() + taken_; }
  std::size_t size() const { return count_ - taken_; }
  void take(std::size_t count) { taken_ += count; }

  /// The position of the next byte.
  std::uint64_t position() const { return position_ + taken_; }

  [[noreturn]] void fail_as_broken() const { fail_as_broken(position()); }
  [[noreturn]] void fail_as_broken(std::uint64_t at) const {
    throw InputError({file_, "packed byte " + std::to_string(at), "whole " + format_ + " data",
                      "damaged or cut-off data"});
  }
  std::unique_ptr<ByteSource> reopen() const { return source_->reopen(); }
  const std::string& file() const { return file_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string file_;
  std::string format_;
  std::vector<char> piece_ = std::vector<char>(piece_bytes);
  std::size_t count_ = 0;
  std::size_t taken_ = 0;
  /// The position of the piece's first byte.
  std::uint64_t position_ = 0;
};

/// zlib's windows: with the header of gzip, and without any, as in a zip archive.
enum class DeflateForm : std::int8_t { gzip = 15 + 16, bare = -15 };

class DeflateSource : public ByteSource {
 public:
  DeflateSource(std::unique_ptr<ByteSource> packed, std::string file, DeflateForm form)
      : packed_(std::move(packed), std::move(file),
                form == DeflateForm::gzip ? "gzip" : "deflated"),
        form_(form) {
    if (inflateInit2(&state_, static_cast<int>(form)) != Z_OK)
      throw InputError({packed_.file(), "", "memory to unpack it", "none"});
  }
  ~DeflateSource() override { inflateEnd(&state_); }

  std::size_t read(char* target, std::size_t count) override {
    while (true) {
      const bool has_more = packed_.fill();
      // A file may be several members, one after another.
      if (member_ended_ && !has_more) return 0;
      if (member_ended_ && inflateReset(&state_) != Z_OK) packed_.fail_as_broken();
      if (!has_more) packed_.fail_as_broken();
      member_ended_ = false;
      if (const std::size_t got = inflate_into(target, count)) return got;
    }
  }

  std::unique_ptr<ByteSource> reopen() const override {
    auto packed = packed_.reopen();
    if (!packed) return nullptr;
    return std::make_unique<DeflateSource>(std::move(packed), packed_.file(), form_);
  }

 private:
  std::size_t inflate_into(char* target, std::size_t count) {
    // zlib's input is not const, though it only reads it.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.begin()));
    state_.avail_in = static_cast<uInt>(packed_.size());
    state_.next_out = reinterpret_cast<Bytef*>(target);
    const auto room = static_cast<uInt>(std::min<std::size_t>(count, piece_bytes * 16));
    state_.avail_out = room;
    const int status = inflate(&state_, Z_NO_FLUSH);
    packed_.take(packed_.size() - state_.avail_in);
    if (status != Z_OK && status != Z_STREAM_END) packed_.fail_as_broken();
    member_ended_ = status == Z_STREAM_END;
    return room - state_.avail_out;
  }

  PackedBytes packed_;
  DeflateForm form_;
  z_stream state_{};
  bool member_ended_ = false;
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string file)
      : packed_(std::move(packed), std::move(file), "zstd"),
        state_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    if (!state_) throw InputError({packed_.file(), "", "memory to unpack it", "none"});
  }

  std::size_t read(char* target, std::size_t count) override {
    while (true) {
      const bool has_more = packed_.fill();
      if (!has_more && frame_ended_) return 0;
      ZSTD_inBuffer in{packed_.begin(), packed_.size(), 0};
      ZSTD_outBuffer out{target, count, 0};
      const std::size_t left = ZSTD_decompressStream(state_.get(), &out, &in);
      packed_.take(in.pos);
      // The library tells no place.
      if (ZSTD_isError(left) != 0) packed_.fail_as_broken(frame_begin_);
      frame_ended_ = left == 0;
      if (frame_ended_) frame_begin_ = packed_.position();
      if (out.pos > 0) return out.pos;
      if (!has_more && !frame_ended_) packed_.fail_as_broken();
    }
  }

  std::unique_ptr<ByteSource> reopen() const override {
    auto packed = packed_.reopen();
    return packed ? make_zstd_source(std::move(packed), packed_.file()) : nullptr;
  }

 private:
  PackedBytes packed_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> state_;
  bool frame_ended_ = false;
  std::uint64_t frame_begin_ = 0;
};

struct PackingRow {
  Packing packing;
  std::string_view name;
  bool (*begins_like)(std::string_view bytes);
  /// Takes the source. Null, with the source as it was, where it isn't packed after all.
  std::unique_ptr<ByteSource> (*open)(std::unique_ptr<ByteSource>& source, const std::string& file);
};

constexpr std::array<PackingRow, 4> packing_rows = {{
    {Packing::gzip, "gzip", [](std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); },
     [](std::unique_ptr<ByteSource>& source, const std::string& file) {
       return make_gzip_source(std::move(source), file);
     }},
    {Packing::zstd, "zstd",
     [](std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); },
     [](std::unique_ptr<ByteSource>& source, const std::string& file) {
       return make_zstd_source(std::move(source), file);
     }},
    {Packing::zip, "zip", begins_like_zip,
     [](std::unique_ptr<ByteSource>& source, const std::string& file) {
       return open_zip_member(std::move(source), file);
     }},
    {Packing::viewer_page, "page", begins_like_page, open_page_snapshot},
}};

/// Unpacks one layer. False where the bytes aren't packed.
bool unpack(OpenBytes& bytes) {
  const auto row = std::ranges::find_if(
      packing_rows, [&](const PackingRow& each) { return each.begins_like(bytes.start); });
  if (row == packing_rows.end()) return false;
  auto unpacked = row->open(bytes.source, bytes.file);
  if (!unpacked) return false;
  bytes.source = std::move(unpacked);
  bytes.packings.push_back(row->packing);
  bytes.start = look_ahead(bytes.source, looked_at_bytes);
  return true;
}

}  // namespace

std::unique_ptr<ByteSource> open_file_source(const std::string& path, ProgressListener listener) {
  return std::make_unique<FileSource>(path, std::move(listener));
}

std::unique_ptr<ByteSource> put_back(std::string bytes, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PutBackSource>(std::move(bytes), std::move(rest));
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string_view packing_name(Packing packing) {
  return packing_rows[static_cast<std::size_t>(packing)].name;
}

OpenBytes open_bytes(const std::string& path, ProgressListener listener) {
  return open_bytes(open_file_source(path, std::move(listener)), input_name(path));
}

OpenBytes open_bytes(std::unique_ptr<ByteSource> source, std::string file) {
  OpenBytes bytes{std::move(file), {}, std::move(source), {}};
  bytes.start = look_ahead(bytes.source, looked_at_bytes);
  // Such as a zip archive with a packed snapshot, packed once more.
  constexpr std::size_t most_packings = 3;
  while (bytes.packings.size() < most_packings && unpack(bytes)) {
  }
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

std::unique_ptr<ByteSource> held_in_memory(std::unique_ptr<ByteSource> source,
                                           const std::string& file) {
  return std::make_unique<HeldSource>(
      std::make_shared<const std::string>(read_all(OpenBytes{file, {}, std::move(source), {}})));
}

std::string read_input_bytes(const std::string& path, std::size_t most_bytes) {
  return read_all(open_bytes(path), most_bytes);
}

std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, std::string file) {
  return std::make_unique<DeflateSource>(std::move(packed), std::move(file), DeflateForm::gzip);
}

std::unique_ptr<ByteSource> make_deflate_source(std::unique_ptr<ByteSource> packed,
                                                std::string file) {
  return std::make_unique<DeflateSource>(std::move(packed), std::move(file), DeflateForm::bare);
}

std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed, std::string file) {
  return std::make_unique<ZstdSource>(std::move(packed), std::move(file));
}

std::string_view without_byte_order_mark(std::string_view bytes) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
  return bytes;
}

std::optional<std::uint64_t> whole_number(std::string_view letters, int base) {
  std::uint64_t value = 0;
  const char* const end = letters.data() + letters.size();
  const auto [stop, error] = std::from_chars(letters.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::string_view> LineSource::next() {
  while (true) {
    const std::string_view there(buffer_.data() + begin_, end_ - begin_);
    const std::size_t line_end = there.find('\n');
    const bool is_here = line_end != std::string_view::npos;
    if (std::min(line_end, there.size()) > longest_line)
      throw InputError({file_, "byte " + std::to_string(next_position_),
                        "a line of at most " + std::to_string(longest_line) + " bytes",
                        "a longer one"});
    if (is_here) return take(line_end, 1);
    if (fill()) continue;
    if (there.empty()) return std::nullopt;
    return take(there.size(), 0);
  }
}

std::string_view LineSource::take(std::size_t count, std::size_t end_bytes) {
  std::string_view line(buffer_.data() + begin_, count);
  begin_ += count + end_bytes;
  position_ = next_position_;
  next_position_ += count + end_bytes;
  if (++number_ == 1) line = without_byte_order_mark(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void LineSource::fail(const std::string& expected, std::string_view found) const {
  constexpr std::size_t quoted_bytes = 40;
  std::string quoted = "'";
  for (const char letter : found.substr(0, quoted_bytes))
    quoted += letter < ' ' || letter > '~' ? '?' : letter;
  throw InputError({file_,
                    "byte " + std::to_string(position_) + " (line " + std::to_string(number_) + ")",
                    expected, quoted + "'"});
}

/// False at the end of the input.
bool LineSource::fill() {
  if (source_ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  source_ended_ = got == 0;
  return !source_ended_;
}

}  // namespace vramlab::traces
