// Calls of other threads while one is in the driver for the sake of an expandable segment: a kernel
// may wait for another one that a thread is about to launch, and that thread may want memory.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "tests/shim/setup/shim_program.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

enum class Moment { mapping, unmapping, waiting };

/// Happens once inside of a call of the driver, on another thread, before the call goes on.
struct Interruption {
  Moment moment;
  /// 0: in any.
  CUdeviceptr only_at;
  std::function<void()> others;
};
std::atomic<const Interruption*> interruption = nullptr;
streams::CudaDriver the_real_one;

void let_others_in(Moment moment, CUdeviceptr at = 0) {
  const Interruption* wanted = interruption;
  if (wanted == nullptr || wanted->moment != moment) return;
  if (wanted->only_at != 0 && wanted->only_at != at) return;
  if (!interruption.compare_exchange_strong(wanted, nullptr)) return;
  const auto over = std::async(std::launch::async, wanted->others);
  ASSERT_EQ(over.wait_for(std::chrono::minutes(10)), std::future_status::ready)
      << "another thread hangs while this one is in the driver";
}

CUresult slow_map(CUdeviceptr at, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  let_others_in(Moment::mapping, at);
  return the_real_one.mem_map(at, bytes, offset, handle, flags);
}
CUresult slow_unmap(CUdeviceptr at, std::size_t bytes) {
  let_others_in(Moment::unmapping, at);
  return the_real_one.mem_unmap(at, bytes);
}
CUresult slow_wait(CUevent event) {
  let_others_in(Moment::waiting);
  return the_real_one.event_synchronize(event);
}

class ShimThreadsGrowing : public testing::Test {
 protected:
  ShimThreadsGrowing() : setup_(options()) {}
  ~ShimThreadsGrowing() override {
    interruption = nullptr;
    EXPECT_EQ(setup_.races().all(), 0U) << setup_.first_race();
  }
  static ShimSetupOptions options() {
    ShimSetupOptions options = in_mode(PreloadMode::deferred, "expandable_segments:True");
    options.fake.memory_bytes = 256 * mib;
    options.fake.device_count = 2;
    options.change_driver = [](streams::CudaDriver& driver) {
      the_real_one = driver;
      driver.mem_map = slow_map;
      driver.mem_unmap = slow_unmap;
      driver.event_synchronize = slow_wait;
    };
    return options;
  }
  void meanwhile(Moment moment, std::function<void()> others, CUdeviceptr only_at = 0) {
    interruption_ = {moment, only_at, [this, others = std::move(others)] {
                       setup_.make_current(setup_.context());
                       others();
                     }};
    interruption = &interruption_;
  }
  bool has_happened() const { return interruption == nullptr; }

  ShimSetup setup_;
  Interruption interruption_{};
};

TEST_F(ShimThreadsGrowing, others_take_and_free_cached_blocks_while_one_maps) {
  const CUdeviceptr cached = setup_.alloc(5 * mib);
  const CUdeviceptr held = setup_.alloc(5 * mib);
  EXPECT_EQ(setup_.free(cached), CUDA_SUCCESS);
  meanwhile(Moment::mapping, [&] {
    EXPECT_EQ(setup_.free(held), CUDA_SUCCESS);
    EXPECT_EQ(setup_.alloc(10 * mib), cached);
    EXPECT_EQ(setup_.snapshot().segments.size(), 1U);
  });
  EXPECT_EQ(setup_.alloc(60 * mib), cached + 10 * mib);
  EXPECT_TRUE(has_happened());
}

TEST_F(ShimThreadsGrowing, others_grow_too_while_one_undoes_what_did_not_fit) {
  const CUdeviceptr first = setup_.alloc(100 * mib);
  CUdeviceptr other = 0;
  meanwhile(Moment::unmapping, [&] { other = setup_.alloc(mib); });
  CUdeviceptr at = 0;
  EXPECT_EQ(setup_.try_alloc(&at, 200 * mib), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(has_happened());
  EXPECT_NE(other, 0U);
  EXPECT_EQ(setup_.free(first), CUDA_SUCCESS);
}

TEST_F(ShimThreadsGrowing, others_grow_too_while_one_unmaps_what_was_cached) {
  const CUdeviceptr cached = setup_.alloc(100 * mib);
  const CUdeviceptr held = setup_.alloc(20 * mib);
  EXPECT_EQ(setup_.free(cached), CUDA_SUCCESS);
  CUdeviceptr other = 0;
  meanwhile(
      Moment::unmapping,
      [&] {
        other = setup_.alloc(mib);
        EXPECT_EQ(setup_.free(held), CUDA_SUCCESS);
      },
      cached);
  EXPECT_NE(setup_.alloc(160 * mib), 0U);
  EXPECT_TRUE(has_happened());
  EXPECT_NE(other, 0U);
}

TEST_F(ShimThreadsGrowing, others_grow_while_one_waits_for_what_it_was_refused) {
  const CUdeviceptr large = setup_.alloc(100 * mib);
  setup_.work(setup_.make_stream(), large, 100 * mib);
  EXPECT_EQ(setup_.free(large), CUDA_SUCCESS);
  CUdeviceptr other = 0;
  meanwhile(Moment::waiting, [&] { other = setup_.alloc(30 * mib); });
  EXPECT_NE(setup_.alloc(200 * mib), 0U);
  EXPECT_TRUE(has_happened());
  EXPECT_NE(other, 0U);
}

TEST_F(ShimThreadsGrowing, peers_come_and_go_while_segments_grow) {
  const CUcontext peer = setup_.make_context(1);
  setup_.make_current(setup_.context());
  std::atomic<bool> is_over = false;
  std::thread growing([&] {
    setup_.make_current(setup_.context());
    ShimProgram(setup_, 1, ShimProgram::Streams::fixed).run(3000);
    is_over = true;
  });
  while (!is_over) {
    setup_.enable_peer_access(peer, setup_.context());
    setup_.disable_peer_access(peer, setup_.context());
  }
  growing.join();
  EXPECT_EQ(setup_.shim().arenas()->current()->context().error(), CUDA_SUCCESS);
  setup_.enable_peer_access(peer, setup_.context());
  const CUdeviceptr at = setup_.alloc(mib);
  setup_.make_current(peer);
  setup_.work(CU_STREAM_LEGACY, at, mib);
}

}  // namespace
}  // namespace vramlab::tests
