// The rules of captures: while one is open in a context the shim does nothing there that could
// break it, and makes up for it afterwards.
#include <gtest/gtest.h>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using shim::FenceKind;

class ShimCaptures : public testing::TestWithParam<FenceKind> {
 protected:
  ShimCaptures() : setup_(options()) {}
  ~ShimCaptures() override { EXPECT_EQ(setup_.races().all(), 0U) << setup_.first_race(); }

  static ShimSetupOptions options() {
    ShimSetupOptions options;
    options.shim.fence = GetParam();
    return options;
  }
  std::uint64_t own_calls() {
    std::uint64_t count = 0;
    for (const char* name : {"cuCtxRecordEvent", "cuEventRecord", "cuEventQuery",
                             "cuEventSynchronize", "cuCtxSynchronize", "cuMemFree_v2"})
      count += setup_.calls(name);
    return count;
  }

  ShimSetup setup_;
};
std::string fence_name(const testing::TestParamInfo<FenceKind>& fence) {
  switch (fence.param) {
    case FenceKind::context_event:
      return "context_event";
    case FenceKind::stream_events:
      return "stream_events";
    case FenceKind::wait:
      return "wait";
    case FenceKind::automatic:
      break;
  }
  return "automatic";
}
INSTANTIATE_TEST_SUITE_P(Fences, ShimCaptures,
                         testing::Values(FenceKind::context_event, FenceKind::stream_events,
                                         FenceKind::wait),
                         fence_name);

TEST_P(ShimCaptures, rule_1_captures_are_counted_for_the_process) {
  const CUstream stream = setup_.make_stream();
  shim::CaptureGate& gate = setup_.shim().arenas()->current()->context().gate();
  ASSERT_EQ(setup_.begin_capture(stream), CUDA_SUCCESS);
  EXPECT_TRUE(gate.is_capturing());
  EXPECT_NE(setup_.begin_capture(stream), CUDA_SUCCESS) << "it is capturing already";
  EXPECT_TRUE(gate.is_capturing());
  setup_.end_capture(stream);  // It may have been broken by the second beginning.
  EXPECT_FALSE(gate.is_capturing());
  EXPECT_NE(setup_.end_capture(stream), CUDA_SUCCESS) << "it is over already";
  EXPECT_FALSE(gate.is_capturing());
}

TEST_P(ShimCaptures, rule_1_a_capture_that_began_out_of_sight_is_not_broken) {
  const CUdeviceptr at = setup_.alloc(mib);
  const CUstream stream = setup_.make_stream(CU_STREAM_DEFAULT);
  const auto begin =
      reinterpret_cast<PFN_cuStreamBeginCapture_v10010>(fake_symbol("cuStreamBeginCapture_v2"));
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, rule_2_nothing_is_recorded_asked_or_waited_for_in_a_capture) {
  const CUdeviceptr early = setup_.alloc(4 * mib);
  const CUdeviceptr late = setup_.alloc(4 * mib);
  setup_.work(setup_.make_stream(), early, 4 * mib, 1000);
  EXPECT_EQ(setup_.free(early), CUDA_SUCCESS);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const std::uint64_t before = own_calls();
  EXPECT_EQ(setup_.free(late), CUDA_SUCCESS);
  setup_.alloc(mib);
  setup_.alloc(mib);
  setup_.free_memory();
  EXPECT_EQ(own_calls(), before);
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, rule_3_a_request_in_a_capture_gets_the_drivers_answer) {
  const CUdeviceptr cached = setup_.alloc(mib);
  EXPECT_EQ(setup_.free(cached), CUDA_SUCCESS);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUdeviceptr direct = 0;
  CUdeviceptr at = 0;
  EXPECT_EQ(setup_.shim().mem_alloc(&at, mib), setup_.driver().mem_alloc(&direct, mib));
  setup_.end_capture(stream);
}

