// Fences are lazy: one covers all that was freed before it, and is recorded when the next request
// wants memory. What they cost in calls of the driver, and what happens where the driver refuses
// one.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;
using shim::FenceKind;

enum class Work { none, on_all_streams };

struct Case {
  const char* name;
  FenceKind fence;
  std::size_t streams;
  Work work = Work::on_all_streams;
};

std::uint64_t all_calls(ShimSetup& setup) {
  return setup.fake()->look([](fake::FakeCuda& cuda) { return cuda.log().count(); });
}

/// The calls that 500 frees and a request behind them take.
std::uint64_t calls_of_a_burst(ShimSetup& setup, const std::vector<CUstream>& streams, Work work) {
  std::vector<CUdeviceptr> blocks(500);
  for (CUdeviceptr& at : blocks) at = setup.alloc(64 * kib);
  if (work == Work::on_all_streams)
    for (const CUstream stream : streams) setup.work(stream, blocks[0], 64 * kib);
  const std::uint64_t before = all_calls(setup);
  for (const CUdeviceptr at : blocks) EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  const CUdeviceptr next = setup.alloc(64 * kib);
  const std::uint64_t calls = all_calls(setup) - before;
  setup.advance(10000000);
  EXPECT_EQ(setup.free(next), CUDA_SUCCESS);
  return calls;
}

