// StandInDriver: a CUDA driver without a GPU. The functions of tools/cuda_standins/driver call it
// and change its parts. One lock is held through each call, so calls come from any thread.
//
// Time is virtual: it moves with waiting, with advance(), with the time that the watcher gives a
// call, and by itself where a program waits for a host function. Work ends when time gets there;
// until then the memory that it uses is in use.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "streams/cuda_interface/types.h"
#include "tools/cuda_standins/model/contexts.h"
#include "tools/cuda_standins/model/device_memory.h"
#include "tools/cuda_standins/model/driver_graphs.h"
#include "tools/cuda_standins/model/driver_options.h"
#include "tools/cuda_standins/model/driver_streams.h"
#include "tools/cuda_standins/model/driver_watcher.h"
#include "tools/cuda_standins/model/host_values.h"
#include "tools/cuda_standins/model/kernels.h"
#include "tools/cuda_standins/model/managed_advice.h"
#include "tools/cuda_standins/model/memory_pools.h"
#include "tools/cuda_standins/model/remembered_bytes.h"
#include "tools/cuda_standins/model/time_mover.h"
#include "tools/cuda_standins/model/watched_memory.h"

namespace vramlab::dry_run {

/// The state that a call needs before it can be made.
enum class CallNeeds : std::uint8_t { nothing, initialised, context };

struct CallSite {
  const char* name = "";
  CallNeeds needs = CallNeeds::context;
  NullStream null_stream = NullStream::legacy;
};

class StandInDriver {
 public:
  /// The watcher may be null; else it must outlive this.
  StandInDriver(const DriverOptions& options, DriverWatcher* watcher);

  /// Makes one call of the driver: `body` gives the result, and may set the output that is told.
  template <class Body>
  CUresult call(const CallSite& site, std::initializer_list<std::uint64_t> arguments,
                const Body& body) {
    if (is_forked_) return CUDA_ERROR_NOT_INITIALIZED;
    // The lock is held already, by the call that lets time get to the host function.
    if (is_in_host_function)
      return site.needs == CallNeeds::nothing ? body(*this) : CUDA_ERROR_NOT_PERMITTED;
    const std::lock_guard guard(lock_);
    ++call_count_;
    CUresult result = begin(site);
    if (result == CUDA_SUCCESS) result = finish(site, body(*this));
    if (watcher_ != nullptr) tell(site, arguments, result);
    return result;
  }
  /// The same for a look from outside: the watcher is told nothing, and no time passes.
  template <class Body>
  auto look(const Body& body) {
    if (is_in_host_function) return body(*this);
    const std::lock_guard guard(lock_);
    return body(*this);
  }
  /// Calls so far, for which a look does not count.
  std::uint64_t call_count() const { return call_count_; }

  const DriverOptions& options() const { return options_; }
  DriverOptions& options() { return options_; }
  DriverWatcher* watcher() { return watcher_; }
  Contexts& contexts() { return contexts_; }
  DeviceMemory& memory() { return memory_; }
  PinnedCalls& pinned() { return pinned_; }
  MemoryPools& pools() { return pools_; }
  DriverStreams& streams() { return streams_; }
  streams::TimedStreams& timed() { return streams_.timed(); }
  KernelNames& kernels() { return kernels_; }
  HostValueSource& host_values() { return host_values_; }
  RememberedBytes& remembered() { return remembered_; }
  ManagedAdvice& advice() { return advice_; }
  WatchedMemory& watched() { return watched_; }
  DriverGraphs& graphs() { return graphs_; }
  GraphMemory& graph_memory() { return graph_memory_; }
  /// Addresses by handle.
  std::map<std::uint64_t, std::uint64_t>& arrays() { return arrays_; }

  static streams::ThreadId thread();
  void initialise() { is_initialised_ = is_used_ = true; }
  /// For NVML, which asks here and is no user of the driver: children of forks may use it later.
  void answer_nvml() { is_initialised_ = true; }
  bool is_initialised() const { return is_initialised_; }
  /// The program itself initialised it.
  bool is_used() const { return is_used_; }
  /// Every later call answers that the driver is gone.
  void tear_down() { is_torn_down_ = true; }
  /// In the child of a fork: the driver cannot be used there any more if it was used before.
  void note_fork();
  void note_capture() { captures_begun_.fetch_add(1, std::memory_order_release); }
  /// It may be read at any time, without a call too.
  const std::atomic<std::uint64_t>& captures_begun() const { return captures_begun_; }
  void advance(std::uint64_t ns);
  void set_output(std::uint64_t value) { output_ = value; }
  void set_text(const char* text) {
    if (watcher_ != nullptr) text_ = text;
  }

