// Memsets. They take time, and write bytes where bytes are.
#include <cstring>

#include "tools/cuda_standins/driver/copy_work.h"

using namespace vramlab::dry_run;
using vramlab::streams::WorkKind;

namespace {

template <class Word>
std::function<void()> filler(std::uint64_t at, std::uint64_t count, Word value) {
  return [=] {
    for (std::uint64_t word = 0; word < count; ++word)
      std::memcpy(pointer_to(at + word * sizeof value), &value, sizeof value);
  };
}

template <class Word>
CUresult set_memory(const CallSite& site, CUdeviceptr at, Word value,
                    std::pair<std::size_t, CUstream> what) {
  const auto body = [=](StandInDriver& driver) {
    const std::uint64_t bytes = what.first * sizeof value;
    WorkOrder order;
    order.work.kind = WorkKind::memset;
    order.work.duration = {copy_start_ns + bytes / copied_bytes_per_ns};
    order.uses.push_back({at, bytes, UseMode::writes});
    driver.remembered().forget(at, bytes);
    driver.host_values().set_answer({});
    driver.host_values().truths().forget(at, bytes);
    if (has_bytes(driver, at)) order.body = filler(at, what.first, value);
    return driver.submit(what.second, site, std::move(order));
  };
  return driver_call(site, body, at, value, what.first, what.second);
}

CUresult on_cuMemsetD8_v2(const CallSite& site, CUdeviceptr at, unsigned char value,
                          std::size_t count) {
  return set_memory(site, at, value, {count, nullptr});
}
CUresult on_cuMemsetD32_v2(const CallSite& site, CUdeviceptr at, unsigned value,
                           std::size_t count) {
  return set_memory(site, at, value, {count, nullptr});
}
CUresult on_cuMemsetD8Async(const CallSite& site, CUdeviceptr at, unsigned char value,
                            std::size_t count, CUstream stream) {
  return set_memory(site, at, value, {count, stream});
}
CUresult on_cuMemsetD32Async(const CallSite& site, CUdeviceptr at, unsigned value,
                             std::size_t count, CUstream stream) {
  return set_memory(site, at, value, {count, stream});
}

}  // namespace

STAND_IN_TWINS(cuMemsetD8_v2, _ptds, context,
               (CUdeviceptr at, unsigned char value, std::size_t count), at, value, count)
STAND_IN_TWINS(cuMemsetD32_v2, _ptds, context, (CUdeviceptr at, unsigned value, std::size_t count),
               at, value, count)
STAND_IN_TWINS(cuMemsetD8Async, _ptsz, context,
               (CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream), at, value,
               count, stream)
STAND_IN_TWINS(cuMemsetD32Async, _ptsz, context,
               (CUdeviceptr at, unsigned value, std::size_t count, CUstream stream), at, value,
               count, stream)