class ShimFenceCosts : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Cases, ShimFenceCosts,
    testing::Values(Case{"context_event_1", FenceKind::context_event, 1},
                    Case{"context_event_128", FenceKind::context_event, 128},
                    Case{"stream_events_1", FenceKind::stream_events, 1},
                    Case{"stream_events_128", FenceKind::stream_events, 128},
                    Case{"idle_stream_events_1", FenceKind::stream_events, 1, Work::none},
                    Case{"idle_stream_events_128", FenceKind::stream_events, 128, Work::none}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(ShimFenceCosts, a_burst_of_frees_and_the_next_request_take_a_few_calls) {
  ShimSetupOptions options;
  options.shim.fence = GetParam().fence;
  ShimSetup setup(std::move(options));
  std::vector<CUstream> streams;
  for (std::size_t i = 0; i < GetParam().streams; ++i) streams.push_back(setup.make_stream());
  const std::uint64_t allowed =
      8 + (GetParam().fence == FenceKind::stream_events ? 2 * GetParam().streams : 0);
  // The first rounds make the events, and learn which streams have work.
  for (int round = 0; round < 3; ++round) calls_of_a_burst(setup, streams, GetParam().work);
  const std::uint64_t events = setup.calls("cuEventCreate");
  for (int round = 0; round < 3; ++round) {
    const std::uint64_t calls = calls_of_a_burst(setup, streams, GetParam().work);
    EXPECT_LE(calls, allowed);
    RecordProperty("calls", std::to_string(calls));
  }
  EXPECT_EQ(setup.calls("cuEventCreate"), events) << "events are used again";
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimFences, cover_work_on_a_stream_that_was_idle_before) {
  ShimSetupOptions options;
  options.shim.fence = FenceKind::stream_events;
  ShimSetup setup(std::move(options));
  const CUstream stream = setup.make_stream();
  for (int round = 0; round < 3; ++round) EXPECT_EQ(setup.free(setup.alloc(mib)), CUDA_SUCCESS);
  const CUdeviceptr at = setup.alloc(4 * mib);
  setup.work(stream, at, 4 * mib);
  EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  EXPECT_NE(setup.alloc(4 * mib), at);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

TEST(ShimFences, of_all_that_was_freed_during_a_peers_capture_are_one) {
  ShimSetupOptions options;
  options.fake.device_count = 2;
  ShimSetup setup(std::move(options));
  const CUcontext peer = setup.make_context(1);
  const CUstream far = setup.make_stream();
  setup.enable_peer_access(peer, setup.context());
  setup.make_current(setup.context());
  std::vector<CUdeviceptr> blocks(2000);
  for (CUdeviceptr& at : blocks) at = setup.alloc(512);
  setup.make_current(peer);
  ASSERT_EQ(setup.begin_capture(far, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  setup.make_current(setup.context());
  for (const CUdeviceptr at : blocks) EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  for (int i = 0; i < 10; ++i) setup.alloc(512);
  EXPECT_EQ(setup.calls("cuCtxRecordEvent"), 0U);
  setup.make_current(peer);
  EXPECT_EQ(setup.end_capture(far), CUDA_SUCCESS);
  setup.make_current(setup.context());
  setup.alloc(512);
  EXPECT_EQ(setup.calls("cuCtxRecordEvent"), 2U) << "one in each context";
  EXPECT_EQ(setup.alloc(512 * 1990), blocks[1]) << "all came back, and merged";
}

TEST(ShimFences, of_a_free_on_another_contexts_stream_are_on_that_stream) {
  for (const FenceKind kind : {FenceKind::context_event, FenceKind::stream_events}) {
    ShimSetupOptions options;
    options.shim.fence = kind;
    ShimSetup setup(std::move(options));
    const CUcontext other = setup.make_context();
    const CUstream far = setup.make_stream();  // The other context is current.
    setup.make_current(setup.context());
    const CUdeviceptr at = setup.alloc(4 * mib);
    setup.make_current(other);
    setup.work(far, at, 4 * mib);
    setup.make_current(setup.context());
    EXPECT_EQ(setup.free_on(at, far), CUDA_SUCCESS);
    EXPECT_NE(setup.alloc(4 * mib), at);
    setup.advance(10000000);
    setup.alloc(512);
    EXPECT_EQ(setup.alloc(4 * mib), at);
    EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  }
}

TEST(ShimFences, of_a_free_on_another_contexts_stream_in_a_capture_cover_that_context_later) {
  for (const FenceKind kind : {FenceKind::context_event, FenceKind::stream_events}) {
    ShimSetupOptions options;
    options.shim.fence = kind;
    ShimSetup setup(std::move(options));
    const CUcontext other = setup.make_context();
    const CUstream far = setup.make_stream();  // The other context is current.
    setup.make_current(setup.context());
    const CUstream captured = setup.make_stream();
    const CUdeviceptr at = setup.alloc(4 * mib);
    setup.make_current(other);
    setup.work(far, at, 4 * mib);
    setup.make_current(setup.context());
    ASSERT_EQ(setup.begin_capture(captured, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    EXPECT_EQ(setup.free_on(at, far), CUDA_SUCCESS);
    ASSERT_EQ(setup.end_capture(captured), CUDA_SUCCESS);
    EXPECT_NE(setup.alloc(4 * mib), at);
    setup.advance(10000000);
    EXPECT_EQ(setup.alloc(4 * mib), at);
    EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
  }
}

struct RefusedCall {
  const char* name;
  const char* function;
  CUresult result;
};

class ShimFenceRefusals : public testing::TestWithParam<RefusedCall> {
 protected:
  ShimFenceRefusals() : setup_(options()) {}
  ShimSetupOptions options() {
    ShimSetupOptions options;
    options.shim.say = [this](const std::string& sentence) { said_.push_back(sentence); };
    return options;
  }
  std::vector<std::string> said_;
  ShimSetup setup_;
};
INSTANTIATE_TEST_SUITE_P(
    Errors, ShimFenceRefusals,
    testing::Values(RefusedCall{"no_context_events", "cuCtxRecordEvent", CUDA_ERROR_NOT_SUPPORTED},
                    RefusedCall{"bad_value", "cuCtxRecordEvent", CUDA_ERROR_INVALID_VALUE},
                    RefusedCall{"in_a_callback", "cuCtxRecordEvent", CUDA_ERROR_NOT_PERMITTED},
                    RefusedCall{"query", "cuEventQuery", CUDA_ERROR_INVALID_VALUE},
                    RefusedCall{"query_in_a_callback", "cuEventQuery", CUDA_ERROR_NOT_PERMITTED},
                    RefusedCall{"captures", "cuStreamIsCapturing", CUDA_ERROR_NOT_SUPPORTED}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(ShimFenceRefusals, once_are_not_for_ever) {
  const CUdeviceptr first = setup_.alloc(4 * mib);
  setup_.work(setup_.make_stream(), first, 4 * mib);
  EXPECT_EQ(setup_.free(first), CUDA_SUCCESS);
  setup_.fail(GetParam().function, GetParam().result, 1);
  EXPECT_NE(setup_.alloc(4 * mib), first);
  setup_.advance(10000000);
  const CUdeviceptr third = setup_.alloc(4 * mib);
  EXPECT_EQ(setup_.free(third), CUDA_SUCCESS);
  setup_.alloc(512);
  EXPECT_EQ(setup_.alloc(4 * mib), first);
  EXPECT_EQ(setup_.races().all(), 0U) << setup_.first_race();
}

TEST_P(ShimFenceRefusals, always_do_not_stop_the_program) {
  const CUstream stream = setup_.make_stream();
  setup_.fail(GetParam().function, GetParam().result);
  for (int round = 0; round < 20; ++round) {
    const CUdeviceptr at = setup_.alloc(4 * mib);
    setup_.work(stream, at, 4 * mib);
    EXPECT_EQ(setup_.free(at), CUDA_SUCCESS);
  }
  EXPECT_EQ(setup_.races().all(), 0U) << setup_.first_race();
  if (GetParam().result != CUDA_ERROR_NOT_PERMITTED) {
    EXPECT_FALSE(said_.empty());
  }
}

TEST(ShimFences, without_events_of_contexts_are_events_of_streams) {
  ShimSetup setup;
  setup.fail("cuCtxRecordEvent", CUDA_ERROR_NOT_SUPPORTED);
  const CUstream stream = setup.make_stream();
  for (int round = 0; round < 5; ++round) {
    const CUdeviceptr at = setup.alloc(4 * mib);
    setup.work(stream, at, 4 * mib, 1000);
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
    setup.advance(2000);
  }
  EXPECT_EQ(setup.calls("cuCtxRecordEvent"), 1U) << "it is not asked for again";
  EXPECT_EQ(setup.calls("cuCtxSynchronize"), 0U);
  EXPECT_LE(setup.driver_allocations(), 2U);
  EXPECT_EQ(setup.races().all(), 0U) << setup.first_race();
}

}  // namespace
}  // namespace vramlab::tests
