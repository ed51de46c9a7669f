#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class FakeStreamsAndEvents : public FakeTest {
 protected:
  CUgraph end_capture(CUstream stream, CUresult expected = CUDA_SUCCESS) {
    CUgraph graph = nullptr;
    EXPECT_EQ(symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream, &graph),
              expected);
    return graph;
  }
  CUresult begin_capture(CUstream stream,
                         CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    return symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2")(stream, mode);
  }
};
using FakeCaptures = FakeStreamsAndEvents;

TEST_F(FakeStreamsAndEvents, work_is_pending_until_its_time_has_come) {
  const CUstream stream = make_stream();
  use(allocate(), 1000, stream);
  EXPECT_EQ(cu_.stream_query(stream), CUDA_ERROR_NOT_READY);
  fake_cuda_advance(1000);
  EXPECT_EQ(cu_.stream_query(stream), CUDA_SUCCESS);
}

TEST_F(FakeStreamsAndEvents, waiting_lets_time_pass) {
  const CUstream stream = make_stream();
  use(allocate(), 1000, stream);
  EXPECT_EQ(cu_.stream_synchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(fake_cuda_now(), 1000U);
  EXPECT_EQ(cu_.stream_query(stream), CUDA_SUCCESS);
}

TEST_F(FakeStreamsAndEvents, an_event_of_the_context_waits_for_destroyed_streams_too) {
  const CUstream stream = make_stream();
  const CUevent event = make_event();
  use(allocate(), 1000, stream);
  EXPECT_EQ(cu_.stream_destroy(stream), CUDA_SUCCESS);
  EXPECT_EQ(cu_.context_record_event(context_, event), CUDA_SUCCESS);
  EXPECT_EQ(cu_.event_query(event), CUDA_ERROR_NOT_READY);
  fake_cuda_advance(1000);
  EXPECT_EQ(cu_.event_query(event), CUDA_SUCCESS);
}

TEST_F(FakeStreamsAndEvents, an_event_of_the_legacy_stream_misses_non_blocking_streams) {
  const CUevent event = make_event();
  use(allocate(), 1000, make_stream(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(cu_.event_record(event, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu_.event_query(event), CUDA_SUCCESS);
  use(allocate(), 1000, make_stream(CU_STREAM_DEFAULT));
  EXPECT_EQ(cu_.event_record(event, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu_.event_query(event), CUDA_ERROR_NOT_READY);
}

TEST_F(FakeStreamsAndEvents, stream_0_of_the_per_thread_variants_is_the_thread_s_own) {
  use(allocate(), 1000, nullptr, "cuLaunchKernel_ptsz");
  const auto query_own = symbol<PFN_cuStreamQuery_v7000_ptsz>("cuStreamQuery_ptsz");
  EXPECT_EQ(query_own(nullptr), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu_.stream_query(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  // It is a blocking stream, so the legacy one speaks for it.
  EXPECT_EQ(query_own(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
  fake_cuda_advance(1000);
  EXPECT_EQ(query_own(nullptr), CUDA_SUCCESS);
}

TEST_F(FakeStreamsAndEvents, a_destroyed_stream_s_handle_is_the_next_one_s) {
  const CUstream first = make_stream();
  use(allocate(), 1000, first);
  cu_.stream_destroy(first);
  const CUstream second = make_stream();
  EXPECT_EQ(first, second);
  EXPECT_EQ(cu_.stream_query(second), CUDA_SUCCESS);
  EXPECT_EQ(cu_.stream_destroy(second), CUDA_SUCCESS);
  EXPECT_EQ(cu_.stream_destroy(second), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(FakeStreamsAndEvents, calls_take_time_where_the_options_say_so) {
  fake_cuda_set_call_time(100);
  for (int call = 0; call < 100; ++call) cu_.stream_query(nullptr);
  EXPECT_GT(fake_cuda_now(), 5'000U);
  EXPECT_LT(fake_cuda_now(), 15'000U);
}

TEST_F(FakeCaptures, memory_asked_for_in_a_strict_capture_is_refused_and_loses_it) {
  const CUstream stream = make_stream();
  EXPECT_EQ(begin_capture(stream), CUDA_SUCCESS);
  CUdeviceptr at = 0;
  EXPECT_EQ(cu_.mem_alloc(&at, 4096), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  end_capture(stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(FakeCaptures, a_thread_that_relaxes_its_mode_may_ask_for_memory) {
  const CUstream stream = make_stream();
  EXPECT_EQ(begin_capture(stream), CUDA_SUCCESS);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(cu_.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  allocate();
  EXPECT_EQ(cu_.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  end_capture(stream);
}

TEST_F(FakeCaptures, an_event_of_the_context_and_its_synchronisation_lose_every_capture_in_it) {
  for (const bool synchronises : {false, true}) {
    const CUstream stream = make_stream();
    EXPECT_EQ(begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    EXPECT_EQ(
        synchronises ? cu_.context_synchronize() : cu_.context_record_event(context_, make_event()),
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_capture(stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
}

TEST_F(FakeCaptures, what_is_asked_about_a_capture_is_told) {
  const CUstream stream = make_stream();
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  const CUdeviceptr at = allocate();
  EXPECT_EQ(begin_capture(stream), CUDA_SUCCESS);
  use(at, 10, stream);
  use(at, 10, stream);
  EXPECT_EQ(cu_.stream_capture_info(stream, &status, &id, nullptr, &nodes, &count), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(id, 0U);
  ASSERT_EQ(count, 1U);
  CUgraphNode before[2] = {};
  std::size_t before_count = 2;
  EXPECT_EQ(cu_.graph_node_dependencies(nodes[0], before, &before_count), CUDA_SUCCESS);
  EXPECT_EQ(before_count, 1U);
  end_capture(stream);
  EXPECT_EQ(cu_.stream_is_capturing(stream, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(FakeCaptures, a_graph_s_work_uses_its_memory_at_each_launch_and_not_while_it_is_captured) {
  const CUstream stream = make_stream();
  const CUdeviceptr at = allocate();
  begin_capture(stream);
  use(at, 1000, stream);
  const CUgraph graph = end_capture(stream);
  EXPECT_EQ(fake_cuda_is_in_use(at, 1), 0);
  CUgraphExec made = nullptr;
  EXPECT_EQ(symbol<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiateWithFlags")(&made,
                                                                                          graph, 0),
            CUDA_SUCCESS);
  for (int launch = 0; launch < 2; ++launch) {
    EXPECT_EQ(symbol<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")(made, stream), CUDA_SUCCESS);
    EXPECT_EQ(fake_cuda_is_in_use(at, 1), 1);
    cu_.stream_synchronize(stream);
    EXPECT_EQ(fake_cuda_is_in_use(at, 1), 0);
  }
}

}  // namespace
}  // namespace vramlab::fake
