#include "streams/live/live_device.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

using allocator::MemoryInfo;

LiveDevice::LiveDevice(const CudaDriver& driver, LiveOptions options)
    : session_(driver, options.device, std::move(options.timing)),
      memory_(session_, options.memory_limit),
      streams_(session_, options.streams),
      events_(session_) {}

LiveDevice::~LiveDevice() {
  try {
    const auto scope = session_.enter();
    events_.destroy_all();
    memory_.give_everything_back();
    streams_.destroy_all();
  } catch (const DeviceError&) {
    // Without a context nothing is left to give back: it took everything with it.
  }
}

/// The driver does not promise to wait. Waiting would end a capture that is under way, so where one
/// may be, only the driver's own waiting happens, on which PyTorch relies as well.
void LiveDevice::release(Address at) {
  const auto scope = session_.enter();
  if (!streams_.may_be_capturing())
    session_.require(DriverCallKind::context_synchronize, {},
                     [this] { return session_.driver().context_synchronize(); });
  memory_.release(at);
}

void LiveDevice::wait_for_stream(StreamId stream) {
  const auto scope = session_.enter();
  const CUstream handle = streams_.handle_of(stream);
  session_.require(DriverCallKind::stream_synchronize, {},
                   [&] { return session_.driver().stream_synchronize(handle); });
}

/// A capture that is invalid lasts until it is ended, without nodes.
std::optional<StreamCapture> LiveDevice::capture_now(StreamId stream) const {
  const auto scope = session_.enter();
  const CUstream handle = streams_.handle_of(stream);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  const CUresult result = session_.run(DriverCallKind::capture_info, {}, [&] {
    return session_.driver().stream_capture_info(handle, &status, &id, &graph, &nodes, &count);
  });
  // The legacy stream itself takes part in no capture.
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return std::nullopt;
  if (result != CUDA_SUCCESS) session_.fail("cuStreamGetCaptureInfo", result);
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return std::nullopt;
  StreamCapture capture{{id}, {}};
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    for (std::size_t i = 0; i < count; ++i)
      capture.terminals.push_back({reinterpret_cast<std::uint64_t>(nodes[i])});
  return capture;
}

std::vector<GraphNode> LiveDevice::dependencies_of(GraphNode node) {
  const auto scope = session_.enter();
  const auto handle = reinterpret_cast<CUgraphNode>(node.value);
  std::vector<CUgraphNode> found;
  std::size_t count = 0;
  const auto ask = [&](CUgraphNode* into) {
    session_.require(DriverCallKind::node_dependencies, {}, [&] {
      return session_.driver().graph_node_dependencies(handle, into, &count);
    });
  };
  ask(nullptr);
  found.resize(count);
  if (count > 0) ask(found.data());
  std::vector<GraphNode> nodes;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i)
    nodes.push_back({reinterpret_cast<std::uint64_t>(found[i])});
  return nodes;
}

// Memory.

MemoryInfo LiveMemory::driver_info() const {
  std::size_t free = 0;
  std::size_t total = 0;
  session_.require(DriverCallKind::mem_get_info, {},
                   [&] { return session_.driver().mem_get_info(&free, &total); });
  return {Bytes{free}, Bytes{total}};
}

MemoryInfo LiveMemory::info() const {
  if (!limit_) return driver_info();
  const Bytes room = *limit_ - std::min(*limit_, used_);
  return {room - std::min(room, external_), *limit_};
}

bool LiveMemory::is_within_limit(Bytes more) const { return !limit_ || more <= info().free; }

std::optional<Address> LiveMemory::allocate(Bytes size) {
  check(size.count > 0, "an allocation is not empty");
  const Bytes counted = round_up(size, granularity);
  // Rounding a size near the end of all numbers wraps around.
  if (counted < size || !is_within_limit(counted)) return std::nullopt;
  CUdeviceptr at = 0;
  const CUresult result = session_.run(DriverCallKind::mem_alloc, size, [&] {
    return session_.driver().mem_alloc(&at, size.count);
  });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return std::nullopt;
  if (result != CUDA_SUCCESS) session_.fail("cuMemAlloc", result);
  allocations_[at] = {size, counted};
  used_ += counted;
  return Address{at};
}

