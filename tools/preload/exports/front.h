// What every exported function does first: find out what implements the exports in this process.
// It is made by the first call that needs it, kept to the end of the process and never destroyed,
// since programs call the driver from static constructors and destructors and from any thread.
#pragma once

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/ground/memory_calls.h"

namespace vramlab::preload {

/// One call of the program. A call made inside of another one (by the driver, or by what
/// implements the exports) finds nothing: it goes to the driver.
class ProgramCall {
 public:
  ProgramCall();
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;
  ~ProgramCall();

  /// Null where the call goes to the driver as it is.
  MemoryCalls* calls() const { return calls_; }

 private:
  MemoryCalls* calls_ = nullptr;
};

/// The action with what implements the exports, else the driver's function. No exception gets into
/// the program: it ends here.
template <Hook hook, class Action, class... Arguments>
CUresult instead_of(const Action& action, Arguments... arguments) noexcept {
  const ProgramCall call;
  if (MemoryCalls* const calls = call.calls()) return action(*calls);
  return call_driver<hook>(arguments...);
}

/// The driver's function, then the action if it succeeded.
template <Hook hook, class Action, class... Arguments>
CUresult followed_by(const Action& action, Arguments... arguments) noexcept {
  const ProgramCall call;
  const CUresult result = call_driver<hook>(arguments...);
  if (result == CUDA_SUCCESS && call.calls() != nullptr) action(*call.calls());
  return result;
}

/// The action, then the driver's function.
template <Hook hook, class Action, class... Arguments>
CUresult preceded_by(const Action& action, Arguments... arguments) noexcept {
  const ProgramCall call;
  if (call.calls() != nullptr) action(*call.calls());
  return call_driver<hook>(arguments...);
}

}  // namespace vramlab::preload
