#include "tools/preload/segments/segment_growth.h"

#include "tools/preload/segments/fence_recorder.h"

namespace vramlab::shim {

using allocator::Address;
using allocator::Bytes;
using allocator::DeviceError;
using allocator::UnitRange;

/// Without the lock; no capture begins meanwhile.
template <class Work>
CUresult SegmentGrowth::outside_of_captures(const Work& work) {
  CUresult result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  supply_.lock().step_outside([&] {
    CaptureGate& gate = supply_.context().gate();
    if (!gate.try_enter()) return;
    result = work(supply_.mapped());
    gate.leave();
  });
  return result;
}

std::optional<Address> SegmentGrowth::reserve(Bytes size) {
  Address at;
  const CUresult result =
      outside_of_captures([&](ExpandableMemory& memory) { return memory.reserve(&at, size); });
  if (!has_succeeded(result)) return std::nullopt;
  supply_.note(at, size);
  return at;
}

bool SegmentGrowth::map(const UnitRange& range) {
  // The addresses may still have the memory that the cache gave back.
  const bool is_going = supply_.is_going(range);
  return has_succeeded(outside_of_captures([&](ExpandableMemory& memory) {
    if (is_going) supply_.give_back();
    const CUresult result = memory.map(range);
    if (result != CUDA_ERROR_OUT_OF_MEMORY) return result;
    supply_.give_back();
    return memory.map(range);
  }));
}

bool SegmentGrowth::has_succeeded(CUresult result) {
  const ContextRecord& context = supply_.context();
  if (context.is_gone()) throw DeviceError("the context is gone");
  if (result == CUDA_SUCCESS) return true;
  Call& call = supply_.lock().call();
  if (is_capture_error(result)) {
    call.is_for_driver = true;
    throw DeviceError("nothing is mapped while a capture is open");
  }
  if (is_lasting(result)) {
    call.refusal = result;
    throw DeviceError(streams::driver_error_name(context.driver(), result));
  }
  call.refusal = CUDA_ERROR_OUT_OF_MEMORY;
  supply_.climb();
  return false;
}

}  // namespace vramlab::shim
