// MemoryCalls: what stands behind the driver functions that the preload replaces, and what it is
// told of the others. The exported functions know nothing but this; the caching shim and the
// recorder are what can stand behind them.
//
// Calls come from any thread, with any context current or none, and from the driver's own threads.
// Results are the driver's: what an output points to is written on success only, and a null output
// is the driver's to judge.
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
/// More often than this nobody asks again: what is over comes first, then what is waited for.
inline constexpr int most_tries_with_room = 2;

/// Which stream the handle 0 means in this call.
enum class DefaultStream : bool { legacy, per_thread };

/// A context that may be gone: its handle may be another one's by now, its number is not.
struct NamedContext {
  CUcontext handle = nullptr;
  /// The driver's (`cuCtxGetId`); 0 where it has none, or nobody can say.
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

/// What a program can get from the driver besides `mem_alloc`.
enum class MemoryKind : std::uint8_t {
  /// As of `mem_alloc`; pitched memory too.
  device,
  stream_ordered,
  managed,
  host,
  registered_host,
  array,
  /// Memory without an address, from `cuMemCreate`.
  physical,
  /// As physical, but taking none of a device's memory: another process's, or a multicast object.
  foreign_handle,
  graph,
  /// Another process's.
  imported,
};

struct NewMemory {
  MemoryKind kind = MemoryKind::device;
  /// The driver's function.
  const char* function = nullptr;
  /// An address, or the handle of what has none.
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

  /// The driver had no memory for a call on this device: gives back what is idle there. False:
  /// there is nothing more.
  virtual bool make_room(CUdevice /*device*/) { return false; }

  /// Asked before the driver is when no cached block of the device fits; says whether it freed
  /// something. False: nothing is cached here, so nobody will ask.
  virtual bool add_free_memory_callback(CUdevice /*device*/, std::function<bool()> /*callback*/) {
    return false;
  }

  // Replaced: the answer is what the program gets.
  virtual CUresult mem_alloc(CUdeviceptr* at, std::size_t bytes) = 0;
  virtual CUresult mem_free(CUdeviceptr at) = 0;
  virtual CUresult mem_free_async(CUdeviceptr at, StreamHandle stream) = 0;
  // As these, where there is an answer; else the driver has it.
  virtual std::optional<CUresult> mem_get_info(std::size_t* /*free*/, std::size_t* /*total*/) {
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

  // The others are only told, and an implementation that has no use for one need not listen. Told
  // after the driver's call succeeded, but for those that say "before".
  /// In this context; null for the current one.
  virtual void stream_created(CUstream /*stream*/, unsigned /*flags*/, CUcontext /*context*/) {}
  /// Whatever the stream still does cannot be asked about afterwards.
  virtual void before_stream_destroyed(CUstream /*stream*/) {}
  virtual void before_capture_begins(StreamHandle /*stream*/) {}
  /// Whether it did.
  virtual void capture_began(StreamHandle /*stream*/, bool /*succeeded*/) {}
  /// Also where ending it failed, which may have left it open.
  virtual void capture_ended(StreamHandle /*stream*/) {}
  /// The context's memory, streams and events are gone: destroyed, reset, or released for the last
  /// time.
  /// The driver is about to be asked to end it; then, by the same thread, the answer is there.
  virtual void before_context_ends(NamedContext /*context*/) {}
  virtual void context_end_is_over() {}
  virtual void context_gone(NamedContext /*context*/) {}
  /// The context of a green context, which is that primary context with other resources: memory and
  /// fences are the primary's.
  virtual void green_context_came(NamedContext /*green*/, CUcontext /*primary*/) {}
  virtual void green_context_gone(NamedContext /*green*/) {}
  /// `from` may use the memory of `to` from now on, or no longer.
  virtual void peer_access_changed(CUcontext /*from*/, CUcontext /*to*/, bool /*enabled*/) {}

  // Memory that passes through. Only told while a program is recorded.
  virtual void memory_came(const NewMemory& /*memory*/) {}
  virtual void memory_refused(const char* /*function*/, std::size_t /*bytes*/,
                              CUresult /*result*/) {}
  /// Before the driver's call: another thread may be given the address as soon as it is free.
  virtual void before_memory_goes(const char* /*function*/, std::uint64_t /*at*/) {}
  virtual void memory_mapped(std::uint64_t /*address*/, std::size_t /*bytes*/,
                             std::uint64_t /*handle*/) {}
  /// The driver gave a handle of what is mapped at the address.
  virtual void memory_retained(std::uint64_t /*address*/, std::uint64_t /*handle*/) {}
  virtual void memory_unmapped(std::uint64_t /*address*/, std::size_t /*bytes*/) {}

  // Process life.
  virtual void before_fork() {}
  virtual void after_fork_in_parent() {}
  /// CUDA cannot be used here if the parent used it: no call of the driver is made.
  virtual void after_fork_in_child() {}
  /// The driver may end at any time from now on.
  virtual void exit_begins() {}
  /// No call of the driver is made.
  virtual void at_exit() {}
  /// `_exit` and its like, perhaps in the handler of a signal. No call of the driver is made.
  virtual void ends_at_once() {}
};

}  // namespace vramlab::preload
