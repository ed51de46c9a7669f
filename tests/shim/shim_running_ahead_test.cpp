// How far a program runs ahead of the device whose frees do not wait: with one thread, with one
// that frees what another requests, and with threads that come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

constexpr std::uint64_t a_second = 1000000000;

class ShimRunningAhead : public testing::TestWithParam<PreloadMode> {
 protected:
  using Free = std::function<void(ShimSetup& setup, CUdeviceptr at)>;

  static void free_here(ShimSetup& setup, CUdeviceptr at) {
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  }
  /// The most that the driver had given away in a loop of temporaries.
  static std::uint64_t most_taken(ShimSetup& setup, std::size_t bytes,
                                  const Free& free = free_here) {
    const CUstream stream = setup.make_stream();
    std::uint64_t most = 0;
    for (int round = 0; round < 40; ++round) {
      const CUdeviceptr at = setup.alloc(bytes);
      setup.work(stream, at, bytes, a_second);
      free(setup, at);
      const auto memory =
          setup.fake()->look([](fake::FakeCuda& cuda) { return cuda.memory().info(0); });
      most = std::max<std::uint64_t>(most, memory.total.count - memory.free.count);
    }
    EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
    return most;
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, ShimRunningAhead,
                         testing::Values(PreloadMode::deferred, PreloadMode::nosplit));

/// A thread that does one piece of work after the other; whoever asks waits for it.
class Helper {
 public:
  explicit Helper(std::function<void(CUdeviceptr)> work)
      : work_(std::move(work)), thread_([this] { run(); }) {}
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() {
    hand_over(0);
    thread_.join();
  }
  void hand_over(CUdeviceptr at) {
    std::unique_lock lock(mutex_);
    given_ = at;
    has_work_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !has_work_; });
  }

 private:
  void run() {
    for (bool goes_on = true; goes_on;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return has_work_; });
      goes_on = given_ != 0;
      if (goes_on) work_(given_);
      has_work_ = false;
      changed_.notify_all();
    }
  }

  const std::function<void(CUdeviceptr)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  CUdeviceptr given_ = 0;
  bool has_work_ = false;
  std::thread thread_;
};

TEST_P(ShimRunningAhead, is_bounded) {
  ShimSetup setup(in_mode(GetParam()));
  EXPECT_LE(most_taken(setup, 128 * mib), 512 * mib);
  EXPECT_EQ(setup.calls("cuCtxSynchronize"), 0U);
}

TEST_P(ShimRunningAhead, is_bounded_where_the_user_says) {
  ShimSetupOptions options = in_mode(GetParam());
  options.shim.waiting_limit = allocator::Bytes{64 * mib};
  ShimSetup setup(std::move(options));
  EXPECT_LE(most_taken(setup, 32 * mib), 128 * mib);
}

TEST_P(ShimRunningAhead, is_bounded_with_expandable_segments) {
  if (GetParam() == PreloadMode::nosplit) return;
  ShimSetup setup(in_mode(GetParam(), "expandable_segments:True"));
  EXPECT_LE(most_taken(setup, 128 * mib), 512 * mib);
}

TEST_P(ShimRunningAhead, is_bounded_where_another_thread_frees) {
  ShimSetup setup(in_mode(GetParam()));
  Helper helper([&](CUdeviceptr at) { free_here(setup, at); });
  EXPECT_LE(most_taken(setup, 128 * mib, [&](auto&, auto at) { helper.hand_over(at); }), 512 * mib);
  EXPECT_EQ(setup.calls("cuCtxSynchronize"), 0U);
}

TEST_P(ShimRunningAhead, is_bounded_where_another_thread_frees_small_blocks) {
  ShimSetupOptions options = in_mode(GetParam());
  options.shim.waiting_limit = allocator::Bytes{64 * mib};
  ShimSetup setup(std::move(options));
  Helper helper([&](CUdeviceptr at) { free_here(setup, at); });
  EXPECT_LE(most_taken(setup, 6 * mib, [&](auto&, auto at) { helper.hand_over(at); }), 128 * mib);
}

TEST_P(ShimRunningAhead, is_bounded_where_threads_in_turns_free) {
  ShimSetup setup(in_mode(GetParam()));
  const auto frees = [&](CUdeviceptr at) { free_here(setup, at); };
  Helper first(frees);
  Helper second(frees);
  bool is_first = false;
  const auto free = [&](auto&, CUdeviceptr at) {
    is_first = !is_first;
    (is_first ? first : second).hand_over(at);
  };
  EXPECT_LE(most_taken(setup, 128 * mib, free), 640 * mib);
}

TEST_P(ShimRunningAhead, is_bounded_where_each_free_has_a_thread_of_its_own) {
  ShimSetup setup(in_mode(GetParam()));
  const auto free = [](ShimSetup& with, CUdeviceptr at) {
    std::thread([&with, at] { free_here(with, at); }).join();
  };
  EXPECT_LE(most_taken(setup, 128 * mib, free), 512 * mib);
}

TEST_P(ShimRunningAhead, is_bounded_where_the_freeing_thread_has_no_context) {
  ShimSetup setup(in_mode(GetParam()));
  Helper helper([&](CUdeviceptr at) {
    setup.make_current(nullptr);
    free_here(setup, at);
    CUcontext current = nullptr;
    EXPECT_EQ(setup.driver().context_current(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr);
  });
  EXPECT_LE(most_taken(setup, 128 * mib, [&](auto&, auto at) { helper.hand_over(at); }), 512 * mib);
}

/// The shim's own limits prevent this deadlock.
class ShimThreadsAhead : public testing::TestWithParam<PreloadMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, ShimThreadsAhead,
                         testing::Values(PreloadMode::deferred, PreloadMode::nosplit));

TEST_P(ShimThreadsAhead, do_not_wait_for_what_another_freed) {
  ShimSetup setup(in_mode(GetParam()));
  std::vector<CUdeviceptr> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(setup.alloc(100 * mib));
  // The work may wait for what this thread does after its next request.
  setup.work(setup.make_stream(), blocks[0], mib, 1000 * a_second);
  std::thread([&] {
    for (const CUdeviceptr at : blocks) EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  }).join();
  setup.alloc(100 * mib);
  EXPECT_EQ(setup.driver_allocations(), 5U);
  EXPECT_EQ(setup.calls("cuEventSynchronize"), 0U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST_P(ShimThreadsAhead, do_not_wait_for_what_a_thread_freed_that_ended_before_they_began) {
  ShimSetup setup(in_mode(GetParam()));
  std::vector<CUdeviceptr> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(setup.alloc(100 * mib));
  setup.work(setup.make_stream(), blocks[0], mib, 1000 * a_second);
  // The C library gives the second thread the stack, and so the handle, of the first one.
  pthread_t first{};
  pthread_t second{};
  std::thread([&] {
    first = pthread_self();
    for (const CUdeviceptr at : blocks) EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  }).join();
  std::thread([&] {
    second = pthread_self();
    setup.make_current(setup.context());
    setup.alloc(100 * mib);
  }).join();
  EXPECT_NE(pthread_equal(first, second), 0);
  EXPECT_EQ(setup.calls("cuEventSynchronize"), 0U);
}

TEST_P(ShimThreadsAhead, that_free_wait_only_once_another_one_ran_ahead) {
  ShimSetup setup(in_mode(GetParam()));
  std::vector<CUdeviceptr> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(setup.alloc(100 * mib));
  setup.work(setup.make_stream(), blocks[0], mib, 1000 * a_second);
  for (const CUdeviceptr at : blocks) EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuEventSynchronize"), 0U);
}

}  // namespace
}  // namespace vramlab::tests
