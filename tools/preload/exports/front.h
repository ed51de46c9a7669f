// The functions that the preload exports under the driver's names, and the first step of each: to
// find the implementation of the exports in this process. The first call that needs it makes it. It
// is never destroyed, since programs call the driver from static constructors and destructors and
// from any thread.
#pragma once

#include <string>
#include <type_traits>

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/ground/hook_table.h"
#include "tools/preload/ground/memory_calls.h"

// Each is declared with the driver's type for it, so one with other arguments does not compile.
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration has its name without them.
#define VRAMLAB_HOOK(symbol, type, ...) \
  extern "C" __attribute__((visibility("default"))) std::remove_pointer_t<type> symbol;
// NOLINTEND(bugprone-macro-parentheses)
VRAMLAB_HOOKS
#undef VRAMLAB_HOOK

// Defines one of them by its name, its parameters and its answer, in which `hook` is its row; or
// two that differ by their names alone.
#define VRAMLAB_EXPORT(symbol, parameters, ...) \
  CUresult symbol parameters {                  \
    constexpr Hook hook = Hook::symbol;         \
    note_called(hook);                          \
    return __VA_ARGS__;                         \
  }
#define VRAMLAB_EXPORT_BOTH(symbol, other, parameters, ...) \
  VRAMLAB_EXPORT(symbol, parameters, __VA_ARGS__)           \
  VRAMLAB_EXPORT(other, parameters, __VA_ARGS__)

namespace vramlab::preload {

// Statistics: the functions of ours that this program got. A program that got none goes past us.

/// The program asked for it by name and was given ours.
void note_given(Hook hook);
void note_called(Hook hook);

bool has_hooked();
/// A sentence for the user.
std::string hooked_text();

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

/// Lives while the program's own code runs inside of one of its calls: calls made there are the
/// program's again.
class ProgramsTurn {
 public:
  ProgramsTurn();
  ProgramsTurn(const ProgramsTurn&) = delete;
  ProgramsTurn& operator=(const ProgramsTurn&) = delete;
  ~ProgramsTurn();

 private:
  int calls_before_ = 0;
};

/// Tells the implementation that the process is about to end without another word.
void tell_end_at_once();
/// The `_exit` behind ours, if the implementation was made; else null.
void* next_exit_at_once();

// No exception gets into the program: all end in these functions.

/// The driver's function. If it has no memory for the call, it is asked again once idle memory is
/// given back: an allocation that a program freed must not keep others from succeeding.
template <Hook hook, class... Arguments>
CUresult call_with_room(CUdevice device, MemoryCalls* calls, Arguments... arguments) {
  CUresult result = call_driver<hook>(arguments...);
  for (int tries = 0; result == CUDA_ERROR_OUT_OF_MEMORY; ++tries) {
    if (tries == most_tries_with_room || calls == nullptr || !calls->make_room(device))
      return result;
    result = call_driver<hook>(arguments...);
  }
  return result;
}

/// The same for calls that need nothing else. It costs nothing while there is memory.
template <Hook hook, class... Arguments>
CUresult with_room(Arguments... arguments) noexcept {
  const CUresult result = call_driver<hook>(arguments...);
  if (result != CUDA_ERROR_OUT_OF_MEMORY) [[likely]]
    return result;
  const ProgramCall call;
  if (call.calls() == nullptr || !call.calls()->make_room(current_device)) return result;
  return call_with_room<hook>(current_device, call.calls(), arguments...);
}

/// The implementation answers, else the driver.
template <Hook hook, auto answer, class... Arguments>
CUresult instead_of(Arguments... arguments) noexcept {
  const ProgramCall call;
  if (MemoryCalls* const calls = call.calls())
    if (const std::optional<CUresult> result = (calls->*answer)(arguments...)) return *result;
  return call_driver<hook>(arguments...);
}

/// The driver's function, then the action if it succeeded. The call takes memory of this device.
template <Hook hook, class Action, class... Arguments>
CUresult followed_on_device(CUdevice device, const Action& action,
                            Arguments... arguments) noexcept {
  const ProgramCall call;
  const CUresult result = call_with_room<hook>(device, call.calls(), arguments...);
  if (result == CUDA_SUCCESS && call.calls() != nullptr) action(*call.calls());
  return result;
}

template <Hook hook, class Action, class... Arguments>
CUresult followed_by(const Action& action, Arguments... arguments) noexcept {
  return followed_on_device<hook>(current_device, action, arguments...);
}

/// The action, then the driver's function.
template <Hook hook, class Action, class... Arguments>
CUresult preceded_by(const Action& action, Arguments... arguments) noexcept {
  const ProgramCall call;
  if (call.calls() != nullptr) action(*call.calls());
  return call_driver<hook>(arguments...);
}

/// The stream as the program named it, with the meaning that 0 has to this function.
template <Hook hook>
StreamHandle handle_for(CUstream stream) {
  return {stream, row_of(hook).if_null};
}

}  // namespace vramlab::preload
