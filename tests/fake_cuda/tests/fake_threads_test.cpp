// Calls from several threads; what the thread sanitizer sees.
#include <atomic>
#include <thread>

#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class FakeThreads : public FakeTest {};

TEST_F(FakeThreads, each_thread_has_its_own_current_context_and_default_stream) {
  const CUdeviceptr at = allocate();
  const auto query_own = symbol<PFN_cuStreamQuery_v7000_ptsz>("cuStreamQuery_ptsz");
  use(at, 1000, nullptr, "cuLaunchKernel_ptsz");
  std::thread([&] {
    CUcontext current = nullptr;
    EXPECT_EQ(cu_.context_current(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr);
    EXPECT_EQ(query_own(nullptr), CUDA_ERROR_INVALID_CONTEXT);
    cu_.context_set_current(context_);
    EXPECT_EQ(query_own(nullptr), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(query_own(nullptr), CUDA_ERROR_NOT_READY);
}

void sets_a_flag(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }

TEST_F(FakeThreads, a_host_function_comes_while_nobody_calls_where_time_moves_by_itself) {
  fake_->options().moves_time_by_itself = true;
  std::atomic<bool> has_come = false;
  const CUstream stream = make_stream();
  const auto launch = symbol<PFN_cuLaunchHostFunc_v10000>("cuLaunchHostFunc");
  EXPECT_EQ(use(allocate(), 1000, stream), CUDA_SUCCESS);
  ASSERT_EQ(launch(stream, sets_a_flag, &has_come), CUDA_SUCCESS);
  while (!has_come) std::this_thread::yield();
  EXPECT_EQ(cu_.stream_synchronize(stream), CUDA_SUCCESS);
}

TEST_F(FakeThreads, threads_take_turns) {
  const auto work = [&] {
    cu_.context_set_current(context_);
    const CUstream stream = make_stream();
    const CUevent event = make_event();
    for (int round = 0; round < 100; ++round) {
      const CUdeviceptr at = allocate(4096);
      fake_cuda_handed_out(at, 4096);
      EXPECT_EQ(use(at, 50, stream), CUDA_SUCCESS);
      EXPECT_EQ(cu_.event_record(event, stream), CUDA_SUCCESS);
      EXPECT_EQ(cu_.event_synchronize(event), CUDA_SUCCESS);
      fake_cuda_given_back(at);
      EXPECT_EQ(cu_.mem_free(at), CUDA_SUCCESS);
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake_cuda_race_count(), 0U);
  EXPECT_EQ(fake_cuda_allocation_count(), 0U);
}

}  // namespace
}  // namespace vramlab::fake