TEST_P(ShimCaptures, rule_3_a_block_from_a_capture_is_the_drivers) {
  const CUstream stream = setup_.make_stream();
  setup_.alloc(mib);
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const CUdeviceptr at = setup_.alloc(mib);
  ASSERT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
  const std::uint64_t before = setup_.calls("cuMemFree_v2");
  EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  EXPECT_EQ(setup_.calls("cuMemFree_v2"), before + 1);
}

TEST_P(ShimCaptures, rule_4_what_was_freed_in_a_capture_is_fenced_after_it) {
  const CUdeviceptr first = setup_.alloc(4 * mib);
  const CUdeviceptr second = setup_.alloc(3 * mib);
  const CUstream stream = setup_.make_stream();
  setup_.work(setup_.make_stream(), first, 4 * mib);
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(first), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(second), CUDA_SUCCESS);
  EXPECT_EQ(setup_.shim().mem_free(first), CUDA_ERROR_INVALID_VALUE) << "it is free already";
  ASSERT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
  setup_.alloc(512);
  setup_.advance(2000000);
  setup_.alloc(512);
  const CUdeviceptr again = setup_.alloc(7 * mib);
  EXPECT_EQ(again, first) << "both came back, and merged";
}

TEST_P(ShimCaptures, rule_4_the_next_free_fences_what_was_put_off_too) {
  const CUdeviceptr first = setup_.alloc(4 * mib);
  const CUdeviceptr second = setup_.alloc(3 * mib);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(first), CUDA_SUCCESS);
  setup_.alloc(512);
  ASSERT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(second), CUDA_SUCCESS);
  EXPECT_EQ(setup_.alloc(7 * mib), first);
}

