// CudaStatus: what a call of CUDA would have answered.
#pragma once

#include <cstdint>
#include <string_view>

namespace vramlab::streams {

enum class CudaStatus : std::uint8_t {
  success,
  not_ready,
  invalid_value,
  invalid_resource_handle,
  illegal_state,
  memory_allocation,
  stream_capture_unsupported,
  stream_capture_invalidated,
  stream_capture_merge,
  stream_capture_unmatched,
  stream_capture_unjoined,
  stream_capture_isolation,
  stream_capture_implicit,
  stream_capture_wrong_thread,
  captured_event,
  illegal_address,
  launch_failure,
};

/// Such as `cudaErrorNotReady`.
std::string_view cuda_status_name(CudaStatus status);
/// The context is lost: every later call answers the same.
bool is_sticky(CudaStatus status);

}  // namespace vramlab::streams
