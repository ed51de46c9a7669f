#include "traces/native/mapped_trace.h"

#include <algorithm>

#include "traces/files/input_error.h"
#include "traces/native/native_chunks.h"
#include "traces/native/native_event_codec.h"

namespace vramlab::traces {
namespace {

class ViewSource : public ByteSource {
 public:
  explicit ViewSource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = bytes_.copy(target, count);
    bytes_.remove_prefix(got);
    return got;
  }
  std::unique_ptr<ByteSource> reopen() const override { return nullptr; }

 private:
  std::string_view bytes_;
};

}  // namespace

MappedTrace::MappedTrace(const std::string& path)
    : path_(path), file_(path), records_(tables_, {unused_, header_}) {
  read();
}

void MappedTrace::fail(std::uint64_t byte, const std::string& expected,
                       const std::string& found) const {
  throw InputError({path_, "byte " + std::to_string(byte), expected, found});
}

/// Requires: the byte is a multiple of 8.
template <typename Layout>
std::span<const Layout> MappedTrace::layouts_at(std::uint64_t byte, std::uint64_t count) const {
  const std::string_view bytes = file_.bytes();
  if (byte > bytes.size() || (bytes.size() - byte) / sizeof(Layout) < count)
    fail(bytes.size(), "the rest of the trace", "the end of the file");
  return {reinterpret_cast<const Layout*>(bytes.data() + byte), static_cast<std::size_t>(count)};
}

void MappedTrace::read() {
  if (const char* needed = fault_of(layouts_at<BinaryStart>(0, 1).front()))
    fail(0, needed, "other bytes");
  const auto directory = find_directory();
  next_byte_ = sizeof(BinaryStart);
  for (const ChunkStart& named : directory) read_chunk(named);
  const std::uint64_t directory_byte =
      file_.bytes().size() - sizeof(BinaryEnd) - directory.size_bytes() - sizeof(ChunkStart);
  if (next_byte_ != directory_byte)
    fail(next_byte_, "chunks up to the directory", "something else");
  std::uint64_t events_in_runs = 0;
  for (const Run run : runs_) events_in_runs += run.size();
  if (events_in_runs != event_count_)
    fail(file_.bytes().size() - sizeof(BinaryEnd), "an end that counts what there is",
         "other numbers");
  if (const char* needed = records_.fault_of_end()) fail(next_byte_, needed, "the directory");
}

std::span<const ChunkStart> MappedTrace::find_directory() {
  const std::uint64_t size = file_.bytes().size();
  if (size % 8 != 0 || size < sizeof(BinaryStart) + sizeof(ChunkStart) + sizeof(BinaryEnd))
    fail(size, "the end of a native trace", "the end of the file");
  const std::uint64_t end_byte = size - sizeof(BinaryEnd);
  const BinaryEnd& end = layouts_at<BinaryEnd>(end_byte, 1).front();
  if (const char* needed = fault_of(end)) fail(end_byte, needed, "other bytes");
  const std::uint64_t byte = end.directory_byte;
  if (byte % 8 != 0) fail(end_byte, "a directory at a multiple of 8 bytes", "another byte");
  const ChunkStart& start = layouts_at<ChunkStart>(byte, 1).front();
  if (const char* needed = fault_of(start, byte)) fail(byte, needed, "another one");
  const auto directory = layouts_at<ChunkStart>(byte + sizeof start, end.chunk_count);
  if (start.kind != static_cast<std::uint32_t>(ChunkKind::directory) ||
      start.payload_bytes != directory.size_bytes() ||
      byte + sizeof start + directory.size_bytes() != end_byte)
    fail(byte, "a directory of as many chunks as the end says", "another one");
  if (crc32_with(0, {reinterpret_cast<const char*>(directory.data()), directory.size_bytes()}) !=
      start.crc32)
    fail(byte, "a chunk with the checksum that it names", "other bytes");
  event_count_ = end.event_count;
  return directory;
}

void MappedTrace::read_chunk(const ChunkStart& named) {
  const std::uint64_t byte = next_byte_;
  const ChunkStart& chunk = layouts_at<ChunkStart>(byte, 1).front();
  if (const char* needed = fault_of(chunk, byte)) fail(byte, needed, "another one");
  if (chunk != named || chunk.kind == static_cast<std::uint32_t>(ChunkKind::directory))
    fail(byte, "the chunk that the directory names", "another one");
  const std::uint64_t payload_byte = byte + sizeof chunk;
  const auto payload = layouts_at<char>(payload_byte, chunk.payload_bytes);
  const std::string_view bytes(payload.data(), payload.size());
  if (crc32_with(0, bytes) != chunk.crc32)
    fail(byte, "a chunk with the checksum that it names", "other bytes");
  const std::uint64_t end_byte = payload_byte + chunk.payload_bytes;
  for (const char padding : layouts_at<char>(end_byte, padding_after(chunk.payload_bytes)))
    if (padding != 0) fail(end_byte, "zeros", "another byte");
  next_byte_ = end_byte + padding_after(chunk.payload_bytes);
  if (chunk.kind == static_cast<std::uint32_t>(ChunkKind::events)) {
    runs_.push_back(layouts_at<NativeEvent>(payload_byte, chunk.event_count));
    return check_events(runs_.back(), payload_byte);
  }
  ViewSource source(bytes);
  JsonScanner json(source, {path_, payload_byte, JsonScanner::Lines::not_told});
  records_.read_lines(json);
}

void MappedTrace::check_events(Run run, std::uint64_t byte) const {
  for (const NativeEvent& event : run)
    if (const char* needed = fault_of(event, records_))
      fail(byte + static_cast<std::uint64_t>(&event - run.data()) * sizeof event, needed,
           "another event");
}

}  // namespace vramlab::traces
