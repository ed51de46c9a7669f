// Copies of any shape, as work on a stream.
#pragma once

#include <cstdint>

#include "tools/cuda_standins/driver/driver_call.h"

namespace vramlab::dry_run {

/// The model of a copy's time: bytes each nanosecond, after a time to begin.
inline constexpr std::uint64_t copied_bytes_per_ns = 25;
inline constexpr std::uint64_t copy_start_ns = 1'000;

inline void* pointer_to(std::uint64_t at) { return reinterpret_cast<void*>(at); }

/// Whether bytes can be read and written there from the host.
bool has_bytes(StandInDriver& driver, std::uint64_t at);

/// One side of a copy: where its first byte is, and how far apart rows and slices begin.
struct CopySide {
  std::uint64_t at = 0;
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
};

struct Copy {
  CopySide to;
  CopySide from;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t slices = 1;
};

/// A copy of bytes in a row.
inline Copy plain_copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  return {.to = {.at = to}, .from = {.at = from}, .row_bytes = bytes};
}

enum class HostWaits : bool { no, yes };

struct CopyWay {
  CUstream stream = nullptr;
  HostWaits waits = HostWaits::no;
};

/// One call of the driver. A value of the device that reaches the host is noted.
CUresult call_copy(const CallSite& site, const Copy& copy, const CopyWay& way);

}  // namespace vramlab::dry_run
