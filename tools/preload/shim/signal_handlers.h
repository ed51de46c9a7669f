// Signals that ask a worker for something. Whoever listened to the signal before is called as well,
// and a program that installs a handler later replaces ours.
#pragma once

#include "tools/preload/shim/worker.h"

namespace vramlab::shim {

enum class AskedBySignal { to_trim, to_report };

/// From now on the signal asks the worker. Only the first call of a process does something: a child
/// has what its parent installed. Requires: the worker is never destroyed.
bool ask_at_signal(AskedBySignal what, int signal, Worker& worker);

/// The same for the signals that end a process: the worker does its work first. SIGTERM, and of
/// SIGINT and SIGHUP those that end this process by default, but for the given ones.
bool ask_before_end(Worker& worker, int other_use, int another_use);

/// The worker calls it after its work: the process ends if a signal asked for that.
void end_if_asked();

}  // namespace vramlab::shim
