// MixedSetup: the shim with all that programs mix: contexts of two devices, peers, green contexts,
// captures beside calls that would break them, and driver calls that fail. Threads share it, and
// each runs a MixedProgram on it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {

/// A context, and whose memory is allocated in it: a green context's is its primary one's.
struct MixedPlace {
  CUcontext context = nullptr;
  CUdevice device = 0;
  const MixedPlace* home = nullptr;
  CUgreenCtx green = nullptr;
  /// Places whose memory this one may use beside its own.
  std::vector<const MixedPlace*> peers = {};
};

struct MixedBlock {
  CUdeviceptr at = 0;
  std::size_t bytes = 0;
  const MixedPlace* home = nullptr;
  /// Not the driver's own, as what is allocated in a capture.
  bool is_cached = true;
  /// Freed for good, as the driver's own is: peers must be done with both before.
  bool is_exported = false;
  /// Another thread had it, whose work may still use it.
  bool was_sent = false;
};

/// Keeps what a program must not do during captures apart from them, as programs have to. Nobody
/// waits: what cannot be done now is left out.
class CaptureTurns {
 public:
  enum class Kind { capture, disturbance };
  /// Whether `work` was done.
  template <class Work>
  bool try_do(Kind kind, const Work& work) {
    if (!begin(kind)) return false;
    work();
    end(kind);
    return true;
  }

 private:
  bool begin(Kind kind);
  void end(Kind kind);

  std::mutex mutex_;
  int captures_ = 0;
  int disturbances_ = 0;
};

enum class DriverFaults : bool { none, some };

struct MixedOptions {
  ShimSetupOptions shim;
  DriverFaults faults = DriverFaults::none;
};

/// Every seed is a way to set the shim up: mode, options, fences, memory, peers and faults.
MixedOptions mixed_options(std::uint64_t seed);

class MixedSetup : public ShimSetup {
 public:
  explicit MixedSetup(MixedOptions options);

  const std::vector<std::unique_ptr<MixedPlace>>& places() const { return places_; }
  void enter(const MixedPlace& place) { make_current(place.context); }
  CaptureTurns& turns() { return turns_; }
  bool has_faults() const { return faults_ == DriverFaults::some; }
  /// The driver's function fails once or twice, soon. Requires: has_faults().
  void fail_soon(std::uint64_t which);

  // Between threads.
  void send(const MixedBlock& block);
  std::optional<MixedBlock> receive();

  // Failures are written down, and the program goes on.
  void note_problem(const std::string& sentence);
  /// Out of memory is no problem, nor is what was made to fail.
  void expect(CUresult result, const char* call);
  std::vector<std::string> problems();

  /// Somebody out of sight may look at this block: it must not be handed out again while its
  /// allocation is there.
  void note_exported(const MixedBlock& block);
  void check_not_exported(const MixedBlock& block);
  /// The driver's allocation at this address; 0 without one.
  std::uint64_t allocation_at(CUdeviceptr at);
  /// The address is a cached block's.
  bool is_cached(CUdeviceptr at);

 private:
  struct Exported {
    MixedBlock block;
    std::uint64_t allocation;
  };
  MixedPlace& add(CUcontext context, CUdevice device);
  void add_green(const MixedPlace& primary);

  std::vector<std::unique_ptr<MixedPlace>> places_;
  const DriverFaults faults_;
  CaptureTurns turns_;
  std::mutex mutex_;
  std::vector<MixedBlock> sent_;
  std::vector<Exported> exported_;
  std::vector<std::string> problems_;
};

/// The fake driver's function of this type.
template <class Function>
Function fake_function(const char* symbol) {
  return reinterpret_cast<Function>(fake_symbol(symbol));
}

}  // namespace vramlab::tests
