#include "traces/native/native_text.h"

#include <algorithm>

#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

bool skip(std::string_view& bytes, std::string_view word) {
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  if (!bytes.starts_with(word)) return false;
  bytes.remove_prefix(word.size());
  return true;
}

}  // namespace

bool begins_like_native_text(std::string_view bytes) {
  return skip(bytes, "{") && skip(bytes, "\"format\"") && skip(bytes, ":") && skip(bytes, "\"") &&
         bytes.starts_with(native::format_name);
}

std::uint64_t read_native_text(ByteSource& source, const std::string& file, SnapshotTables& tables,
                               NativeSinks sinks) {
  JsonLines json({source, file, JsonInput::LineEnds::count}, tables.texts);
  NativeRecordReader reader(tables, sinks);
  json.skip_blank_lines();
  reader.read_lines(json);
  reader.finish(json);
  return json.window().bytes_taken();
}

}  // namespace vramlab::traces