  /// Requires: the call needs a context.
  Context& current() { return *contexts_.find(contexts_.current(thread().value)); }
  /// The stream behind a handle of the current context, or the error.
  std::variant<streams::StreamAt, CUresult> find_stream(CUstream stream, const CallSite& site);
  /// Puts work on the stream. The watcher hears of uses of missing memory. A use of reserved
  /// addresses without access ends with a fault.
  CUresult submit(CUstream stream, const CallSite& site, WorkOrder order);
  /// Called before the stream gets so many pieces of work more. As with a driver whose queues are
  /// full, the host waits for the oldest work.
  void keep_up(streams::StreamAt stream, std::uint64_t count = 1);
  /// Work that is a function of the program. It may not call the driver, except for what needs no
  /// initialised one.
  WorkOrder host_function(std::function<void()> function);
  /// The host's time for putting something on a stream.
  void pass_submit_time() { advance(options_.submit_ns); }
  /// The answer to a question whether something is over. A program that goes on asking makes time
  /// pass.
  CUresult asked(CUresult answer);
  /// The work that a launch of this kernel puts on its stream.
  WorkOrder plan_launch(const std::string& kernel, void** arguments);
  CUresult check_unsafe_call() { return result_of(timed().check_unsafe_call()); }
  /// Everything in it ends, then its memory, streams and events are gone.
  void destroy(Context& context);
  /// Gives memory back, and tells the watcher.
  void release(const Allocation& allocation, ReleaseKind kind);
  /// Tells the watcher that memory is given back.
  void tell_release(std::uint64_t at, std::uint64_t bytes, ReleaseKind kind);

 private:
  /// Updates the known bytes of the device's memory after a kernel.
  void remember(const std::optional<KernelWrite>& write, streams::StreamAt where);
  std::uint32_t device_of(std::uint32_t context);
  void fault(std::uint32_t context);
  CUresult begin(const CallSite& site);
  CUresult begin_watched(const CallSite& site);
  CUresult check_context();
  /// A call that waits ends with the work that it waits for, and with that work's error.
  CUresult finish(const CallSite& site, CUresult result);
  /// The answer of the current context since a fault; CUDA_SUCCESS without one, or without a
  /// context.
  CUresult error_of_context();
  void tell(const CallSite& site, std::initializer_list<std::uint64_t> arguments, CUresult result);

  DriverOptions options_;
  DriverWatcher* watcher_;
  static thread_local bool is_in_host_function;
  std::mutex lock_;
  std::uint64_t call_count_ = 0;
  std::atomic<std::uint64_t> captures_begun_ = 0;
  std::atomic<bool> is_forked_ = false;
  bool is_initialised_ = false;
  bool is_used_ = false;
  bool is_torn_down_ = false;
  std::optional<std::uint64_t> output_;
  std::string text_;
  KernelNames kernels_;
  HostValueSource host_values_;
  RememberedBytes remembered_;
  ManagedAdvice advice_;
  WatchedMemory watched_;
  DeviceMemory memory_;
  PinnedCalls pinned_;
  MemoryPools pools_;
  Contexts contexts_;
  GraphMemory graph_memory_;
  DriverStreams streams_;
  DriverGraphs graphs_;
  std::map<std::uint64_t, std::uint64_t> arrays_;
  std::optional<streams::StreamMark> last_mark_;
  std::uint64_t put_since_mark_ = 0;
  /// Answers of "not yet" since something was put on a stream.
  std::uint64_t vain_questions_ = 0;
  /// The last member: it ends before what it moves.
  TimeMover time_mover_{*this};
};

/// The driver that the functions call. The library or program that they are linked into defines it.
StandInDriver& the_driver();

}  // namespace vramlab::dry_run