void LiveMemory::release(Address at) {
  const auto found = allocations_.find(at.value);
  check(found != allocations_.end(), "only what was allocated is released");
  session_.require(DriverCallKind::mem_free, found->second.requested,
                   [&] { return session_.driver().mem_free(at.value); });
  used_ -= found->second.counted;
  allocations_.erase(found);
}

std::optional<Address> LiveMemory::reserve(Bytes size) {
  check(size.count > 0, "a reservation is not empty");
  const Bytes rounded = round_up(size, granularity);
  if (rounded < size) return std::nullopt;
  CUdeviceptr at = 0;
  const CUresult result = session_.run(DriverCallKind::address_reserve, rounded, [&] {
    return session_.driver().address_reserve(&at, rounded.count, 0, 0, 0);
  });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return std::nullopt;
  if (result != CUDA_SUCCESS) session_.fail("cuMemAddressReserve", result);
  reservations_[at] = rounded;
  return Address{at};
}

void LiveMemory::release_reservation(Address at, Bytes size) {
  const auto found = reservations_.find(at.value);
  check(found != reservations_.end() && found->second == round_up(size, granularity),
        "only what was reserved is released, as a whole");
  session_.require(DriverCallKind::address_free, found->second,
                   [&] { return session_.driver().address_free(at.value, found->second.count); });
  reservations_.erase(found);
}

bool LiveMemory::create_and_map(Address at, Bytes size) {
  const CUmemAllocationProp properties = memory_on(session_.device());
  Unit unit{0, size};
  CUresult result = session_.run(DriverCallKind::mem_create, size, [&] {
    return session_.driver().mem_create(&unit.handle, size.count, &properties, 0);
  });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
  if (result != CUDA_SUCCESS) session_.fail("cuMemCreate", result);
  result = session_.run(DriverCallKind::mem_map, size, [&] {
    return session_.driver().mem_map(at.value, size.count, 0, unit.handle, 0);
  });
  if (result != CUDA_SUCCESS) {
    static_cast<void>(session_.driver().mem_release(unit.handle));
    session_.fail("cuMemMap", result);
  }
  units_[at.value] = unit;
  used_ += size;
  return true;
}

void LiveMemory::make_accessible(const UnitRange& range) {
  const CUmemAccessDesc access = access_for(session_.device());
  session_.require(DriverCallKind::mem_set_access, range.size(), [&] {
    return session_.driver().mem_set_access(range.at.value, range.size().count, &access, 1);
  });
}

/// A limited memory creates the units that fit and gives them back, as the simulated one does, and
/// as a GPU does that has no more memory.
bool LiveMemory::map(const UnitRange& range) {
  std::uint64_t mapped = 0;
  try {
    while (mapped < range.count) {
      const Address at = range.at + range.unit * mapped;
      if (!is_within_limit(range.unit) || !create_and_map(at, range.unit)) break;
      ++mapped;
    }
    if (mapped == range.count && mapped > 0) make_accessible(range);
  } catch (const DeviceError&) {
    take_back(range, mapped);
    throw;
  }
  if (mapped == range.count) return true;
  take_back(range, mapped);
  return false;
}

void LiveMemory::unmap_unit(Address at) {
  const auto found = units_.find(at.value);
  check(found != units_.end(), "only whole units that are mapped are unmapped");
  const Unit unit = found->second;
  session_.require(DriverCallKind::mem_unmap, unit.size,
                   [&] { return session_.driver().mem_unmap(at.value, unit.size.count); });
  units_.erase(found);
  used_ -= unit.size;
  session_.require(DriverCallKind::mem_release, unit.size,
                   [&] { return session_.driver().mem_release(unit.handle); });
}

void LiveMemory::unmap(const UnitRange& range) {
  for (std::uint64_t i = 0; i < range.count; ++i) unmap_unit(range.at + range.unit * i);
}

