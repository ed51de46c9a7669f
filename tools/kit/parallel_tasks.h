// Runs tasks that share nothing on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace vramlab::tools {

/// As many as there are cores.
std::size_t usual_thread_count();

/// Calls `run` once with each number below `count`, on so many threads at most. Which thread runs
/// which is left open, so a task keeps its result under its number. The first error is thrown again
/// once all threads have ended; what was not begun by then is left out.
void run_tasks(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& run);

}  // namespace vramlab::tools
