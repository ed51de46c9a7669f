// FakeCuda: a CUDA driver without a GPU. The functions of tests/fake_cuda/api call it; what they
// change is in its parts. One lock is held through each call, so calls come from any thread.
//
// Time is virtual: it moves with waiting, with advance(), and a bit with each call where the
// options say so. Work ends when time gets there; until then the memory that it uses is in use.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tests/fake_cuda/engine/call_log.h"
#include "tests/fake_cuda/engine/contexts.h"
#include "tests/fake_cuda/engine/device_memory.h"
#include "tests/fake_cuda/engine/fake_kernels.h"
#include "tests/fake_cuda/engine/fake_options.h"
#include "tests/fake_cuda/engine/fake_streams.h"
#include "tests/fake_cuda/engine/race_oracle.h"

namespace vramlab::fake {

/// What must be there before the call can be made.
enum class CallNeeds : std::uint8_t { nothing, driver, context };

struct CallSite {
  const char* name = "";
  CallNeeds needs = CallNeeds::context;
  NullStream null_stream = NullStream::legacy;
};

struct Graph {
  std::uint64_t simulated = 0;
};

class FakeCuda {
 public:
  explicit FakeCuda(FakeOptions options);

  /// Makes one call of the driver: `body` gives the result, and may set the logged output.
  template <class Body>
  CUresult call(const CallSite& site, std::initializer_list<std::uint64_t> arguments,
                const Body& body) {
    if (is_forked_) return CUDA_ERROR_NOT_INITIALIZED;
    const std::lock_guard guard(lock_);
    output_.reset();
    text_.clear();
    CUresult result = begin(site);
    if (result == CUDA_SUCCESS) result = finish(body(*this));
    log_.add({site.name, thread().value, arguments, result, output_, text_});
    return result;
  }
  /// The same for what is no call of the driver: nothing is counted, and no time passes.
  template <class Body>
  auto look(const Body& body) {
    const std::lock_guard guard(lock_);
    return body(*this);
  }

  const FakeOptions& options() const { return options_; }
  FakeOptions& options() { return options_; }
  Contexts& contexts() { return contexts_; }
  DeviceMemory& memory() { return memory_; }
  FakeStreams& streams() { return streams_; }
  streams::TimedStreams& timed() { return streams_.timed(); }
  RaceOracle& oracle() { return oracle_; }
  CallLog& log() { return log_; }
  FaultPlan& faults() { return faults_; }
  FakeKernels& kernels() { return kernels_; }
  std::map<std::uint64_t, Graph>& graphs() { return graphs_; }
  /// Addresses by handle.
  std::map<std::uint64_t, std::uint64_t>& arrays() { return arrays_; }

  static streams::ThreadId thread();
  void initialise() { is_initialised_ = true; }
  bool is_initialised() const { return is_initialised_; }
  /// Every later call answers that the driver is gone.
  void tear_down() { is_torn_down_ = true; }
  /// In the child of a fork: the driver cannot be used there any more if it was used before.
  void note_fork();
  void advance(std::uint64_t ns);
  void set_output(std::uint64_t value) { output_ = value; }
  void set_text(const char* text) { text_ = text; }

  /// Requires: the call needs a context.
  Context& current() { return *contexts_.find(contexts_.current(thread().value)); }
  /// As a handle of the current context, or a reason against it.
  std::variant<streams::StreamAt, CUresult> find_stream(CUstream stream, const CallSite& site);
  /// Puts work on the stream. Where memory that it uses is not there the oracle hears of it; where
  /// the addresses are reserved ones that its device has no access to, it ends with a fault.
  CUresult submit(CUstream stream, const CallSite& site, WorkOrder order);
  CUresult check_unsafe_call() { return result_of(timed().check_unsafe_call()); }
  /// Everything in it ends, then its memory, streams and events are gone.
  void destroy(Context& context);
  /// Gives memory back, with what the oracle has to say about it.
  void release(const Allocation& allocation, ReleaseKind kind);

 private:
  std::uint32_t device_of(std::uint32_t context);
  void fault(std::uint32_t context);
  CUresult begin(const CallSite& site);
  CUresult check_context();
  /// A call that waits is over when what it waits for is.
  CUresult finish(CUresult result);

  FakeOptions options_;
  std::mutex lock_;
  std::atomic<bool> is_forked_ = false;
  bool is_initialised_ = false;
  bool is_torn_down_ = false;
  std::mt19937_64 random_;
  std::optional<std::uint64_t> output_;
  std::string text_;
  RaceOracle oracle_;
  CallLog log_;
  FaultPlan faults_;
  FakeKernels kernels_;
  DeviceMemory memory_;
  Contexts contexts_;
  FakeStreams streams_;
  std::map<std::uint64_t, Graph> graphs_;
  std::map<std::uint64_t, std::uint64_t> arrays_;
};

/// The driver that the functions of the api call. Where none was chosen, libcuda.so.1 makes one
/// from the environment; it is never destroyed, as calls may come until the process is gone.
/// Elsewhere that is a mistake.
FakeCuda& the_driver();
FakeCuda* chosen_driver();
/// For tests in this process: a driver of one's own for a while.
class ChosenDriver {
 public:
  explicit ChosenDriver(FakeOptions options);
  ChosenDriver(const ChosenDriver&) = delete;
  ChosenDriver& operator=(const ChosenDriver&) = delete;
  ~ChosenDriver();

  FakeCuda& operator*() { return driver_; }
  FakeCuda* operator->() { return &driver_; }

 private:
  FakeCuda driver_;
  FakeCuda* before_;
};

}  // namespace vramlab::fake
