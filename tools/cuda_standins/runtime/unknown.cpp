#include "tools/cuda_standins/runtime/unknown.h"

#include "tools/cuda_standins/runtime/runtime_state.h"
#include "tools/cuda_standins/runtime/version.h"

namespace vramlab::dry_run {

void note(const char* kind, const std::string& subject) {
  using Note = void (*)(const char* kind, const char* subject);
  static const auto taken =
      reinterpret_cast<Note>(runtime_driver().ask.symbol("vramlab_dry_run_note"));
  if (taken != nullptr) taken(kind, subject.c_str());
}

int call_unknown(UnknownFunction& function) {
  if (function.calls.fetch_add(1, std::memory_order_relaxed) < UnknownFunction::most_notes)
    note("unknown", std::string(runtime_library()) + ' ' + function.name);
  return finish_call(error::not_supported);
}

}  // namespace vramlab::dry_run
