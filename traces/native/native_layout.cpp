#include "traces/native/native_layout.h"

#include <zlib.h>

namespace vramlab::traces {

const char* fault_of(const BinaryStart& start) {
  if (start.magic != magic_of(native::binary_start)) return "a native trace (binary)";
  if (start.version != native::layout_version) return "version 1";
  if (start.event_bytes != sizeof(NativeEvent)) return "events of 64 bytes";
  return start.zero[0] == 0 && start.zero[1] == 0 ? nullptr : "zeros";
}

const char* fault_of(const ChunkStart& chunk, std::uint64_t byte) {
  if (chunk.byte != byte) return "a chunk that says where it is";
  switch (static_cast<ChunkKind>(chunk.kind)) {
    case ChunkKind::lines:
      return chunk.event_count == 0 ? nullptr : "lines without a number of events";
    case ChunkKind::events:
      // Divided, as the product could be too large for its type.
      return chunk.payload_bytes % sizeof(NativeEvent) == 0 &&
                     chunk.payload_bytes / sizeof(NativeEvent) == chunk.event_count
                 ? nullptr
                 : "as many bytes as its events have";
    case ChunkKind::directory:
      return chunk.payload_bytes % sizeof(ChunkStart) == 0 && chunk.event_count == 0
                 ? nullptr
                 : "as many bytes as a directory has";
  }
  return "a kind of chunk that there is";
}

const char* fault_of(const BinaryEnd& end) {
  return end.magic == magic_of(native::binary_end) ? nullptr : "the end of a native trace";
}

std::uint32_t crc32_with(std::uint32_t crc32, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace vramlab::traces
