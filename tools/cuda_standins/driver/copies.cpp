#include "tools/cuda_standins/driver/copies.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/notes/note_book.h"
#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::dry_run {
namespace {

using streams::WorkKind;

bool is_ours(StandInDriver& driver, std::uint64_t at) {
  return driver.memory().is_device_address(at) || driver.memory().find(at) != nullptr;
}

WorkKind kind_of(bool to_device, bool from_device) {
  if (to_device && from_device) return WorkKind::copy_on_device;
  return to_device ? WorkKind::copy_to_device : WorkKind::copy_to_host;
}

std::uint64_t bytes_of(const Copy& copy) { return copy.row_bytes * copy.rows * copy.slices; }

/// The bytes from the first to the last.
std::uint64_t extent(const CopySide& side, const Copy& copy) {
  return (copy.slices - 1) * side.slice_pitch + (copy.rows - 1) * side.row_pitch + copy.row_bytes;
}

/// Whether the numbers of a shape are those of a copy that some memory could hold. A wider row
/// than its pitch is none.
bool is_sane(const CopySide& side, const Copy& copy) {
  constexpr double most_extent = double{1ULL << 48};
  const auto product = [](std::uint64_t count, std::uint64_t pitch) {
    return static_cast<double>(count) * static_cast<double>(pitch);
  };
  if (copy.rows > 1 && copy.row_bytes > side.row_pitch) return false;
  return product(copy.slices - 1, side.slice_pitch) + product(copy.rows - 1, side.row_pitch) +
             static_cast<double>(copy.row_bytes) <
         most_extent;
}

/// The reason for which CUDA refuses a range that work is to use; empty where it does not. The
/// bounds of the host's own memory are unknown.
std::string flaw_of_range(StandInDriver& driver, std::uint64_t at, std::uint64_t bytes) {
  if (at == 0) return "at a null pointer";
  const Allocation* const found = driver.memory().find(at);
  const bool is_of_device = driver.memory().is_device_address(at) ||
                            (found != nullptr && found->kind == MemoryKind::managed);
  if (!is_of_device) return {};
  const std::uint64_t there = driver.memory().bytes_there(at, bytes);
  if (there == bytes) return {};
  if (there == 0) return "where nothing is allocated";
  return std::to_string(bytes - there) + " past the end of the memory there";
}

/// The same for a memset, which only reaches memory that CUDA knows.
std::string flaw_of_set(StandInDriver& driver, std::uint64_t at, std::uint64_t bytes) {
  if (at != 0 && !is_ours(driver, at)) return "where nothing is allocated";
  return flaw_of_range(driver, at, bytes);
}

/// CUDA's name of a function, without the variants of its symbol.
std::string plain_name(std::string_view symbol) {
  for (const std::string_view suffix : {"_ptds", "_ptsz", "_v2"})
    if (symbol.ends_with(suffix)) symbol.remove_suffix(suffix.size());
  return std::string(symbol);
}

/// Outside of the driver's lock, as a hook tells the place. A program may do it in a loop with
/// ever other numbers.
void note_out_of_bounds(const CallSite& site, std::uint64_t bytes, const std::string& flaw) {
  static std::atomic<int> left = 100;
  std::string subject = plain_name(site.name);
  if (left > 0) {
    --left;
    subject += " of " + std::to_string(bytes) + " bytes, " + flaw;
  }
  vramlab_dry_run_note("out_of_bounds", subject.c_str());
}

template <class Use>
void for_each_row(const Copy& copy, const Use& use) {
  for (std::uint64_t slice = 0; slice < copy.slices; ++slice)
    for (std::uint64_t row = 0; row < copy.rows; ++row)
      use(copy.to.at + slice * copy.to.slice_pitch + row * copy.to.row_pitch,
          copy.from.at + slice * copy.from.slice_pitch + row * copy.from.row_pitch);
}

void move_rows(const Copy& copy) {
  for_each_row(copy, [&](std::uint64_t to, std::uint64_t from) {
    std::memmove(pointer_to(to), pointer_to(from), copy.row_bytes);
  });
}

/// The bytes of memory that is only the host's are taken at once.
std::function<void()> staged_mover(const Copy& copy) {
  const auto* const first = static_cast<const char*>(pointer_to(copy.from.at));
  const auto taken = std::make_shared<std::vector<char>>(first, first + extent(copy.from, copy));
  return [copy, taken] {
    Copy staged = copy;
    staged.from.at = as_number(taken->data());
    move_rows(staged);
  };
}

/// Device memory without bytes takes everything, and small copies are remembered.
void keep_rows(StandInDriver& driver, const Copy& copy) {
  const bool from_host = has_bytes(driver, copy.from.at);
  for_each_row(copy, [&](std::uint64_t to, std::uint64_t from) {
    driver.host_values().truths().carry(to, from, copy.row_bytes);
    if (from_host)
      driver.remembered().remember(to, pointer_to(from), copy.row_bytes);
    else
      driver.remembered().carry(to, from, copy.row_bytes);
  });
}

/// Bytes of the host that come from an address of the device.
struct Row {
  std::span<char> bytes;
  std::uint64_t from = 0;
};
using Rows = std::vector<Row>;

/// From such memory the host gets remembered bytes, or made-up values. Returns the rows of the
/// latter.
Rows make_up_rows(StandInDriver& driver, const Copy& copy) {
  Rows made_up;
  for_each_row(copy, [&](std::uint64_t to, std::uint64_t from) {
    if (driver.remembered().read(pointer_to(to), from, copy.row_bytes)) return;
    if (driver.host_values().fill(pointer_to(to), copy.row_bytes)) return;
    made_up.push_back({{static_cast<char*>(pointer_to(to)), copy.row_bytes}, from});
  });
  return made_up;
}

struct Moving {
  std::function<void()> body;
  Rows made_up;
};

/// The action that moves bytes when the copy ends. From memory without bytes the host gets its
/// values at once, and finds them after it waited for the copy.
Moving mover(StandInDriver& driver, const Copy& copy, bool is_staged) {
  if (!has_bytes(driver, copy.to.at)) {
    keep_rows(driver, copy);
    return {};
  }
  if (has_bytes(driver, copy.from.at)) {
    if (is_staged) return {.body = staged_mover(copy), .made_up = {}};
    return {.body = [copy] { move_rows(copy); }, .made_up = {}};
  }
  return {.body = {}, .made_up = make_up_rows(driver, copy)};
}

/// A copy that returns when it is done is refused in a capture, like a wait for its stream.
CUresult check_capture(StandInDriver& driver, const CallSite& site, const CopyWay& way) {
  if (way.waits == HostWaits::no) return CUDA_SUCCESS;
  const auto found = driver.find_stream(way.stream, site);
  const auto* const stream = std::get_if<vramlab::streams::StreamAt>(&found);
  if (stream == nullptr || !driver.timed().capture_of(*stream)) return CUDA_SUCCESS;
  return result_of(driver.timed().query_stream(*stream));
}

struct Submitted {
  CUresult result = CUDA_SUCCESS;
  Rows made_up;
};

Submitted submit_copy(StandInDriver& driver, const CallSite& site, const Copy& copy,
                      const CopyWay& way) {
  const bool to_ours = is_ours(driver, copy.to.at);
  const bool from_ours = is_ours(driver, copy.from.at);
  WorkOrder order;
  order.work.kind = kind_of(to_ours, from_ours);
  order.work.duration = {copy_start_ns + bytes_of(copy) / copied_bytes_per_ns};
  order.work.blocks_host = way.waits == HostWaits::yes || !to_ours;
  order.uses.reserve(2);
  if (to_ours) order.uses.push_back({copy.to.at, extent(copy.to, copy), UseMode::writes});
  if (from_ours) order.uses.push_back({copy.from.at, extent(copy.from, copy), UseMode::reads});
  Moving moving = mover(driver, copy, to_ours && !from_ours);
  order.body = std::move(moving.body);
  return {driver.submit(way.stream, site, std::move(order)), std::move(moving.made_up)};
}

}  // namespace