void LiveMemory::take_back(const UnitRange& range, std::uint64_t count) {
  try {
    for (std::uint64_t i = 0; i < count; ++i) unmap_unit(range.at + range.unit * i);
  } catch (const DeviceError&) {
    // The failure that is being undone is reported; this one has the same reason.
  }
}

void LiveMemory::give_everything_back() {
  const CudaDriver& driver = session_.driver();
  for (const auto& [at, unit] : units_) {
    static_cast<void>(driver.mem_unmap(at, unit.size.count));
    static_cast<void>(driver.mem_release(unit.handle));
  }
  for (const auto& [at, size] : reservations_)
    static_cast<void>(driver.address_free(at, size.count));
  for (const auto& [at, allocation] : allocations_) static_cast<void>(driver.mem_free(at));
  units_.clear();
  reservations_.clear();
  allocations_.clear();
  used_ = {};
}

// Streams and events.

CUstream LiveStreams::handle_of(StreamId stream) {
  // The caller made the number from the handle.
  if (names_ == StreamNames::handles) return reinterpret_cast<CUstream>(stream.value);
  const auto found = handles_.find(stream);
  if (found != handles_.end()) return found->second;
  CUstream handle = nullptr;
  if (stream.value != 0 || names_ == StreamNames::made_for_0_too) handle = make();
  handles_[stream] = handle;
  return handle;
}

CUstream LiveStreams::make() {
  CUstream stream = nullptr;
  session_.require(DriverCallKind::stream_create, {}, [&] {
    return session_.driver().stream_create(&stream, CU_STREAM_NON_BLOCKING);
  });
  return stream;
}

bool LiveStreams::may_be_capturing() const {
  if (names_ == StreamNames::handles) return true;
  return std::any_of(handles_.begin(), handles_.end(), [this](const auto& named) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = session_.driver().stream_is_capturing(named.second, &status);
    // The answer for the legacy stream where another stream of the context captures.
    return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
           (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
  });
}

void LiveStreams::destroy_all() {
  for (const auto& [id, handle] : handles_)
    if (handle != nullptr) static_cast<void>(session_.driver().stream_destroy(handle));
  handles_.clear();
}

CUevent LiveEvents::take_idle() {
  CUevent event = nullptr;
  if (!idle_.empty()) {
    event = idle_.back();
    idle_.pop_back();
    return event;
  }
  session_.require(DriverCallKind::event_create, {},
                   [&] { return session_.driver().event_create(&event, CU_EVENT_DISABLE_TIMING); });
  return event;
}

EventId LiveEvents::record(CUstream stream) {
  const CUevent event = take_idle();
  const CUresult result = session_.run(DriverCallKind::event_record, {}, [&] {
    return session_.driver().event_record(event, stream);
  });
  if (result != CUDA_SUCCESS) {
    idle_.push_back(event);
    session_.fail("cuEventRecord", result);
  }
  recorded_[next_] = event;
  return {next_++};
}

CUevent LiveEvents::at(EventId event) const {
  const auto found = recorded_.find(event.value);
  check(found != recorded_.end(), "only an event that was recorded and not forgotten is asked for");
  return found->second;
}

bool LiveEvents::is_complete(EventId event) {
  const CUresult result = session_.run(DriverCallKind::event_query, {},
                                       [&] { return session_.driver().event_query(at(event)); });
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
    session_.fail("cuEventQuery", result);
  return result == CUDA_SUCCESS;
}

void LiveEvents::wait(EventId event) {
  session_.require(DriverCallKind::event_synchronize, {},
                   [&] { return session_.driver().event_synchronize(at(event)); });
}

void LiveEvents::forget(EventId event) {
  idle_.push_back(at(event));
  recorded_.erase(event.value);
}

void LiveEvents::destroy_all() {
  for (const auto& [id, event] : recorded_) idle_.push_back(event);
  recorded_.clear();
  for (const CUevent event : idle_) static_cast<void>(session_.driver().event_destroy(event));
  idle_.clear();
}

}  // namespace vramlab::streams
