#include "traces/native/native_binary.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_text_writer.h"

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
  /// Fewer bytes than asked for at the end only.
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

/// Puts chunks into the file, and the directory behind them.
class ChunkWriter {
 public:
  explicit ChunkWriter(ByteSink& sink) : sink_(sink) {
    BinaryStart start;
    start.magic = magic_of(native::binary_start);
    start.version = native::layout_version;
    start.event_bytes = sizeof(NativeEvent);
    write(bytes_of(start));
  }

  void write_chunk(ChunkKind kind, std::string_view payload) {
    ChunkStart start;
    start.kind = static_cast<std::uint32_t>(kind);
    start.crc32 = crc32_with(0, payload);
    start.payload_bytes = payload.size();
    start.event_count = kind == ChunkKind::events ? payload.size() / sizeof(NativeEvent) : 0;
    start.byte = byte_count_;
    constexpr std::string_view zeros("\0\0\0\0\0\0\0", 7);
    write(bytes_of(start));
    write(payload);
    write(zeros.substr(0, as_index(padding_after(payload.size()))));
    chunks_.push_back(start);
  }

  void finish() {
    BinaryEnd end;
    end.magic = magic_of(native::binary_end);
    end.directory_byte = byte_count_;
    end.chunk_count = chunks_.size();
    for (const ChunkStart& chunk : chunks_) end.event_count += chunk.event_count;
    const std::vector<ChunkStart> directory = chunks_;
    write_chunk(ChunkKind::directory, {reinterpret_cast<const char*>(directory.data()),
                                       directory.size() * sizeof(ChunkStart)});
    write(bytes_of(end));
  }

 private:
  void write(std::string_view bytes) {
    sink_.write(bytes);
    byte_count_ += bytes.size();
  }

  ByteSink& sink_;
  std::uint64_t byte_count_ = 0;
  std::vector<ChunkStart> chunks_;
};

/// Lines and events that wait to be written. Definitions may overtake events; no other line does.
class PendingRecords : public LineSink {
 public:
  explicit PendingRecords(ByteSink& sink) : chunks_(sink) {
    events_.reserve(most_events_of_a_chunk);
  }

  void line(std::string_view line, LineKind kind) override {
    constexpr std::size_t many_bytes = std::size_t{1} << 20;
    if (kind == LineKind::record && (!events_.empty() || lines_.size() > many_bytes)) flush();
    lines_.append(line) += '\n';
  }
  void event(const NativeEvent& event) {
    events_.push_back(event);
    if (events_.size() == most_events_of_a_chunk) flush();
  }
  void finish() {
    flush();
    chunks_.finish();
  }

 private:
  void flush() {
    if (!lines_.empty()) chunks_.write_chunk(ChunkKind::lines, lines_);
    if (!events_.empty())
      chunks_.write_chunk(ChunkKind::events, {reinterpret_cast<const char*>(events_.data()),
                                              events_.size() * sizeof(NativeEvent)});
    lines_.clear();
    events_.clear();
  }

  ChunkWriter chunks_;
  std::string lines_;
  std::vector<NativeEvent> events_;
};

KeySet keys_in_shape(KeySet keys) {
  KeySet rest = keys;
  const KeySet in_event = keys_in_event(keys);
  for (std::uint32_t key = 0; key < known_key_count; ++key)
    if (in_event.has(static_cast<KnownText>(key))) rest.remove(static_cast<KnownText>(key));
  return rest;
}

void add_key_names(std::string& line, KeySet keys) {
  line += '[';
  for (std::uint32_t key = 0; key < known_key_count; ++key) {
    if (!keys.has(static_cast<KnownText>(key))) continue;
    if (line.back() != '[') line += ',';
    add_json_text(line, known_text(static_cast<KnownText>(key)));
  }
  line += ']';
}

/// Gives shapes their numbers, and writes the line of each new one. The shape of a recorded entry
/// is all of it but its numbers: the keys that it has, the action, texts, unknown keys. Few shapes
/// are different, so a binary trace writes each once and an entry names its own.
class NativeShapes {
 public:
  /// Both must outlive it.
  NativeShapes(LineSink& lines, NativeSpeller& speller) : lines_(lines), speller_(speller) {}

  std::uint32_t number_of(const TraceEntry& entry) {
    if (!entry.unknown.empty() || !entry.forward_frames.empty()) return spelled_number(entry);
    const bool has_address = entry.keys.has(KnownText::addr);
    const PlainShape plain(entry.keys.bits(), entry.action, entry.compile_context,
                           entry.user_metadata, entry.internal_metadata, entry.category,
                           has_address ? entry.device_free.count : 0);
    const auto [place, is_new] = plain_.try_emplace(plain, 0);
    if (is_new) place->second = spelled_number(entry);
    return place->second;
  }

 private:
  using PlainShape =
      std::tuple<std::uint64_t, TextId, TextId, TextId, TextId, TextId, std::uint64_t>;

  std::uint32_t spelled_number(const TraceEntry& entry) {
    TraceEntry shape = entry;
    shape.keys = keys_in_shape(entry.keys);
    std::string spelled = ",\"keys\":";
    add_key_names(spelled, keys_in_event(entry.keys));
    spelled += ",\"is\":";
    add_fields(spelled, speller_, shape);
    const auto next_number = static_cast<std::uint32_t>(spelled_.size() + 1);
    const auto [place, is_new] = spelled_.try_emplace(std::move(spelled), next_number);
    if (is_new)
      lines_.line("{\"shape\":" + std::to_string(next_number) + place->first + "}",
                  LineKind::definition);
    return place->second;
  }

  LineSink& lines_;
  NativeSpeller& speller_;
  std::map<PlainShape, std::uint32_t> plain_;
  std::map<std::string, std::uint32_t> spelled_;
};

/// Everything but events and entries is a line, as in the text form.
class BinaryRecordWriter : public NativeRecordWriter {
 public:
  BinaryRecordWriter(PendingRecords& pending, const SnapshotTables& tables)
      : NativeRecordWriter(pending, tables), pending_(pending), shapes_(pending, speller()) {}

  void program_event(const ProgramEvent& event) override {
    check_version(event);
    EventNumbers numbers;
    numbers.stack = speller().stack_number(event.stack);
    if (has_text(event.kind)) numbers.detail = speller().text_number(event.text);
    pending_.event(encode(event, numbers));
  }
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override {
    EventNumbers numbers;
    if (entry.keys.has(KnownText::frames)) numbers.stack = speller().stack_number(entry.stack);
    numbers.detail = shapes_.number_of(entry);
    pending_.event(encode(device, entry, numbers));
  }

 private:
  PendingRecords& pending_;
  NativeShapes shapes_;
};

class NativeBinaryWriter : public TraceWriter {
 public:
  NativeBinaryWriter(ByteSink& sink, const SnapshotTables& tables)
      : pending_(sink), records_(pending_, tables) {}

  NativeSinks sinks() override { return {records_, records_}; }
  void finish() override {
    records_.finish();
    pending_.finish();
  }

 private:
  PendingRecords pending_;
  BinaryRecordWriter records_;
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

std::unique_ptr<TraceWriter> make_native_binary_writer(ByteSink& sink,
                                                       const SnapshotTables& tables) {
  return std::make_unique<NativeBinaryWriter>(sink, tables);
}

}  // namespace vramlab::traces
