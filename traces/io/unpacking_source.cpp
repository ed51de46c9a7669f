// gzip and zstd, unpacked a piece at a time.
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 16;

/// The packed bytes, of which a decoder takes as many as it likes.
class PackedBytes {
 public:
  PackedBytes(std::unique_ptr<ByteSource> source, std::string file, std::string format)
      : source_(std::move(source)), file_(std::move(file)), format_(std::move(format)) {}

  /// Gets more where all were taken. False at the end.
  bool fill() {
    if (taken_ < count_) return true;
    position_ += count_;
    taken_ = 0;
    count_ = source_->read(piece_.data(), piece_.size());
    return count_ > 0;
  }
  const char* begin() const { return piece_.data() + taken_; }
  std::size_t size() const { return count_ - taken_; }
  void take(std::size_t count) { taken_ += count; }

  [[noreturn]] void fail_as_broken() const {
    throw InputError({file_, "packed byte " + std::to_string(position_ + taken_),
                      "whole " + format_ + " data", "damaged or cut-off data"});
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

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string file)
      : packed_(std::move(packed), std::move(file), "gzip") {
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&state_, gzip_window) != Z_OK)
      throw InputError({packed_.file(), "", "memory to unpack it", "none"});
  }
  ~GzipSource() override { inflateEnd(&state_); }

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
    return packed ? make_gzip_source(std::move(packed), packed_.file()) : nullptr;
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
      if (ZSTD_isError(left) != 0) packed_.fail_as_broken();
      frame_ended_ = left == 0;
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
};

}  // namespace

std::unique_ptr<ByteSource> make_gzip_source(std::unique_ptr<ByteSource> packed, std::string file) {
  return std::make_unique<GzipSource>(std::move(packed), std::move(file));
}

std::unique_ptr<ByteSource> make_zstd_source(std::unique_ptr<ByteSource> packed, std::string file) {
  return std::make_unique<ZstdSource>(std::move(packed), std::move(file));
}

}  // namespace vramlab::traces