bool has_bytes(StandInDriver& driver, std::uint64_t at) {
  return driver.memory().is_backed() || !driver.memory().is_device_address(at);
}

CUresult call_copy(const CallSite& site, const Copy& copy, const CopyWay& way) {
  if (copy.row_bytes == 0 || copy.rows == 0 || copy.slices == 0)
    return driver_call(
        site, [](StandInDriver&) { return CUDA_SUCCESS; }, copy.to.at, copy.from.at, 0, way.stream);
  if (!is_sane(copy.to, copy) || !is_sane(copy.from, copy)) return CUDA_ERROR_INVALID_VALUE;
  Rows made_up;
  std::string flaw;
  const auto body = [&](StandInDriver& driver) {
    if (const CUresult refused = check_capture(driver, site, way); refused != CUDA_SUCCESS)
      return refused;
    flaw = flaw_of_range(driver, copy.to.at, extent(copy.to, copy));
    if (flaw.empty()) flaw = flaw_of_range(driver, copy.from.at, extent(copy.from, copy));
    if (!flaw.empty()) return CUDA_ERROR_INVALID_VALUE;
    Submitted submitted = submit_copy(driver, site, copy, way);
    if (submitted.result == CUDA_SUCCESS) made_up = std::move(submitted.made_up);
    return submitted.result;
  };
  const CUresult result =
      driver_call(site, body, copy.to.at, copy.from.at, bytes_of(copy), way.stream);
  if (!flaw.empty()) note_out_of_bounds(site, bytes_of(copy), flaw);
  // Outside of the driver's lock: the hook that tells the place may wait for a thread that waits
  // for this lock.
  bool is_known = true;
  for (const Row& row : made_up)
    is_known = fill_with_own_values(row.bytes.data(), row.bytes.size(), row.from) && is_known;
  if (!is_known) vramlab_dry_run_note("host_read", "copy to the host");
  return result;
}

}  // namespace vramlab::dry_run

