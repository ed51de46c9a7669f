// Reads the memory timeline that torch.profiler exports as JSON (export_memory_timeline): the bytes
// of each kind of memory over time. It has no requests, so nothing can be replayed; its figures are
// what it can tell.
//
// The raw form has a change of one kind at a time, the other one all sums at each moment.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

/// The kinds of memory in the order of PyTorch's profiler.
enum class ProfilerCategory : std::uint8_t {
  parameter,
  optimizer_state,
  input,
  temporary,
  activation,
  gradient,
  autograd_detail,
  unknown,
};
inline constexpr std::size_t category_count = 8;

/// Such as `optimizer state`.
std::string_view category_name(ProfilerCategory kind);

/// Bytes of each kind; a free of memory that nobody saw can make a sum negative.
using KindBytes = std::array<std::int64_t, category_count>;
std::int64_t sum_of(const KindBytes& bytes);

/// The figures of a timeline.
struct MemoryTimeline {
  bool is_raw = false;
  std::uint64_t moment_count = 0;
  std::uint64_t first_us = 0;
  std::uint64_t last_us = 0;
  /// The first moment at which the sum of all kinds is largest.
  std::uint64_t peak_us = 0;
  KindBytes at_peak{};
  /// The most that each kind had, at whichever moment.
  KindBytes most{};
  KindBytes at_end{};
  /// The size of the text, unpacked.
  std::uint64_t text_bytes = 0;
};

/// `file` is the input's name for messages. Throws InputError.
MemoryTimeline read_memory_timeline(ByteSource& source, const std::string& file);

}  // namespace vramlab::traces
