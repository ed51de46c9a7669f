#include "traces/native/native_binary.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "allocator/types/check.h"
#include "traces/io/json_letters.h"
#include "traces/native/native_event_codec.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_record_writer.h"

namespace vramlab::traces {
namespace {

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

/// Lines and events that wait. Definitions may overtake events; no other line does.
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

/// Shapes are what recorded entries have besides numbers: which keys there are, the action, texts,
/// unknown keys. Few are different, so a binary trace writes each once and an entry names its own.
/// This gives shapes their numbers, and writes the line of each new one.
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

std::unique_ptr<TraceWriter> make_native_binary_writer(ByteSink& sink,
                                                       const SnapshotTables& tables) {
  return std::make_unique<NativeBinaryWriter>(sink, tables);
}

}  // namespace vramlab::traces
