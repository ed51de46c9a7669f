#include "traces/native/native_binary.h"

#include <algorithm>
#include <vector>

#include "traces/io/input_error.h"
#include "traces/native/native_event_codec.h"
#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

/// Takes the parts of a binary trace out of a source, in order, and counts bytes.
class PartReader {
 public:
  PartReader(ByteSource& source, const std::string& file) : source_(source), file_(file) {}

  std::uint64_t bytes_taken() const { return byte_; }
  const std::string& file() const { return file_; }

  [[noreturn]] void fail(std::uint64_t byte, const std::string& expected,
                         const std::string& found) const {
    throw InputError({file_, "byte " + std::to_string(byte), expected, found});
  }

  /// Up to so many bytes; fails at the end of the source.
  std::size_t read_some(char* target, std::size_t count) {
    const std::size_t got = source_.read(target, count);
    if (got == 0) fail(byte_, "the rest of the trace", "the end of the file");
    byte_ += got;
    return got;
  }
  void read(char* target, std::size_t count) {
    for (std::size_t got = 0; got < count;) got += read_some(target + got, count - got);
  }
  template <typename Layout>
  Layout read_layout() {
    Layout layout;
    read(reinterpret_cast<char*>(&layout), sizeof layout);
    return layout;
  }
  void read_padding(std::uint64_t payload_bytes) {
    for (std::uint64_t left = padding_after(payload_bytes); left > 0; --left)
      if (char zero = 0; read(&zero, 1), zero != 0) fail(byte_ - 1, "a zero", "another byte");
  }
  void expect_end() {
    char more = 0;
    if (source_.read(&more, 1) != 0) fail(byte_, "the end of the file", "more bytes");
  }

 private:
  ByteSource& source_;
  const std::string& file_;
  std::uint64_t byte_ = 0;
};

/// The payload of one chunk, with its checksum.
class PayloadSource : public ByteSource {
 public:
  PayloadSource(PartReader& parts, const ChunkStart& chunk)
      : parts_(parts), chunk_(chunk), left_(chunk.payload_bytes) {}

  std::size_t read(char* target, std::size_t count) override {
    if (left_ == 0) return 0;
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    const std::size_t got = parts_.read_some(target, wanted);
    left_ -= got;
    crc32_ = crc32_with(crc32_, {target, got});
    return got;
  }
  std::unique_ptr<ByteSource> reopen() const override { return nullptr; }

  bool is_at_end() const { return left_ == 0; }
  /// Requires: all of it was read.
  void check_sum() const {
    if (crc32_ != chunk_.crc32)
      parts_.fail(chunk_.byte, "a chunk with the checksum that it names", "other bytes");
  }
  /// Less than asked for at the end only.
  std::size_t read_full(char* target, std::size_t count) {
    std::size_t total = 0;
    while (total < count && !is_at_end()) total += read(target + total, count - total);
    return total;
  }

 private:
  PartReader& parts_;
  const ChunkStart& chunk_;
  std::uint64_t left_;
  std::uint32_t crc32_ = 0;
};

class BinaryReader {
 public:
  BinaryReader(PartReader& parts, NativeRecordReader& records, const OnEvents& on_events)
      : parts_(parts), records_(records), on_events_(on_events) {}

  void read() {
    if (const char* needed = fault_of(parts_.read_layout<BinaryStart>()))
      parts_.fail(0, needed, "other bytes");
    ChunkStart chunk = read_chunk_start();
    while (chunk.kind != static_cast<std::uint32_t>(ChunkKind::directory)) {
      read_payload(chunk);
      chunks_.push_back(chunk);
      chunk = read_chunk_start();
    }
    if (const char* needed = records_.fault_of_end())
      parts_.fail(chunk.byte, needed, "the directory");
    read_directory(chunk);
    read_end(chunk);
  }

 private:
  ChunkStart read_chunk_start() {
    const std::uint64_t byte = parts_.bytes_taken();
    const auto chunk = parts_.read_layout<ChunkStart>();
    if (const char* needed = fault_of(chunk, byte)) parts_.fail(byte, needed, "another one");
    return chunk;
  }

  void read_payload(const ChunkStart& chunk) {
    if (chunk.kind == static_cast<std::uint32_t>(ChunkKind::lines))
      read_lines(chunk);
    else
      read_events(chunk);
    parts_.read_padding(chunk.payload_bytes);
  }

  void read_lines(const ChunkStart& chunk) {
    PayloadSource payload(parts_, chunk);
    records_.read_chunk({payload, parts_.file()}, parts_.bytes_taken(), chunk.payload_bytes);
    payload.check_sum();
  }

  void read_events(const ChunkStart& chunk) {
    constexpr std::size_t events_at_a_time = 1024;
    PayloadSource payload(parts_, chunk);
    if (on_events_) on_events_(parts_.bytes_taken(), chunk.event_count);
    events_.resize(events_at_a_time);
    while (!payload.is_at_end()) {
      std::uint64_t byte = parts_.bytes_taken();
      const std::size_t got = payload.read_full(reinterpret_cast<char*>(events_.data()),
                                                events_.size() * sizeof(NativeEvent));
      for (std::size_t i = 0; i < got / sizeof(NativeEvent); ++i, byte += sizeof(NativeEvent))
        give(events_[i], byte);
    }
    payload.check_sum();
  }

  void give(const NativeEvent& event, std::uint64_t byte) {
    if (const char* needed = fault_of(event, records_)) parts_.fail(byte, needed, "another event");
    if (on_events_) return;
    if (event.is_entry())
      records_.sinks().recorded.trace_entry(records_.device(),
                                            decode_entry(event, records_.values()));
    else
      records_.sinks().program.program_event(decode_program_event(event, records_.values()));
  }

  void read_directory(const ChunkStart& chunk) {
    PayloadSource payload(parts_, chunk);
    if (chunk.payload_bytes / sizeof(ChunkStart) != chunks_.size())
      parts_.fail(chunk.byte, "a directory of all chunks", "another number of them");
    for (const ChunkStart& known : chunks_) {
      ChunkStart named;
      payload.read_full(reinterpret_cast<char*>(&named), sizeof named);
      if (named != known)
        parts_.fail(chunk.byte, "a directory of the chunks as they are", "another one");
    }
    payload.check_sum();
  }

  void read_end(const ChunkStart& directory) {
    const std::uint64_t byte = parts_.bytes_taken();
    const auto end = parts_.read_layout<BinaryEnd>();
    std::uint64_t event_count = 0;
    for (const ChunkStart& chunk : chunks_) event_count += chunk.event_count;
    if (const char* needed = fault_of(end)) parts_.fail(byte, needed, "other bytes");
    if (end.directory_byte != directory.byte || end.chunk_count != chunks_.size() ||
        end.event_count != event_count)
      parts_.fail(byte, "an end that counts what there is", "other numbers");
    parts_.expect_end();
  }

  PartReader& parts_;
  NativeRecordReader& records_;
  const OnEvents& on_events_;
  std::vector<ChunkStart> chunks_;
  std::vector<NativeEvent> events_;
};

}  // namespace

bool begins_like_native_binary(std::string_view bytes) {
  return bytes.starts_with(native::binary_start);
}

std::uint64_t read_native_binary(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, NativeSinks sinks) {
  NativeRecordReader records(tables, sinks);
  return read_native_binary(source, file, records);
}

std::uint64_t read_native_binary(ByteSource& source, const std::string& file,
                                 NativeRecordReader& records, const OnEvents& on_events) {
  PartReader parts(source, file);
  BinaryReader(parts, records, on_events).read();
  return parts.bytes_taken();
}

}  // namespace vramlab::traces
