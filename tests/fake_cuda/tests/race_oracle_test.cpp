// The oracle is loud where memory is in use, and silent where it is not.
#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

class RaceOracleTest : public FakeTest {
 protected:
  RaceCounts counts() {
    return fake_->look([](FakeCuda& fake) { return fake.oracle().counts(); });
  }
  std::string first() {
    return fake_->look([](FakeCuda& fake) { return fake.oracle().first(); });
  }
};
class RaceOracleWithoutWaiting : public RaceOracleTest {
 protected:
  RaceOracleWithoutWaiting() { fake_->options().free_rule = FreeRule::returns_at_once; }
};

TEST_F(RaceOracleTest, memory_handed_out_under_an_earlier_owner_s_work_is_a_race) {
  const CUdeviceptr at = allocate();
  fake_cuda_handed_out(at, 4096);
  use(at, 1000, make_stream());
  fake_cuda_given_back(at);
  fake_cuda_handed_out(at + 512, 100);
  EXPECT_EQ(counts().handed_out_in_use, 1U);
  EXPECT_EQ(fake_cuda_race_count(), 1U);
  EXPECT_EQ(first(),
            "100 bytes at 0x200000000200 were handed out while work 1 of an earlier owner still "
            "writes 4096 bytes at 0x200000000000");
}

TEST_F(RaceOracleTest, memory_handed_out_when_the_work_is_done_is_none) {
  const CUdeviceptr at = allocate();
  fake_cuda_handed_out(at, 4096);
  use(at, 1000, make_stream());
  fake_cuda_given_back(at);
  fake_cuda_advance(1000);
  fake_cuda_handed_out(at, 4096);
  EXPECT_EQ(fake_cuda_race_count(), 0U);
}

TEST_F(RaceOracleTest, work_beside_it_is_none) {
  const CUdeviceptr at = allocate();
  use(at + 4096, 1000, make_stream());
  fake_cuda_handed_out(at, 4096);
  fake_cuda_handed_out(at + 8192, 4096);
  EXPECT_EQ(fake_cuda_race_count(), 0U);
}

TEST_F(RaceOracleTest, an_event_that_misses_a_stream_is_found) {
  const CUdeviceptr at = allocate();
  const CUevent event = make_event();
  fake_cuda_handed_out(at, 4096);
  use(at, 1000, make_stream(CU_STREAM_NON_BLOCKING));
  cu_.event_record(event, nullptr);
  fake_cuda_given_back(at);
  ASSERT_EQ(cu_.event_query(event), CUDA_SUCCESS);
  fake_cuda_handed_out(at, 4096);
  EXPECT_EQ(fake_cuda_race_count(), 1U);
}

TEST_F(RaceOracleTest, an_event_of_the_context_misses_nothing) {
  const CUdeviceptr at = allocate();
  const CUevent event = make_event();
  fake_cuda_handed_out(at, 4096);
  use(at, 1000, make_stream(CU_STREAM_NON_BLOCKING));
  use(at, 3000, nullptr, "cuLaunchKernel_ptsz");
  cu_.context_record_event(context_, event);
  fake_cuda_given_back(at);
  while (cu_.event_query(event) == CUDA_ERROR_NOT_READY) fake_cuda_advance(100);
  fake_cuda_handed_out(at, 4096);
  EXPECT_EQ(fake_cuda_race_count(), 0U);
}

TEST_F(RaceOracleTest, memory_that_somebody_has_is_not_handed_out_again) {
  const CUdeviceptr at = allocate();
  fake_cuda_handed_out(at, 4096);
  fake_cuda_handed_out(at + 4095, 1);
  EXPECT_EQ(counts().handed_out_twice, 1U);
  fake_cuda_given_back(at);
  fake_cuda_handed_out(at + 4096, 1);
  EXPECT_EQ(counts().handed_out_twice, 1U);
}

TEST_F(RaceOracleTest, a_free_that_waits_is_noted_and_is_no_race) {
  const CUdeviceptr at = allocate();
  use(at, 1000, make_stream());
  cu_.mem_free(at);
  EXPECT_EQ(fake_cuda_now(), 1000U);
  EXPECT_EQ(fake_cuda_race_count(), 0U);
  EXPECT_EQ(fake_cuda_freed_in_use_but_waited(), 1U);
}

TEST_F(RaceOracleWithoutWaiting, a_free_that_does_not_wait_is_a_race) {
  const CUdeviceptr at = allocate();
  use(at, 1000, make_stream());
  cu_.mem_free(at);
  EXPECT_EQ(counts().released_in_use, 1U);
  EXPECT_EQ(first(),
            "1048576 bytes at 0x200000000000 were released while work 1 still uses 4096 bytes at "
            "0x200000000000");
}

TEST_F(RaceOracleTest, memory_unmapped_under_work_is_a_race) {
  CUmemAllocationProp wish{};
  wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  constexpr std::size_t unit = 2 << 20;
  CUmemGenericAllocationHandle handle = 0;
  CUmemAccessDesc access{wish.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUdeviceptr at = 0;
  cu_.address_reserve(&at, unit, 0, 0, 0);
  cu_.mem_create(&handle, unit, &wish, 0);
  cu_.mem_map(at, unit, 0, handle, 0);
  cu_.mem_set_access(at, unit, &access, 1);
  use(at, 1000, make_stream());
  EXPECT_EQ(fake_cuda_race_count(), 0U);
  EXPECT_EQ(cu_.mem_unmap(at, unit), CUDA_SUCCESS);
  EXPECT_EQ(counts().released_in_use, 1U);
}

TEST_F(RaceOracleTest, work_on_memory_that_is_not_there_is_found) {
  const CUdeviceptr at = allocate();
  cu_.mem_free(at);
  use(at, 1000, nullptr);
  EXPECT_EQ(counts().used_without_memory, 1U);
}

}  // namespace
}  // namespace vramlab::fake
