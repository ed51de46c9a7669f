// Recorder: writes down every allocation of device memory as it happens (docs/guide/preload.md).
// DriverQuestions asks the driver about a call's surroundings; it answers nothing if the driver
// does not say.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "streams/cuda_interface/functions.h"
#include "tools/preload/ground/call_stacks.h"
#include "tools/preload/ground/memory_calls.h"
#include "tools/preload/ground/physical_memory.h"
#include "tools/preload/ground/record_file.h"

namespace vramlab::preload {

class DriverQuestions {
 public:
  /// Requires: the driver is loaded.
  DriverQuestions();

  /// This thread's context; null without one.
  CUcontext current_context() const;
  std::uint32_t current_device() const;
  bool is_capturing(StreamHandle stream) const;
  /// The device of a stream-ordered allocation. Its pool may be on another device than the stream.
  std::uint32_t device_of(CUdeviceptr at) const;
  /// The devices as the header of a trace has them: `[{"device":0,"memory":1024,"name":"..."}]`.
  /// Empty if the driver does not say.
  std::string devices() const;

 private:
  PFN_cuCtxGetCurrent_v4000 context_current_;
  PFN_cuCtxGetDevice_v2000 context_device_;
  PFN_cuStreamIsCapturing_v10000 is_capturing_;
  PFN_cuPointerGetAttribute_v4000 pointer_attribute_;
  PFN_cuDeviceGetCount_v2000 device_count_;
  PFN_cuDeviceGet_v2000 device_get_;
  PFN_cuDeviceGetName_v2000 device_name_;
  PFN_cuDeviceTotalMem_v3020 device_memory_;
};

// Recorder: the driver behind the exports, and every allocation of device memory written down as it
// happens, into a native trace that `vramlab info`, `replay` and `top` read
// (docs/guide/preload.md).
//
// A free is written before the driver hears of it, an allocation after: so no address is given
// again, to another thread, before the trace says that it is free. No call of the driver is made
// while our lock is held.

enum class RecordStacks : bool { no, yes };

struct RecorderSettings {
  /// The pattern of the file's name (tools/preload/names), to which the process's number is added.
  std::string base;
  RecordStacks stacks = RecordStacks::no;
};

class Recorder final : public MemoryCalls {
 public:
  explicit Recorder(RecorderSettings settings);

  CUresult mem_alloc(CUdeviceptr* at, std::size_t bytes) override;
  CUresult mem_free(CUdeviceptr at) override;
  CUresult mem_free_async(CUdeviceptr at, StreamHandle stream) override;
  void before_stream_destroyed(CUstream stream) override;
  void before_context_ends(NamedContext context) override;
  void context_end_is_over() override;
  void context_gone(NamedContext context) override;

  void memory_came(const NewMemory& told) override;
  void memory_refused(const char* function, std::size_t bytes, CUresult result) override;
  void before_memory_goes(const char* function, std::uint64_t at) override;
  void memory_mapped(std::uint64_t address, std::size_t bytes, std::uint64_t handle) override;
  void memory_retained(std::uint64_t address, std::uint64_t handle) override;
  void memory_unmapped(std::uint64_t address, std::size_t bytes) override;

  void before_fork() override;
  void after_fork_in_parent() override;
  void after_fork_in_child() override;

 private:
  struct Live {
    /// 0 for memory that is no allocation of the trace: managed, host and the like.
    std::uint64_t id = 0;
    std::size_t bytes = 0;
    std::uint64_t stream = 0;
    std::uint32_t device = 0;
    /// The context that it ends with; null if it outlives its context.
    CUcontext context = nullptr;
  };
  using Blocks = std::map<std::uint64_t, Live>;
  /// Found out before the lock is taken.
  struct Caller {
    std::uint32_t device = 0;
    ReturnAddresses addresses{};
    /// The number of a stack that came before; else 0.
    std::uint32_t stack = 0;
    /// The places of addresses that no stack had before.
    CodePlaces places{};
  };
  /// The fields that every kind of event has.
  struct Surroundings {
    std::uint32_t device = 0;
    std::uint32_t stack = 0;
  };

  Caller caller_on(std::uint32_t device);
  void find_devices();
  // Requires: the lock is held, as for all below.
  void open_file();
  /// The records that the event needs above it.
  Surroundings begin_event(const Caller& caller);
  /// Writes the records of the stack that the trace lacks.
  std::uint32_t stack_of(const Caller& caller);
  void finish_event(const Surroundings& surroundings);
  void write_allocation(const Live& live, const Surroundings& surroundings);
  void write_marker(const std::string& text, const Surroundings& surroundings);
  void write_external(std::uint32_t device, Surroundings surroundings);
  void write_physical_end(const PhysicalPiece& gone, const char* function, const Caller& caller);
  void write_end_of(std::uint64_t at, const char* function, const Caller& caller);
  Blocks take_blocks_of(CUcontext context);
  void write_end(const Live& live, const char* function, const Caller& caller);
  void keep(const NewMemory& memory, Live live, const Caller& caller);
  std::uint32_t thread_number();

  RecorderSettings settings_;
  DriverQuestions driver_;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  RecordFile file_;
  RecordLine line_;
  CallStacks stacks_;
  StreamNumbers streams_;
  PhysicalMemory physical_;
  std::unordered_map<std::uint64_t, Live> live_;
  /// The blocks of contexts that threads are ending right now. Other threads may get their
  /// addresses before it is told that they are gone.
  struct Ending {
    pthread_t thread;
    CUcontext context;
    Blocks blocks;
  };
  std::vector<Ending> ending_;
  std::uint64_t last_id_ = 0;
  std::uint32_t thread_count_ = 0;
  /// For the header, once the driver knows them.
  std::string devices_;
  std::atomic<bool> knows_devices_ = false;
  /// It goes up in each forked child, whose threads are counted anew.
  std::uint32_t process_ = 1;
};

}  // namespace vramlab::preload