TEST_P(ShimCaptures, rule_5_running_out_of_memory_in_a_capture_records_nothing) {
  const CUdeviceptr first = setup_.alloc(4 * mib);
  setup_.work(setup_.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup_.free(first), CUDA_SUCCESS);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const auto records = [&] {
    return setup_.calls("cuCtxRecordEvent") + setup_.calls("cuEventRecord") +
           setup_.calls("cuCtxSynchronize");
  };
  const std::uint64_t before = records();
  CUdeviceptr at = 0;
  EXPECT_EQ(setup_.try_alloc(&at, 100ULL << 30), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(records(), before);
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, rule_6_work_put_on_a_stream_after_a_capture_is_covered_there) {
  const CUdeviceptr at = setup_.alloc(4 * mib);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  setup_.work(stream, at, 4 * mib);
  const CUgraph graph = setup_.end_capture_as_graph(stream);
  setup_.launch(graph, stream);
  EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  const CUdeviceptr next = setup_.alloc(4 * mib);
  if (GetParam() != FenceKind::wait) {
    EXPECT_NE(next, at);
  }
}

TEST_P(ShimCaptures, a_free_in_stream_order_is_refused_on_a_capturing_stream) {
  const CUdeviceptr at = setup_.alloc(mib);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(setup_.shim().mem_free_async(at, {stream}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, work_on_a_stream_that_is_destroyed_in_a_capture_is_waited_for) {
  const CUdeviceptr at = setup_.alloc(4 * mib);
  const CUstream busy = setup_.make_stream();
  setup_.work(busy, at, 4 * mib);
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  const std::uint64_t before = own_calls();
  setup_.destroy_stream(busy);
  EXPECT_EQ(own_calls(), before);
  ASSERT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
  EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  setup_.alloc(4 * mib);
  EXPECT_EQ(setup_.free(setup_.alloc(mib)), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, one_that_a_stream_of_another_device_joined_survives_a_free_there) {
  ShimSetupOptions two = options();
  two.fake.device_count = 2;
  ShimSetup setup(std::move(two));
  const CUstream began = setup.make_stream();
  const CUcontext other = setup.make_context(1);
  const CUstream joined = setup.make_stream();
  const CUdeviceptr at = setup.alloc(4 * mib);
  setup.make_current(setup.context());
  ASSERT_EQ(setup.begin_capture(began, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  CUevent event = nullptr;
  CUevent back = nullptr;
  const streams::CudaDriver& driver = setup.driver();
  ASSERT_EQ(driver.event_create(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(driver.event_record(event, began), CUDA_SUCCESS);
  setup.make_current(other);
  ASSERT_EQ(driver.event_create(&back, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(driver.stream_wait_event(joined, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  setup.alloc(mib);
  ASSERT_EQ(driver.event_record(back, joined), CUDA_SUCCESS);
  setup.make_current(setup.context());
  ASSERT_EQ(driver.stream_wait_event(began, back, 0), CUDA_SUCCESS);
  EXPECT_EQ(setup.end_capture(began), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, of_a_context_end_with_it) {
  const CUcontext other = setup_.make_context();
  setup_.alloc(mib);
  ASSERT_EQ(setup_.begin_capture(setup_.make_stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  setup_.make_current(setup_.context());
  setup_.destroy_context(other);
  EXPECT_FALSE(setup_.shim().arenas()->gate().is_capturing());
}

TEST_P(ShimCaptures, a_stream_with_the_handle_of_one_that_is_gone_belongs_to_its_own_context) {
  const CUcontext other = setup_.make_context();
  CUstream stream = nullptr;
  ASSERT_EQ(setup_.driver().stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  setup_.alloc(mib);
  setup_.make_current(setup_.context());
  setup_.alloc(mib);
  setup_.shim().stream_created(stream, CU_STREAM_NON_BLOCKING, nullptr);  // As if seen before.
  setup_.destroy_context(setup_.context());
  setup_.make_current(other);
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_TRUE(setup_.shim().arenas()->current()->context().gate().is_capturing());
  EXPECT_EQ(setup_.end_capture(stream), CUDA_SUCCESS);
}

TEST_P(ShimCaptures, an_answer_that_a_capture_is_in_the_way_is_not_kept) {
  const CUdeviceptr first = setup_.alloc(30 * mib);
  setup_.work(setup_.make_stream(), first, 30 * mib);
  EXPECT_EQ(setup_.free(first), CUDA_SUCCESS);
  setup_.fail("cuEventQuery", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 1);
  EXPECT_NE(setup_.alloc(mib), 0U);
  setup_.advance(2000000);
  CUdeviceptr at = 0;
  setup_.fail("cuMemFree_v2", CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 1);
  EXPECT_EQ(setup_.try_alloc(&at, 100ULL << 30), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(setup_.alloc(mib), 0U);
  EXPECT_EQ(setup_.driver_allocations(), 1U) << "the segment goes with the next call";
}

TEST_P(ShimCaptures, a_capturing_stream_that_is_destroyed_ends_its_capture) {
  const CUstream stream = setup_.make_stream();
  ASSERT_EQ(setup_.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  setup_.shim().before_stream_destroyed(stream);
  EXPECT_FALSE(setup_.shim().arenas()->current()->context().gate().is_capturing());
}

TEST(ShimLongCaptures, are_told_to_who_frees_in_them) {
  for (const auto patience : {std::chrono::nanoseconds(0), std::chrono::nanoseconds::max()}) {
    ShimSetupOptions options;
    std::vector<std::string> said;
    options.shim.say = [&](const std::string& sentence) { said.push_back(sentence); };
    options.shim.long_capture = patience;
    ShimSetup setup(std::move(options));
    const CUstream stream = setup.make_stream();
    EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
    EXPECT_TRUE(said.empty()) << "no capture is open";
    const CUdeviceptr at = setup.alloc(mib);
    const CUdeviceptr other = setup.alloc(mib);
    ASSERT_EQ(setup.begin_capture(stream), CUDA_SUCCESS);
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
    EXPECT_EQ(setup.free_on(other, setup.make_stream()), CUDA_SUCCESS);
    const bool is_long = patience.count() == 0;
    EXPECT_EQ(said.size(), is_long ? 2U : 0U) << "each time, of which the library says one";
    if (is_long) {
      EXPECT_EQ(said.front(), said.back());
    }
    setup.end_capture(stream);
  }
}

}  // namespace
}  // namespace vramlab::tests
