// What holds for the parts of a binary trace wherever they are read from. Each function says what
// is expected instead, or null.
#pragma once

#include "traces/native/native_layout.h"

namespace vramlab::traces {

const char* fault_of(const BinaryStart& start);
/// Of a chunk that was found at this byte.
const char* fault_of(const ChunkStart& chunk, std::uint64_t byte);
const char* fault_of(const BinaryEnd& end);

/// The checksum of bytes that come after those that `crc32` is of.
std::uint32_t crc32_with(std::uint32_t crc32, std::string_view bytes);

}  // namespace vramlab::traces
