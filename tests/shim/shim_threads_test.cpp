// Many threads in one shim: no race of the program's memory, none of the shim's own (under the
// thread sanitizer), and nothing hangs where memory runs out, captures begin or contexts go in the
// middle.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/shim/setup/shim_program.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using shim::FenceKind;

struct Shape {
  const char* name;
  PreloadMode mode;
  FenceKind fence;
  std::uint64_t memory;
  const char* settings = "";
};

class ShimThreads : public testing::TestWithParam<Shape> {
 protected:
  static ShimSetupOptions options() {
    const Shape& shape = GetParam();
    ShimSetupOptions options = in_mode(shape.mode, shape.settings);
    options.shim.fence = shape.fence;
    options.fake.memory_bytes = shape.memory;
    options.fake.mean_call_ns = 300;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(
    Shapes, ShimThreads,
    testing::Values(
        Shape{"context_event", PreloadMode::deferred, FenceKind::context_event, 8ULL << 30},
        Shape{"stream_events", PreloadMode::deferred, FenceKind::stream_events, 8ULL << 30},
        Shape{"short_of_memory", PreloadMode::deferred, FenceKind::automatic, 768 * mib},
        Shape{"sync", PreloadMode::sync, FenceKind::automatic, 768 * mib},
        Shape{"nosplit", PreloadMode::nosplit, FenceKind::automatic, 768 * mib},
        Shape{"expandable", PreloadMode::deferred, FenceKind::automatic, 8ULL << 30,
              "expandable_segments:True"},
        Shape{"expandable_short_of_memory", PreloadMode::deferred, FenceKind::automatic, 768 * mib,
              "expandable_segments:True"},
        Shape{"expandable_sync", PreloadMode::sync, FenceKind::automatic, 768 * mib,
              "expandable_segments:True"}),
    [](const auto& shape) { return std::string(shape.param.name); });

/// The driver's functions are plain ones: what they do more is kept beside them.
struct ChangedFree {
  decltype(streams::CudaDriver::mem_free) real = nullptr;
  /// Once, right behind the driver's own free.
  std::function<void()> afterwards;
};
ChangedFree& changed_free() {
  static ChangedFree one;
  return one;
}

void change_free(streams::CudaDriver& driver) {
  changed_free() = {driver.mem_free, {}};
  driver.mem_free = [](CUdeviceptr at) {
    const CUresult result = changed_free().real(at);
    if (const auto afterwards = std::exchange(changed_free().afterwards, {})) afterwards();
    return result;
  };
}

/// Each runs `work(i)` with the context current.
template <class Work>
void in_threads(ShimSetup& setup, std::size_t count, const Work& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&setup, &work, i] {
      setup.make_current(setup.context());
      work(i);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(ShimThreads, run_random_programs_without_races) {
  ShimSetup setup(options());
  in_threads(setup, 4, [&](std::size_t i) { ShimProgram(setup, i + 1).run(1500); });
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.shim().arenas()->current()->context().error(), CUDA_SUCCESS);
  const allocator::StatisticValues values = setup.statistics();
  EXPECT_EQ(values.allocation.all.current, 0);
}

TEST_P(ShimThreads, give_back_what_others_took) {
  ShimSetup setup(options());
  constexpr std::size_t count = 300;  // Fit all at once, 2 MiB each in the driver's eyes.
  std::vector<std::atomic<CUdeviceptr>> handed(count);
  in_threads(setup, 2, [&](std::size_t i) {
    for (std::size_t n = 0; n < count; ++n) {
      if (i == 0) {
        handed[n] = setup.alloc(1 + n * 1000);
        continue;
      }
      while (handed[n] == 0) std::this_thread::yield();
      EXPECT_EQ(setup.free(handed[n]), CUDA_SUCCESS);
    }
  });
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST_P(ShimThreads, only_one_of_two_frees_of_a_block_succeeds) {
  ShimSetup setup(options());
  for (int round = 0; round < 100; ++round) {
    const CUdeviceptr at = setup.alloc(mib);
    std::atomic<int> succeeded = 0;
    in_threads(setup, 2, [&](std::size_t) {
      if (setup.shim().mem_free(at) == CUDA_SUCCESS) ++succeeded;
    });
    ASSERT_EQ(succeeded, 1);
    setup.fake()->look([at](fake::FakeCuda& cuda) { cuda.oracle().given_back(at); });
  }
}

TEST_P(ShimThreads, do_not_break_captures) {
  ShimSetup setup(options());
  std::atomic<bool> is_over = false;
  in_threads(setup, 3, [&](std::size_t i) {
    if (i > 0) {
      ShimProgram program(setup, i, ShimProgram::Streams::fixed);
      while (!is_over) program.step();
      return;
    }
    const CUstream stream = setup.make_stream();
    for (int n = 0; n < 200; ++n) {
      if (setup.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS) continue;
      EXPECT_EQ(setup.end_capture(stream), CUDA_SUCCESS);
      std::this_thread::yield();
    }
    is_over = true;
  });
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  EXPECT_EQ(setup.shim().arenas()->current()->context().error(), CUDA_SUCCESS);
}

TEST_P(ShimThreads, survive_that_a_context_goes) {
  ShimSetup setup(options());
  for (int round = 0; round < 20; ++round) {
    const CUcontext context = setup.make_context();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        setup.driver().context_set_current(context);
        if (i == 2) {
          setup.destroy_context(context);
          return;
        }
        for (int n = 0; n < 50; ++n) {
          CUdeviceptr at = 0;
          if (setup.shim().mem_alloc(&at, 1 + static_cast<std::size_t>(n) * 100000) == CUDA_SUCCESS)
            setup.shim().mem_free(at);
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  const auto memory =
      setup.fake()->look([](fake::FakeCuda& cuda) { return cuda.memory().info(0); });
  EXPECT_EQ(memory.free, memory.total) << "what went with no context was given back";
  setup.make_current(setup.context());
  EXPECT_NE(setup.alloc(mib), 0U);
}

class ShimThreadsByMode : public testing::TestWithParam<PreloadMode> {};
INSTANTIATE_TEST_SUITE_P(Modes, ShimThreadsByMode,
                         testing::Values(PreloadMode::deferred, PreloadMode::sync,
                                         PreloadMode::nosplit));

TEST_P(ShimThreadsByMode, end_the_capture_of_another_with_an_error) {
  ShimSetup setup(in_mode(GetParam()));
  setup.alloc(mib);
  const CUstream stream = setup.make_stream();
  const shim::CaptureGate& gate = setup.shim().arenas()->current()->context().gate();
  ASSERT_EQ(setup.begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  in_threads(setup, 1, [&](std::size_t) {
    EXPECT_EQ(setup.end_capture(stream), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  });
  EXPECT_FALSE(gate.is_capturing());
}

TEST_P(ShimThreadsByMode, can_free_what_others_put_where_a_segment_was) {
  ShimSetupOptions changed = in_mode(GetParam());
  changed.change_driver = change_free;
  ShimSetup setup(std::move(changed));
  const CUdeviceptr segment = setup.alloc(30 * mib);
  ASSERT_EQ(setup.free(segment), CUDA_SUCCESS);
  std::thread other;
  std::atomic<bool> has_memory = false;
  changed_free().afterwards = [&] {
    other = std::thread([&] {
      setup.make_current(setup.context());
      CUdeviceptr at = 0;
      EXPECT_EQ(setup.driver().mem_alloc(&at, 30 * mib), CUDA_SUCCESS);
      EXPECT_EQ(at, segment);
      has_memory = true;
      EXPECT_EQ(setup.shim().mem_free(at), CUDA_SUCCESS);
    });
    // The shim does not know yet that the segment is gone.
    while (!has_memory) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  };
  CUdeviceptr at = 0;
  EXPECT_EQ(setup.try_alloc(&at, 100ULL << 30), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_TRUE(other.joinable());
  other.join();
  EXPECT_NE(setup.alloc(mib), 0U);
}

TEST_P(ShimThreadsByMode, leave_a_capture_open_that_they_fail_to_end) {
  ShimSetup setup(in_mode(GetParam()));
  const CUdeviceptr at = setup.alloc(mib);
  const CUstream stream = setup.make_stream();
  const shim::CaptureGate& gate = setup.shim().arenas()->current()->context().gate();
  ASSERT_EQ(setup.begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  const CUstream other = setup.make_stream();
  in_threads(setup, 1,
             [&](std::size_t) { EXPECT_EQ(setup.end_capture(other), CUDA_ERROR_ILLEGAL_STATE); });
  EXPECT_TRUE(gate.is_capturing());
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup.calls("cuCtxRecordEvent") + setup.calls("cuCtxSynchronize"), 0U);
  setup.end_capture(stream);
  EXPECT_FALSE(gate.is_capturing());
}

TEST_P(ShimThreadsByMode, can_free_what_others_put_where_a_context_was) {
  ShimSetup setup(in_mode(GetParam()));
  const CUcontext going = setup.make_context();
  setup.make_current(going);
  const CUdeviceptr before = setup.alloc(30 * mib);
  preload::NamedContext name{going};
  ASSERT_EQ(setup.driver().context_id(going, &name.id), CUDA_SUCCESS);
  setup.shim().before_context_ends(name);
  ASSERT_EQ(reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"))(going),
            CUDA_SUCCESS);
  setup.make_current(setup.context());
  CUdeviceptr at = 0;
  ASSERT_EQ(setup.driver().mem_alloc(&at, 30 * mib), CUDA_SUCCESS);
  ASSERT_EQ(at, before);
  std::thread other([&] {
    setup.make_current(setup.context());
    EXPECT_EQ(setup.shim().mem_free(at), CUDA_SUCCESS);
  });
  // The other thread may not judge yet whose the address is.
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  setup.shim().context_gone(name);
  setup.shim().context_end_is_over();
  other.join();
  EXPECT_EQ(setup.driver_allocations(), 0U);
}

struct ChangedPush {
  decltype(streams::CudaDriver::context_push) real = nullptr;
  /// Once, right behind the driver's own push.
  std::function<void()> afterwards;
};
ChangedPush& changed_push() {
  static ChangedPush one;
  return one;
}

void change_push(streams::CudaDriver& driver) {
  changed_push() = {driver.context_push, {}};
  driver.context_push = [](CUcontext context) {
    const CUresult result = changed_push().real(context);
    if (const auto afterwards = std::exchange(changed_push().afterwards, {})) afterwards();
    return result;
  };
}

TEST_P(ShimThreadsByMode, can_free_while_another_destroys_a_peer) {
  ShimSetupOptions changed = in_mode(GetParam());
  changed.change_driver = change_push;
  ShimSetup setup(std::move(changed));
  const CUcontext peer = setup.make_context();
  setup.make_current(setup.context());
  setup.enable_peer_access(peer, setup.context());
  const CUdeviceptr at = setup.alloc(mib);
  changed_push().afterwards = [&] {
    std::thread([&] {
      const auto destroy = reinterpret_cast<PFN_cuCtxDestroy_v4000>(fake_symbol("cuCtxDestroy_v2"));
      EXPECT_EQ(destroy(peer), CUDA_SUCCESS);
    }).join();
  };
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(mib), 0U);
  EXPECT_FALSE(changed_push().afterwards) << "a fence looked at the peer";
  EXPECT_EQ(setup.shim().arenas()->current()->context().error(), CUDA_SUCCESS);
}

}  // namespace
}  // namespace vramlab::tests
