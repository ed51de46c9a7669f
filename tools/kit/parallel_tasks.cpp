#include "tools/kit/parallel_tasks.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace vramlab::tools {

std::size_t usual_thread_count() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void run_tasks(std::size_t count, std::size_t threads,
               const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next{0};
  std::mutex failure_lock;
  std::size_t failed_task = count;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t task = next++; task < count; task = next++) {
      try {
        run(task);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(failure_lock);
        if (task < failed_task) failure = std::current_exception();
        failed_task = std::min(failed_task, task);
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vramlab::tools
