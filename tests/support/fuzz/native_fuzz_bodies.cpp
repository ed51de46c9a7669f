#include "tests/support/fuzz/native_fuzz_bodies.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tests/support/fuzz/native_rewriting.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/native/mapped_trace.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_text.h"

namespace vramlab::support {
namespace {

using Broken = std::optional<std::string>;
constexpr std::size_t few_trace_bytes = 3;

Broken broken_rule_of_readings(const NativeRewriting& whole, const NativeRewriting& dribbled) {
  if (whole.error != dribbled.error || whole.text != dribbled.text)
    return "the answer depends on how the bytes arrive";
  if (!whole.error.empty() && whole.error.find("byte ") == std::string::npos)
    return "an error names no byte";
  return std::nullopt;
}

/// The recording as JSON, which spells shared values like others; empty where that can't be.
std::string json_of(const std::string& text) {
  const auto source = support::make_memory_source(text);
  traces::SnapshotTables tables;
  CollectedBytes output;
  const auto writer = make_trace_writer(traces::TraceFormat::snapshot_json, output, tables);
  try {
    traces::read_native_text(*source, "file", tables, writer->sinks());
    writer->finish();
  } catch (const traces::InputError&) {
    return "";
  }
  return output.bytes;
}

/// Values that only one shape holds are shared by the entries that have it, and from then on
/// spelled as shared: the content is the same at once, the text from the second writing on.
Broken broken_rule_of_binary_form(const std::string& text) {
  const NativeRewriting once = rewrite_native_binary(native_binary_of(text));
  if (!once.error.empty()) return "the binary form is refused: " + once.error;
  const NativeRewriting twice = rewrite_native_binary(native_binary_of(once.text));
  if (twice.text != once.text) return "the binary form reads as something else";
  // A few values that are referred to can stand for very much JSON.
  const bool may_be_long = text.find(traces::native::value_reference) != std::string::npos;
  if (!may_be_long && json_of(text) != json_of(once.text))
    return "the binary form has another content";
  return std::nullopt;
}

/// A trace that was read without an error is written in both forms, and read again as it was.
Broken broken_rule_of_rewriting(const std::string& text) {
  const NativeRewriting again = rewrite_native_text(text);
  if (!again.error.empty()) return "what was written is refused: " + again.error;
  if (again.text != text) return "what was written reads as something else";
  return broken_rule_of_binary_form(text);
}

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : descriptor_(memfd_create("trace", 0)) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t wrote = write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (wrote <= 0) break;
      done += static_cast<std::size_t>(wrote);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

Broken broken_rule_of_mapping(const std::string& bytes, const NativeRewriting& streamed) {
  const MemoryFile file(bytes);
  try {
    const traces::MappedTrace trace(file.path());
    std::uint64_t events = 0;
    for (const traces::MappedTrace::Run run : trace.runs()) events += run.size();
    if (!streamed.error.empty()) return "a trace is refused only when it is streamed";
    if (events != trace.event_count()) return "the mapped events are not as many as counted";
  } catch (const traces::InputError& error) {
    if (streamed.error.empty())
      return std::string("a trace is refused only when it is mapped: ") + error.what();
  }
  return std::nullopt;
}

void add_chunk(std::string& file, std::vector<traces::ChunkStart>& chunks, traces::ChunkKind kind,
               const std::string& payload) {
  traces::ChunkStart start;
  start.kind = static_cast<std::uint32_t>(kind);
  start.crc32 = traces::crc32_with(0, payload);
  start.payload_bytes = payload.size();
  start.byte = file.size();
  if (kind == traces::ChunkKind::events)
    start.event_count = payload.size() / sizeof(traces::NativeEvent);
  chunks.push_back(start);
  file += traces::bytes_of(start);
  file += payload;
  file.append(traces::padding_after(payload.size()), '\0');
}

}  // namespace

Broken broken_rule_of_native_text(const std::string& bytes) {
  const NativeRewriting whole = rewrite_native_text(bytes);
  if (auto broken = broken_rule_of_readings(whole, rewrite_native_text(bytes, few_trace_bytes)))
    return broken;
  return whole.error.empty() ? broken_rule_of_rewriting(whole.text) : std::nullopt;
}

Broken broken_rule_of_native_binary(const std::string& bytes) {
  const NativeRewriting whole = rewrite_native_binary(bytes);
  if (auto broken = broken_rule_of_readings(whole, rewrite_native_binary(bytes, few_trace_bytes)))
    return broken;
  if (auto broken = broken_rule_of_mapping(bytes, whole)) return broken;
  return whole.error.empty() ? broken_rule_of_rewriting(whole.text) : std::nullopt;
}

std::string assembled_binary(const std::string& bytes) {
  std::size_t line_bytes = 0;
  if (bytes.size() >= 2)
    line_bytes = static_cast<unsigned char>(bytes[0]) * 256U + static_cast<unsigned char>(bytes[1]);
  const std::string rest = bytes.substr(std::min<std::size_t>(2, bytes.size()));
  const std::string lines = rest.substr(0, line_bytes);
  std::string events = rest.substr(lines.size());
  events.resize(events.size() / sizeof(traces::NativeEvent) * sizeof(traces::NativeEvent));

  traces::BinaryStart start;
  start.magic = traces::magic_of(traces::native::binary_start);
  start.version = traces::native::layout_version;
  start.event_bytes = sizeof(traces::NativeEvent);
  std::string file(traces::bytes_of(start));
  std::vector<traces::ChunkStart> chunks;
  add_chunk(file, chunks, traces::ChunkKind::lines, lines);
  add_chunk(file, chunks, traces::ChunkKind::events, events);
  traces::BinaryEnd end;
  end.magic = traces::magic_of(traces::native::binary_end);
  end.directory_byte = file.size();
  end.chunk_count = chunks.size();
  end.event_count = chunks.back().event_count;
  std::string directory;
  for (const traces::ChunkStart& chunk : chunks) directory += traces::bytes_of(chunk);
  add_chunk(file, chunks, traces::ChunkKind::directory, directory);
  return file += traces::bytes_of(end);
}

Broken broken_rule_of_native_script(const std::string& bytes) {
  const NativeRewriting whole = rewrite_native_script(bytes);
  const NativeRewriting dribbled = rewrite_native_script(bytes, few_trace_bytes);
  if (whole.error != dribbled.error || whole.text != dribbled.text)
    return "the answer depends on how the bytes arrive";
  if (!whole.error.empty())
    return whole.error.find("line ") == std::string::npos ? Broken("an error names no line")
                                                          : std::nullopt;
  const std::string script = native_script_of(whole.text);
  // A text may be spelled by more bytes than a line of a script has.
  constexpr std::size_t surely_read = 256;
  if (bytes.size() > surely_read) return std::nullopt;
  const NativeRewriting again = rewrite_native_script(script);
  if (!again.error.empty()) return "what was written is refused: " + again.error;
  if (native_script_of(again.text) != script) return "what was written reads as something else";
  return std::nullopt;
}

}  // namespace vramlab::support
