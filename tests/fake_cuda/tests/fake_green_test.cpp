#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class FakeGreenContexts : public FakeTest {};

TEST_F(FakeGreenContexts, an_event_of_the_primary_context_covers_their_streams) {
  CUgreenCtx green = nullptr;
  CUstream stream = nullptr;
  const CUevent event = make_event();
  ASSERT_EQ(symbol<PFN_cuGreenCtxCreate_v12040>("cuGreenCtxCreate")(&green, nullptr, 0, 1),
            CUDA_SUCCESS);
  ASSERT_EQ(symbol<PFN_cuGreenCtxStreamCreate_v12050>("cuGreenCtxStreamCreate")(
                &stream, green, CU_STREAM_NON_BLOCKING, 0),
            CUDA_SUCCESS);
  use(allocate(), 1000, stream);
  EXPECT_EQ(cu_.context_record_event(context_, event), CUDA_SUCCESS);
  EXPECT_EQ(cu_.event_query(event), CUDA_ERROR_NOT_READY);
  fake_cuda_advance(1000);
  EXPECT_EQ(cu_.event_query(event), CUDA_SUCCESS);
}

TEST_F(FakeGreenContexts, one_is_a_context_with_an_id_of_its_own_until_it_is_destroyed) {
  CUgreenCtx green = nullptr;
  CUcontext made = nullptr;
  unsigned long long own = 0;
  unsigned long long primary = 0;
  symbol<PFN_cuGreenCtxCreate_v12040>("cuGreenCtxCreate")(&green, nullptr, 0, 1);
  ASSERT_EQ(symbol<PFN_cuCtxFromGreenCtx_v12040>("cuCtxFromGreenCtx")(&made, green), CUDA_SUCCESS);
  EXPECT_EQ(cu_.context_id(made, &own), CUDA_SUCCESS);
  EXPECT_EQ(cu_.context_id(context_, &primary), CUDA_SUCCESS);
  EXPECT_NE(own, primary);
  EXPECT_EQ(cu_.context_set_current(made), CUDA_SUCCESS);
  const CUdeviceptr at = allocate();
  cu_.context_set_current(context_);
  EXPECT_EQ(symbol<PFN_cuGreenCtxDestroy_v12040>("cuGreenCtxDestroy")(green), CUDA_SUCCESS);
  EXPECT_EQ(cu_.context_set_current(made), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cu_.mem_free(at), CUDA_SUCCESS);
}

}  // namespace
}  // namespace vramlab::fake
