// HostThreads: the host threads of a program, real ones, since CUDA looks at who calls. One call is
// made at a time, and the caller waits for it.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "streams/stream_model/work.h"

namespace vramlab::tests {

class HostThreads {
 public:
  /// Made when it is first named. What the call throws is thrown here.
  void make_call(streams::ThreadId thread, const std::function<void()>& call);

 private:
  class Worker {
   public:
    Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();
    void run(const std::function<void()>& call);

   private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* call_ = nullptr;
    std::exception_ptr thrown_;
    bool is_over_ = false;
    std::thread thread_;
  };

  std::map<streams::ThreadId, std::unique_ptr<Worker>> workers_;
};

}  // namespace vramlab::tests
