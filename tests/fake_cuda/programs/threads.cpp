// Several threads at once, each with streams and memory of its own, some of which it passes on to
// the next. Arguments: threads, rounds of each.
#include <deque>
#include <mutex>
#include <thread>

#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

constexpr std::uint64_t words = 4096;

/// Memory that one thread leaves for another.
class Shelf {
 public:
  void put(CUdeviceptr at) {
    const std::lock_guard guard(lock_);
    left_.push_back(at);
  }
  CUdeviceptr take() {
    const std::lock_guard guard(lock_);
    if (left_.empty()) return 0;
    const CUdeviceptr at = left_.front();
    left_.pop_front();
    return at;
  }

 private:
  std::mutex lock_;
  std::deque<CUdeviceptr> left_;
};

void work(CUcontext context, Shelf& shelf, std::uint32_t name, std::uint64_t rounds) {
  MUST(cuCtxSetCurrent(context));
  CUstream stream = nullptr;
  MUST(cuStreamCreate(&stream, name % 2 == 0 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
  const CUfunction fill = find_kernel("fake_fill");
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const CUdeviceptr at = take_memory(words * 4);
    MUST(launch(fill, {at, words, name}, stream));
    if (round % 8 == 0) {
      MUST(cuStreamSynchronize(stream));
      must(holds(at, words, name), "nobody else wrote here");
    }
    shelf.put(at);
    // Work on it may still be pending when a thread gives it back.
    if (const CUdeviceptr other = shelf.take(); other != 0) give_back_memory(other);
  }
  MUST(cuStreamSynchronize(stream));
  MUST(cuStreamDestroy_v2(stream));
}

}  // namespace

int main(int count, char** arguments) {
  const CUcontext context = open_device();
  const unsigned long threads = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 8;
  const std::uint64_t rounds = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 200;
  Shelf shelf;
  std::vector<std::thread> running;
  for (std::uint32_t name = 1; name <= threads; ++name)
    running.emplace_back([&, name] { work(context, shelf, name, rounds); });
  for (std::thread& thread : running) thread.join();
  while (const CUdeviceptr at = shelf.take()) give_back_memory(at);
  return end_of_program();
}
