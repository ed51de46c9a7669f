// CachingShim: vramlab's own allocator behind the driver's cuMemAlloc and cuMemFree. Calls about
// memory that it does not own go to the driver as they came, and the program gets the driver's
// answer.
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tools/preload/ground/memory_calls.h"
#include "tools/preload/shim/arenas.h"
#include "tools/preload/shim/ended_contexts.h"
#include "tools/preload/shim/reports.h"
#include "tools/preload/shim/worker.h"

namespace vramlab::shim {

class CachingShim final : public preload::MemoryCalls {
 public:
  /// A recorder other than the usual one is for tests.
  CachingShim(const streams::CudaDriver& driver, ShimOptions options,
              std::unique_ptr<FenceRecorder> recorder = nullptr);
  ~CachingShim() override;

  bool make_room(CUdevice device) override;
  bool add_free_memory_callback(CUdevice device, std::function<bool()> callback) override;
  CUresult mem_alloc(CUdeviceptr* at, std::size_t bytes) override;
  CUresult mem_free(CUdeviceptr at) override;
  CUresult mem_free_async(CUdeviceptr at, preload::StreamHandle stream) override;
  std::optional<CUresult> mem_get_info(std::size_t* free, std::size_t* total) override;
  std::optional<CUresult> mem_get_address_range(CUdeviceptr* base, std::size_t* bytes,
                                                CUdeviceptr at) override;
  std::optional<CUresult> pointer_get_attribute(void* into, CUpointer_attribute attribute,
                                                CUdeviceptr at) override;
  std::optional<CUresult> pointer_get_attributes(unsigned count, CUpointer_attribute* attributes,
                                                 void** into, CUdeviceptr at) override;
  std::optional<CUresult> ipc_get_mem_handle(CUipcMemHandle* handle, CUdeviceptr at) override;
  std::optional<CUresult> handle_for_address_range(void* handle, CUdeviceptr at, std::size_t bytes,
                                                   CUmemRangeHandleType type,
                                                   unsigned long long flags) override;
  std::optional<CUresult> pointer_set_attribute(const void* value, CUpointer_attribute attribute,
                                                CUdeviceptr at) override;

  void stream_created(CUstream stream, unsigned flags, CUcontext context) override;
  void before_stream_destroyed(CUstream stream) override;
  void before_capture_begins(preload::StreamHandle stream) override;
  void capture_began(preload::StreamHandle stream, bool succeeded) override;
  void capture_ended(preload::StreamHandle stream) override;
  void before_context_ends(preload::NamedContext context) override;
  void context_end_is_over() override;
  void context_gone(preload::NamedContext context) override;
  void green_context_came(preload::NamedContext green, CUcontext primary) override;
  void green_context_gone(preload::NamedContext green) override;
  void peer_access_changed(CUcontext from, CUcontext to, bool enabled) override;

  /// No arena is locked for a fork: the child drops all of them.
  void after_fork_in_child() override;
  /// Later frees are recorded at once: the driver answers that it is gone.
  void exit_begins() override { recorder_->set_time(FenceTime::at_once); }
  void at_exit() override;
  void ends_at_once() override;

  /// Gives back all idle memory of all devices, and waits for freed memory.
  void trim();
  /// Listens, from the first allocation on, for VRAMLAB_TRIM_SIGNAL, VRAMLAB_REPORT_SIGNAL, and the
  /// end of the process. Requires: this is never destroyed.
  void listen_for_signals();
  /// Writes the files of VRAMLAB_STATS and VRAMLAB_SNAPSHOT, as things are now. No call of the
  /// driver is made.
  void write_reports();
  /// Null in a child that cannot use CUDA. For tests and reports, which only look.
  Arenas* arenas() { return state() == nullptr ? nullptr : &state()->arenas; }
  const ShimOptions& options() const { return options_; }

 private:
  struct State {
    State(const ShimOptions& options, FenceRecorder& recorder, const streams::CudaDriver& driver)
        : arenas(options, recorder, driver), ended(options.history_entries) {}
    Arenas arenas;
    KnownStreams streams;
    /// A context that a thread is ending right now, and its report from before that, if reports
    /// are wanted.
    struct Ending {
      pthread_t thread;
      Arena* arena;
      std::vector<ArenaReport> report;
    };
    std::mutex ending_mutex;
    std::vector<Ending> ending;
    EndedContexts ended;
  };

  /// Memory that the program asked for.
  struct Range {
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
  };

  State* state() const { return state_.load(std::memory_order_acquire); }
  /// The arena that the address belongs to; null if it belongs to none.
  Arena* owner_of(CUdeviceptr at);
  /// Empty if the memory is none of ours, and of no bytes if the program has none there.
  std::optional<Range> range_around(CUdeviceptr at);
  /// Writes the attribute if it is one of the range.
  static void tell(const Range& range, CUpointer_attribute attribute, void* into);
  ContextRecord* context_of(State& now, CUstream stream);
  static void close_capture(State& now, CUstream stream);
  static void keep_report(State& now, const Arena& ended);
  CUresult refuse_handle();
  bool wants_reports() const { return statistics_.is_wanted() || snapshot_.is_wanted(); }
  [[gnu::noinline]] void begin_to_listen();
  bool begin_to_report();
  bool has_something_to_tell() const;
  std::string text_on_process(State& now) const;

  const streams::CudaDriver driver_;
  const ShimOptions options_;
  const std::unique_ptr<FenceRecorder> recorder_;
  /// The program was refused a handle for another process: large blocks have their own from now on.
  std::atomic<bool> wants_handles_ = false;
  /// Null in a child that cannot use CUDA: everything passes through.
  std::atomic<State*> state_;

  ReportFile statistics_;
  ReportFile snapshot_;
  pid_t process_ = getpid();
  bool may_listen_ = false;
  std::atomic<bool> is_to_listen_ = false;
  Worker trimmer_;
  Worker reporter_;
};

}  // namespace vramlab::shim
