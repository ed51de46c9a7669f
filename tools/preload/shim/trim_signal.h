// TrimSignal: a signal of the user's at which the process gives idle memory back, also while it
// waits or does nothing: a thread of its own does it, since a handler may not.
#pragma once

#include <functional>

namespace vramlab::shim {

/// From now on the signal calls `trim`, which must stay valid to the end of the process. Whoever
/// else listens to the signal is called as well. False: there is no thread for it.
bool call_at_trim_signal(int signal, std::function<void()> trim);

}  // namespace vramlab::shim