// Copies of bytes in a row.

using namespace vramlab::dry_run;

namespace {

CUresult copy_now(const CallSite& site, const Copy& copy) {
  return call_copy(site, copy, {nullptr, HostWaits::yes});
}

CUresult copy_later(const CallSite& site, const Copy& copy, CUstream stream) {
  return call_copy(site, copy, {stream, HostWaits::no});
}

CUresult on_cuMemcpy(const CallSite& site, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(site, plain_copy(to, from, bytes));
}
CUresult on_cuMemcpyHtoD_v2(const CallSite& site, CUdeviceptr to, const void* from,
                            std::size_t bytes) {
  return copy_now(site, plain_copy(to, as_number(from), bytes));
}
CUresult on_cuMemcpyDtoH_v2(const CallSite& site, void* to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(site, plain_copy(as_number(to), from, bytes));
}
CUresult on_cuMemcpyDtoD_v2(const CallSite& site, CUdeviceptr to, CUdeviceptr from,
                            std::size_t bytes) {
  return copy_now(site, plain_copy(to, from, bytes));
}
CUresult on_cuMemcpyAsync(const CallSite& site, CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                          CUstream stream) {
  return copy_later(site, plain_copy(to, from, bytes), stream);
}
CUresult on_cuMemcpyHtoDAsync_v2(const CallSite& site, CUdeviceptr to, const void* from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, plain_copy(to, as_number(from), bytes), stream);
}
CUresult on_cuMemcpyDtoHAsync_v2(const CallSite& site, void* to, CUdeviceptr from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, plain_copy(as_number(to), from, bytes), stream);
}
CUresult on_cuMemcpyDtoDAsync_v2(const CallSite& site, CUdeviceptr to, CUdeviceptr from,
                                 std::size_t bytes, CUstream stream) {
  return copy_later(site, plain_copy(to, from, bytes), stream);
}
CUresult on_cuMemcpyPeerAsync(const CallSite& site, CUdeviceptr to, CUcontext /*to_context*/,
                              CUdeviceptr from, CUcontext /*from_context*/, std::size_t bytes,
                              CUstream stream) {
  return copy_later(site, plain_copy(to, from, bytes), stream);
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

// Copies of rows and of boxes, and between devices.

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

// Memsets. They take time, and write bytes where bytes are.

using vramlab::streams::WorkKind;

namespace {

template <class Word>
std::function<void()> filler(std::uint64_t at, std::uint64_t count, Word value) {
  return [=] {
    for (std::uint64_t word = 0; word < count; ++word)
      std::memcpy(pointer_to(at + word * sizeof value), &value, sizeof value);
  };
}

/// Known from now on, unless the memset is captured and so done later.
template <class Word>
void remember_set(StandInDriver& driver, std::uint64_t at, Word value, std::uint64_t bytes,
                  const std::variant<vramlab::streams::StreamAt, CUresult>& where) {
  driver.remembered().forget(at, bytes);
  const auto* const stream = std::get_if<vramlab::streams::StreamAt>(&where);
  if (stream == nullptr || driver.timed().capture_of(*stream)) return;
  std::vector<char> repeated(sizeof value);
  std::memcpy(repeated.data(), &value, sizeof value);
  driver.remembered().remember_repeated(at, std::move(repeated), bytes);
}

struct SetWay {
  std::size_t count = 0;
  CUstream stream = nullptr;
  HostWaits waits = HostWaits::no;
};

/// True of pinned and of managed memory, for whose memsets the host waits as CUDA documents.
bool is_of_host(StandInDriver& driver, std::uint64_t at) {
  const Allocation* const found = driver.memory().find(at);
  return !driver.memory().is_device_address(at) ||
         (found != nullptr && found->kind == MemoryKind::managed);
}

template <class Word>
CUresult submit_set(StandInDriver& driver, const CallSite& site, CUdeviceptr at, Word value,
                    const SetWay& what) {
  const std::uint64_t bytes = what.count * sizeof value;
  WorkOrder order;
  order.work.kind = WorkKind::memset;
  order.work.blocks_host = what.waits == HostWaits::yes && is_of_host(driver, at);
  order.work.duration = {copy_start_ns + bytes / copied_bytes_per_ns};
  order.uses.push_back({at, bytes, UseMode::writes});
  remember_set(driver, at, value, bytes, driver.find_stream(what.stream, site));
  driver.host_values().set_answer({});
  driver.host_values().truths().forget(at, bytes);
  if (has_bytes(driver, at)) order.body = filler(at, what.count, value);
  return driver.submit(what.stream, site, std::move(order));
}

template <class Word>
CUresult set_memory(const CallSite& site, CUdeviceptr at, Word value, const SetWay& what) {
  if (what.count > DeviceMemory::most_bytes / sizeof value) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t bytes = what.count * sizeof value;
  std::string flaw;
  const auto body = [&](StandInDriver& driver) {
    if (bytes == 0) return CUDA_SUCCESS;
    flaw = flaw_of_set(driver, at, bytes);
    return flaw.empty() ? submit_set(driver, site, at, value, what) : CUDA_ERROR_INVALID_VALUE;
  };
  const CUresult result = driver_call(site, body, at, value, what.count, what.stream);
  if (!flaw.empty()) note_out_of_bounds(site, bytes, flaw);
  return result;
}

CUresult on_cuMemsetD8_v2(const CallSite& site, CUdeviceptr at, unsigned char value,
                          std::size_t count) {
  return set_memory(site, at, value, {count, nullptr, HostWaits::yes});
}
CUresult on_cuMemsetD32_v2(const CallSite& site, CUdeviceptr at, unsigned value,
                           std::size_t count) {
  return set_memory(site, at, value, {count, nullptr, HostWaits::yes});
}
CUresult on_cuMemsetD8Async(const CallSite& site, CUdeviceptr at, unsigned char value,
                            std::size_t count, CUstream stream) {
  return set_memory(site, at, value, {count, stream, HostWaits::no});
}
CUresult on_cuMemsetD32Async(const CallSite& site, CUdeviceptr at, unsigned value,
                             std::size_t count, CUstream stream) {
  return set_memory(site, at, value, {count, stream, HostWaits::no});
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
