// How a process ends without its libraries being told, which is the last chance for a report. The C
// library itself ends with another name, so what `exit` does is not seen here.
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/preload/exports/front.h"

namespace vramlab::preload {
namespace {

using EndFunction = void (*)(int status);

/// The next one in line, if it was looked up: here it is too late, as this may be the handler of a
/// signal.
[[noreturn]] void end_process(int status) {
  tell_end_at_once();
  if (const auto next = reinterpret_cast<EndFunction>(next_exit_at_once())) next(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace
}  // namespace vramlab::preload

// The C library's names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

[[noreturn, gnu::visibility("default")]] void _exit(int status) {
  vramlab::preload::end_process(status);
}

[[noreturn, gnu::visibility("default")]] void _Exit(int status) noexcept {
  vramlab::preload::end_process(status);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
