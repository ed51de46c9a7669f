// MemoryCalls: the implementation behind the driver functions that the preload replaces, which is
// also told of others. The exported functions know only this interface; the caching shim and the
// recorder implement it.
//
// Calls come from any thread, with any context current or none, and from the driver's own threads.
// Results are the driver's: outputs are written on success only, and the driver judges null
// outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "streams/cuda_interface/types.h"

namespace vramlab::preload {

/// The device of the current context, if there is one.
inline constexpr CUdevice current_device = -1;
inline constexpr CUdevice any_device = -2;
/// The most tries: the first gives back idle memory that is complete, the second waits for the
/// rest.
inline constexpr int most_tries_with_room = 2;

/// The stream that the handle 0 means in this call.
enum class DefaultStream : bool { legacy, per_thread };

/// A context that may be gone: another one may have its handle by now, but never its number.
struct NamedContext {
  CUcontext handle = nullptr;
  /// The driver's number (`cuCtxGetId`); 0 if it is not known.
  unsigned long long id = 0;
};

struct StreamHandle {
  CUstream stream = nullptr;
  DefaultStream if_null = DefaultStream::legacy;
  /// The driver's own handles for the two default streams in place of 0.
  CUstream explicit_handle() const {
    if (stream != nullptr) return stream;
    return if_null == DefaultStream::per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  }
};

/// The kinds of memory that a program can get from the driver besides `mem_alloc`.
enum class MemoryKind : std::uint8_t {
  /// Memory as from `mem_alloc`; pitched memory too.
  device,
  stream_ordered,
  managed,
  host,
  registered_host,
  array,
  /// Memory without an address, from `cuMemCreate`.
  physical,
  /// As physical, but not of a device's memory: another process's memory, or a multicast object.
  foreign_handle,
  graph,
  /// Another process's.
  imported,
};

struct NewMemory {
  MemoryKind kind = MemoryKind::device;
  /// The driver's function.
  const char* function = nullptr;
  /// An address, or the handle of memory without one.
  std::uint64_t at = 0;
  std::size_t bytes = 0;
  /// Only stream-ordered memory has one.
  StreamHandle stream{};
  /// The device of physical memory; below 0, that of the current context.
  int device = -1;
};

class MemoryCalls {
 public:
  MemoryCalls() = default;
  MemoryCalls(const MemoryCalls&) = delete;
  MemoryCalls& operator=(const MemoryCalls&) = delete;
  virtual ~MemoryCalls() = default;

  /// The driver had no memory for a call on this device: gives back idle memory of it. False:
  /// nothing more is idle.
  virtual bool make_room(CUdevice /*device*/) { return false; }

  /// Registers a callback that is called when no cached block of the device fits, before the driver
  /// is asked; it says whether it freed something. False: this implementation caches nothing.
  virtual bool add_free_memory_callback(CUdevice /*device*/, std::function<bool()> /*callback*/) {
    return false;
  }

  // Replaced functions: the program gets this answer.
  virtual CUresult mem_alloc(CUdeviceptr* at, std::size_t bytes) = 0;
  virtual CUresult mem_free(CUdeviceptr at) = 0;
  virtual CUresult mem_free_async(CUdeviceptr at, StreamHandle stream) = 0;
  // The same if they give an answer; else the driver answers.
  virtual std::optional<CUresult> mem_get_info(std::size_t* /*free*/, std::size_t* /*total*/) {
    return std::nullopt;
  }
  virtual std::optional<CUresult> mem_get_address_range(CUdeviceptr* /*base*/,
                                                        std::size_t* /*bytes*/,
                                                        CUdeviceptr /*at*/) {
    return std::nullopt;
  }
  virtual std::optional<CUresult> pointer_get_attribute(void* /*into*/,
                                                        CUpointer_attribute /*attribute*/,
                                                        CUdeviceptr /*at*/) {
    return std::nullopt;
  }
  virtual std::optional<CUresult> pointer_get_attributes(unsigned /*count*/,
                                                         CUpointer_attribute* /*attributes*/,
                                                         void** /*into*/, CUdeviceptr /*at*/) {
    return std::nullopt;
  }
  virtual std::optional<CUresult> ipc_get_mem_handle(CUipcMemHandle* /*handle*/,
                                                     CUdeviceptr /*at*/) {
    return std::nullopt;
  }
  virtual std::optional<CUresult> handle_for_address_range(void* /*handle*/, CUdeviceptr /*at*/,
                                                           std::size_t /*bytes*/,
                                                           CUmemRangeHandleType /*type*/,
                                                           unsigned long long /*flags*/) {
    return std::nullopt;
  }
  virtual std::optional<CUresult> pointer_set_attribute(const void* /*value*/,
                                                        CUpointer_attribute /*attribute*/,
                                                        CUdeviceptr /*at*/) {
    return std::nullopt;
  }

  // The others only tell, after the driver's call succeeded or, where the name says so, before it.
  // An implementation overrides those that it needs. The context is the given one; null for the
  // current one.
  virtual void stream_created(CUstream /*stream*/, unsigned /*flags*/, CUcontext /*context*/) {}
  /// The stream's pending work cannot be asked about afterwards.
  virtual void before_stream_destroyed(CUstream /*stream*/) {}
  virtual void before_capture_begins(StreamHandle /*stream*/) {}
  /// Tells whether the capture began.
  virtual void capture_began(StreamHandle /*stream*/, bool /*succeeded*/) {}
  /// Called even if ending it failed, which may have left it open.
  virtual void capture_ended(StreamHandle /*stream*/) {}
  /// The context's memory, streams and events are gone: destroyed, reset, or released for the last
  /// time.
  /// The driver is about to be asked to end it; then, by the same thread, the answer is there.
  virtual void before_context_ends(NamedContext /*context*/) {}
  virtual void context_end_is_over() {}
  virtual void context_gone(NamedContext /*context*/) {}
  /// A green context came. Its context is the primary context with other resources: memory and
  /// fences are the primary's.
  virtual void green_context_came(NamedContext /*green*/, CUcontext /*primary*/) {}
  virtual void green_context_gone(NamedContext /*green*/) {}
  /// `from` may use the memory of `to` from now on, or no longer.
  virtual void peer_access_changed(CUcontext /*from*/, CUcontext /*to*/, bool /*enabled*/) {}

  // Memory that passes through: told only while a program is recorded.
  virtual void memory_came(const NewMemory& /*memory*/) {}
  virtual void memory_refused(const char* /*function*/, std::size_t /*bytes*/,
                              CUresult /*result*/) {}
  /// Called before the driver's call: another thread may get the address as soon as it is free.
  virtual void before_memory_goes(const char* /*function*/, std::uint64_t /*at*/) {}
  virtual void memory_mapped(std::uint64_t /*address*/, std::size_t /*bytes*/,
                             std::uint64_t /*handle*/) {}
  /// The driver gave a handle of the memory that is mapped at the address.
  virtual void memory_retained(std::uint64_t /*address*/, std::uint64_t /*handle*/) {}
  virtual void memory_unmapped(std::uint64_t /*address*/, std::size_t /*bytes*/) {}

  // The life of the process.
  virtual void before_fork() {}
  virtual void after_fork_in_parent() {}
  /// CUDA cannot be used here if the parent used it: no call of the driver is made.
  virtual void after_fork_in_child() {}
  /// The driver may end at any time from now on.
  virtual void exit_begins() {}
  /// No call of the driver is made.
  virtual void at_exit() {}
  /// The process calls `_exit` or the like, perhaps in the handler of a signal. No call of the
  /// driver is made.
  virtual void ends_at_once() {}
};

}  // namespace vramlab::preload
