// Copies and memsets. They take time, and move bytes where bytes are.
#include <cstring>
#include <memory>
#include <vector>

#include "tools/dry_run/driver/driver_call.h"

using namespace vramlab::dry_run;
using vramlab::streams::WorkKind;

namespace {

/// 25 bytes each nanosecond, and what it takes to begin.
constexpr std::uint64_t bytes_per_ns = 25;
constexpr std::uint64_t start_ns = 1'000;

enum class HostWaits : bool { no, yes };

struct Copy {
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t bytes;
};

bool is_ours(StandInDriver& driver, std::uint64_t at) {
  return driver.memory().is_device_address(at) || driver.memory().find(at) != nullptr;
}

/// Whether bytes can be read and written there from the host.
bool has_bytes(StandInDriver& driver, std::uint64_t at) {
  return driver.memory().is_backed() || !driver.memory().is_device_address(at);
}

WorkKind kind_of(bool to_device, bool from_device) {
  if (to_device && from_device) return WorkKind::copy_on_device;
  return to_device ? WorkKind::copy_to_device : WorkKind::copy_to_host;
}

void* pointer(std::uint64_t at) { return reinterpret_cast<void*>(at); }

/// What moves the bytes when the copy ends. From memory that is only the host's they are taken at
/// once.
std::function<void()> mover(StandInDriver& driver, const Copy& copy, bool is_staged) {
  if (!has_bytes(driver, copy.to) || !has_bytes(driver, copy.from)) return {};
  if (!is_staged) return [copy] { std::memmove(pointer(copy.to), pointer(copy.from), copy.bytes); };
  const auto* const first = static_cast<const char*>(pointer(copy.from));
  const auto taken = std::make_shared<std::vector<char>>(first, first + copy.bytes);
  return [copy, taken] { std::memcpy(pointer(copy.to), taken->data(), copy.bytes); };
}

CUresult submit_copy(StandInDriver& driver, const CallSite& site, const Copy& copy,
                     std::pair<CUstream, HostWaits> how) {
  if (copy.bytes == 0) return CUDA_SUCCESS;
  const bool to_ours = is_ours(driver, copy.to);
  const bool from_ours = is_ours(driver, copy.from);
  WorkOrder order;
  order.work.kind = kind_of(to_ours, from_ours);
  order.work.duration = {start_ns + copy.bytes / bytes_per_ns};
  order.work.blocks_host = how.second == HostWaits::yes || !to_ours;
  order.uses.reserve(2);
  if (to_ours) order.uses.push_back({copy.to, copy.bytes, UseMode::writes});
  if (from_ours) order.uses.push_back({copy.from, copy.bytes, UseMode::reads});
  order.body = mover(driver, copy, !from_ours && to_ours);
  return driver.submit(how.first, site, std::move(order));
}

CUresult copy_now(const CallSite& site, const Copy& copy) {
  const auto body = [=](StandInDriver& driver) {
    return submit_copy(driver, site, copy, {nullptr, HostWaits::yes});
  };
  return driver_call(site, body, copy.to, copy.from, copy.bytes);
}

CUresult copy_later(const CallSite& site, const Copy& copy, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return submit_copy(driver, site, copy, {stream, HostWaits::no});
  };
  return driver_call(site, body, copy.to, copy.from, copy.bytes, stream);
}

CUresult on_cuMemcpy(const CallSite& site, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(site, {to, from, bytes});
}
CUresult on_cuMemcpyHtoD_v2(const CallSite& site, CUdeviceptr to, const void* from,
                            std::size_t bytes) {
  return copy_now(site, {to, as_number(from), bytes});
}
CUresult on_cuMemcpyDtoH_v2(const CallSite& site, void* to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(site, {as_number(to), from, bytes});
}
CUresult on_cuMemcpyDtoD_v2(const CallSite& site, CUdeviceptr to, CUdeviceptr from,
                            std::size_t bytes) {
  return copy_now(site, {to, from, bytes});
}
CUresult on_cuMemcpyAsync(const CallSite& site, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                          CUstream stream) {
  return copy_later(site, {to, from, bytes}, stream);
}
CUresult on_cuMemcpyHtoDAsync_v2(const CallSite& site, CUdeviceptr to, const void* from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, {to, as_number(from), bytes}, stream);
}
CUresult on_cuMemcpyDtoHAsync_v2(const CallSite& site, void* to, CUdeviceptr from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, {as_number(to), from, bytes}, stream);
}
CUresult on_cuMemcpyDtoDAsync_v2(const CallSite& site, CUdeviceptr to, CUdeviceptr from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, {to, from, bytes}, stream);
}
CUresult on_cuMemcpyPeerAsync(const CallSite& site, CUdeviceptr to, CUcontext /*to_context*/,
                              CUdeviceptr from, CUcontext /*from_context*/, std::size_t bytes,
                              CUstream stream) {
  return copy_later(site, {to, from, bytes}, stream);
}

template <class Word>
std::function<void()> filler(std::uint64_t at, std::uint64_t count, Word value) {
  return [=] {
    for (std::uint64_t word = 0; word < count; ++word)
      std::memcpy(pointer(at + word * sizeof value), &value, sizeof value);
  };
}

template <class Word>
CUresult set_memory(const CallSite& site, CUdeviceptr at, Word value,
                    std::pair<std::size_t, CUstream> what) {
  const auto body = [=](StandInDriver& driver) {
    const std::uint64_t bytes = what.first * sizeof value;
    WorkOrder order;
    order.work.kind = WorkKind::memset;
    order.work.duration = {start_ns + bytes / bytes_per_ns};
    order.uses.push_back({at, bytes, UseMode::writes});
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

STAND_IN_TWINS(cuMemcpy, _ptds, context, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes), to,
               from, bytes)
STAND_IN_TWINS(cuMemcpyHtoD_v2, _ptds, context,
               (CUdeviceptr to, const void* from, std::size_t bytes), to, from, bytes)
STAND_IN_TWINS(cuMemcpyDtoH_v2, _ptds, context, (void* to, CUdeviceptr from, std::size_t bytes), to,
               from, bytes)
STAND_IN_TWINS(cuMemcpyDtoD_v2, _ptds, context,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes), to, from, bytes)
STAND_IN_TWINS(cuMemcpyAsync, _ptsz, context,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream), to, from,
               bytes, stream)
STAND_IN_TWINS(cuMemcpyHtoDAsync_v2, _ptsz, context,
               (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream), to, from,
               bytes, stream)
STAND_IN_TWINS(cuMemcpyDtoHAsync_v2, _ptsz, context,
               (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream), to, from, bytes,
               stream)
STAND_IN_TWINS(cuMemcpyDtoDAsync_v2, _ptsz, context,
               (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream), to, from,
               bytes, stream)
STAND_IN_TWINS(cuMemcpyPeerAsync, _ptsz, context,
               (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                std::size_t bytes, CUstream stream),
               to, to_context, from, from_context, bytes, stream)
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
