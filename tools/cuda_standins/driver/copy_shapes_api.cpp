// Copies of rows and of boxes, and between devices.
#include "tools/cuda_standins/driver/copy_work.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

/// Memory of an array has no address for programs; here it is packed.
std::uint64_t side_base(unsigned type, const void* host, CUdeviceptr device, CUarray array) {
  constexpr unsigned array_type = 3;
  if (type == CU_MEMORYTYPE_HOST) return as_number(host);
  if (type != array_type) return device;
  return the_driver().look([&](StandInDriver& driver) {
    const auto found = driver.arrays().find(value_of(array));
    return found == driver.arrays().end() ? std::uint64_t{0} : found->second;
  });
}

std::uint64_t pitch_or(std::uint64_t pitch, std::uint64_t otherwise) {
  return pitch == 0 ? otherwise : pitch;
}

Copy copy_of(const CUDA_MEMCPY2D& wish) {
  const std::uint64_t from_pitch = pitch_or(wish.srcPitch, wish.WidthInBytes);
  const std::uint64_t to_pitch = pitch_or(wish.dstPitch, wish.WidthInBytes);
  const std::uint64_t from =
      side_base(wish.srcMemoryType, wish.srcHost, wish.srcDevice, wish.srcArray);
  const std::uint64_t to =
      side_base(wish.dstMemoryType, wish.dstHost, wish.dstDevice, wish.dstArray);
  return {.to = {to + wish.dstY * to_pitch + wish.dstXInBytes, to_pitch},
          .from = {from + wish.srcY * from_pitch + wish.srcXInBytes, from_pitch},
          .row_bytes = wish.WidthInBytes,
          .rows = wish.Height};
}

Copy copy_of(const CUDA_MEMCPY3D& wish) {
  const std::uint64_t from_pitch = pitch_or(wish.srcPitch, wish.WidthInBytes);
  const std::uint64_t to_pitch = pitch_or(wish.dstPitch, wish.WidthInBytes);
  const std::uint64_t from_slice = from_pitch * pitch_or(wish.srcHeight, wish.Height);
  const std::uint64_t to_slice = to_pitch * pitch_or(wish.dstHeight, wish.Height);
  const std::uint64_t from =
      side_base(wish.srcMemoryType, wish.srcHost, wish.srcDevice, wish.srcArray) +
      wish.srcZ * from_slice + wish.srcY * from_pitch + wish.srcXInBytes;
  const std::uint64_t to =
      side_base(wish.dstMemoryType, wish.dstHost, wish.dstDevice, wish.dstArray) +
      wish.dstZ * to_slice + wish.dstY * to_pitch + wish.dstXInBytes;
  return {.to = {to, to_pitch, to_slice},
          .from = {from, from_pitch, from_slice},
          .row_bytes = wish.WidthInBytes,
          .rows = wish.Height,
          .slices = wish.Depth};
}

template <class Wish>
CUresult call_shape(const CallSite& site, const Wish* wish, const CopyWay& way) {
  if (wish == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return call_copy(site, copy_of(*wish), way);
}

constexpr CopyWay now{nullptr, HostWaits::yes};

CUresult on_cuMemcpy2D_v2(const CallSite& site, const CUDA_MEMCPY2D* wish) {
  return call_shape(site, wish, now);
}
CUresult on_cuMemcpy2DUnaligned_v2(const CallSite& site, const CUDA_MEMCPY2D* wish) {
  return call_shape(site, wish, now);
}
CUresult on_cuMemcpy2DAsync_v2(const CallSite& site, const CUDA_MEMCPY2D* wish, CUstream stream) {
  return call_shape(site, wish, {stream, HostWaits::no});
}
CUresult on_cuMemcpy3D_v2(const CallSite& site, const CUDA_MEMCPY3D* wish) {
  return call_shape(site, wish, now);
}
CUresult on_cuMemcpy3DAsync_v2(const CallSite& site, const CUDA_MEMCPY3D* wish, CUstream stream) {
  return call_shape(site, wish, {stream, HostWaits::no});
}
CUresult on_cuMemcpy3DPeer(const CallSite& site, const CUDA_MEMCPY3D* wish) {
  return call_shape(site, wish, now);
}
CUresult on_cuMemcpy3DPeerAsync(const CallSite& site, const CUDA_MEMCPY3D* wish, CUstream stream) {
  return call_shape(site, wish, {stream, HostWaits::no});
}
CUresult on_cuMemcpyPeer(const CallSite& site, CUdeviceptr to, CUcontext /*to_context*/,
                         CUdeviceptr from, CUcontext /*from_context*/, std::size_t bytes) {
  return call_copy(site, plain_copy(to, from, bytes), now);
}

}  // namespace

STAND_IN_TWINS(cuMemcpy2D_v2, _ptds, context, (const CUDA_MEMCPY2D* wish), wish)
STAND_IN_TWINS(cuMemcpy2DUnaligned_v2, _ptds, context, (const CUDA_MEMCPY2D* wish), wish)
STAND_IN_TWINS(cuMemcpy2DAsync_v2, _ptsz, context, (const CUDA_MEMCPY2D* wish, CUstream stream),
               wish, stream)
STAND_IN_TWINS(cuMemcpy3D_v2, _ptds, context, (const CUDA_MEMCPY3D* wish), wish)
STAND_IN_TWINS(cuMemcpy3DAsync_v2, _ptsz, context, (const CUDA_MEMCPY3D* wish, CUstream stream),
               wish, stream)
STAND_IN_TWINS(cuMemcpy3DPeer, _ptds, context, (const CUDA_MEMCPY3D* wish), wish)
STAND_IN_TWINS(cuMemcpy3DPeerAsync, _ptsz, context, (const CUDA_MEMCPY3D* wish, CUstream stream),
               wish, stream)
STAND_IN_TWINS(cuMemcpyPeer, _ptds, context,
               (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                std::size_t bytes),
               to, to_context, from, from_context, bytes)
