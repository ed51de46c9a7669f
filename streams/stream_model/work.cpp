#include "streams/stream_model/work.h"

#include <array>

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

constexpr std::array<std::string_view, 17> names = {
    "cudaSuccess",
    "cudaErrorNotReady",
    "cudaErrorInvalidValue",
    "cudaErrorInvalidResourceHandle",
    "cudaErrorIllegalState",
    "cudaErrorMemoryAllocation",
    "cudaErrorStreamCaptureUnsupported",
    "cudaErrorStreamCaptureInvalidated",
    "cudaErrorStreamCaptureMerge",
    "cudaErrorStreamCaptureUnmatched",
    "cudaErrorStreamCaptureUnjoined",
    "cudaErrorStreamCaptureIsolation",
    "cudaErrorStreamCaptureImplicit",
    "cudaErrorStreamCaptureWrongThread",
    "cudaErrorCapturedEvent",
    "cudaErrorIllegalAddress",
    "cudaErrorLaunchFailure",
};

}  // namespace

std::string_view cuda_status_name(CudaStatus status) {
  const auto index = static_cast<std::size_t>(status);
  check(index < names.size(), "every status has a name");
  return names[index];
}

bool is_sticky(CudaStatus status) {
  return status == CudaStatus::illegal_address || status == CudaStatus::launch_failure;
}

}  // namespace vramlab::streams
