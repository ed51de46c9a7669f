// PyTorch's part, played by the contract of torch.cuda.memory.CUDAPluggableAllocator.
#include "tests/live/torch/torch_plugin.h"

#include <gmock/gmock.h>

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

TEST_F(TorchPlugin, what_is_freed_is_given_out_again_without_the_driver) {
  void* const first = torch_.malloc(5 * mib, 0, nullptr);
  torch_.free(first, 5 * mib, 0, nullptr);
  EXPECT_EQ(torch_.malloc(5 * mib, 0, nullptr), first);
  EXPECT_EQ(stats()["num_device_alloc"], 1);
  EXPECT_EQ(stats()["allocation.all.current"], 1);
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 20 * mib);
}

TEST_F(TorchPlugin, size_0_gives_null_and_null_can_be_freed) {
  EXPECT_EQ(torch_.malloc(0, 0, nullptr), nullptr);
  torch_.free(nullptr, 0, 0, nullptr);
  EXPECT_EQ(stats()["allocation.all.allocated"], 0);
}

TEST_F(TorchPlugin, a_request_that_does_not_fit_throws_bad_alloc_with_the_figures) {
  try {
    torch_.malloc(1024 * mib, 0, nullptr);
    ADD_FAILURE() << "256 MiB hold no 1 GiB";
  } catch (const std::bad_alloc& error) {
    EXPECT_THAT(error.what(), HasSubstr("1.00 GiB"));
    EXPECT_THAT(error.what(), HasSubstr("CUDA out of memory.")) << "libraries look for it";
  }
  EXPECT_EQ(stats()["num_ooms"], 1);
  EXPECT_NE(torch_.malloc(mib, 0, nullptr), nullptr);
}

TEST_F(TorchPlugin, a_callback_frees_before_the_driver_is_asked) {
  struct Cache {
    const TorchLibrary& torch;
    void* block;
  } cache{torch_, torch_.malloc(5 * mib, 0, nullptr)};
  torch_.malloc(15 * mib, 0, nullptr);
  const auto drop = [](void* argument) {
    auto& held = *static_cast<Cache*>(argument);
    if (held.block == nullptr) return 0;
    held.torch.free(std::exchange(held.block, nullptr), 0, 0, nullptr);
    return 1;
  };
  torch_.malloc(15 * mib, 0, nullptr);
  ASSERT_EQ(torch_.add_callback(0, drop, &cache), 0);
  void* const dropped = cache.block;
  const auto before = stats()["num_device_alloc"];
  EXPECT_NE(torch_.malloc(20 * mib, 0, nullptr), dropped);
  EXPECT_EQ(cache.block, nullptr);
  EXPECT_EQ(torch_.malloc(5 * mib, 0, nullptr), dropped);
  EXPECT_EQ(stats()["num_device_alloc"], before.get<int>() + 1);
}

TEST_F(TorchPlugin, the_size_device_and_stream_of_a_free_do_not_count) {
  void* const block = torch_.malloc(3 * mib, 0, nullptr);
  torch_.free(block, 7, 1, new_stream());
  EXPECT_EQ(stats()["allocation.all.current"], 0);
  EXPECT_EQ(torch_.malloc(3 * mib, 0, nullptr), block);
}

TEST_F(TorchPlugin, a_free_of_what_is_none_of_its_blocks_is_told_and_does_no_harm) {
  void* const block = torch_.malloc(3 * mib, 0, nullptr);
  testing::internal::CaptureStderr();
  torch_.free(static_cast<char*>(block) + 512, 512, 0, nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("none of its blocks"));
  EXPECT_EQ(stats()["allocation.all.current"], 1);
}

TEST_F(TorchPlugin, a_block_used_on_another_stream_waits_for_its_work) {
  const CUstream other = new_stream();
  void* const block = torch_.malloc(5 * mib, 0, nullptr);
  submit_work(other, 1'000'000);
  torch_.record_stream(block, other);
  torch_.free(block, 5 * mib, 0, nullptr);
  EXPECT_NE(torch_.malloc(5 * mib, 0, nullptr), block) << "the other stream still works on it";
  advance(2'000'000);
  EXPECT_EQ(torch_.malloc(5 * mib, 0, nullptr), block);
}

TEST_F(TorchPlugin, a_stream_recorded_on_what_is_none_of_its_blocks_is_passed_over) {
  // Tensors that other processes share, or that a library brought, are recorded like any other.
  CUdeviceptr elsewhere = 0;
  driver_.find<PFN_cuMemAlloc_v3020>("cuMemAlloc_v2")(&elsewhere, mib);
  EXPECT_NO_THROW(torch_.record_stream(reinterpret_cast<void*>(elsewhere), new_stream()));
  EXPECT_NO_THROW(torch_.record_stream(nullptr, new_stream()));
}

TEST_F(TorchPlugin, the_size_and_stream_of_an_older_block_do_not_count_at_a_free) {
  const CUstream older = new_stream();
  void* const block = torch_.malloc(5 * mib, 0, older);
  torch_.free(block, 5 * mib, 0, older);
  torch_.reset();
  void* const newer = torch_.malloc(3 * mib, 0, nullptr);
  ASSERT_EQ(newer, block) << "the address comes again with another size and stream";
  torch_.free(newer, 5 * mib, 0, older);
  EXPECT_EQ(stats()["requested_bytes.all.current"], 0);
  EXPECT_NE(torch_.malloc(3 * mib, 0, older), newer) << "it is still the other stream's";
  EXPECT_EQ(torch_.malloc(3 * mib, 0, nullptr), newer);
}

TEST_F(TorchPlugin, another_device_than_the_current_one_can_be_asked) {
  const CUcontext before = driver_.current();
  void* const block = torch_.malloc(mib, 1, nullptr);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(driver_.current(), before);
  EXPECT_EQ(stats(1)["allocation.all.current"], 1);
  EXPECT_EQ(stats(0)["allocation.all.current"], 0);
  torch_.free(block, mib, 0, nullptr);
  EXPECT_EQ(stats(1)["allocation.all.current"], 0);
}

TEST_F(TorchPlugin, the_base_of_a_block_is_its_segment) {
  void* const first = torch_.malloc(5 * mib, 0, nullptr);
  void* const second = torch_.malloc(5 * mib, 0, nullptr);
  std::size_t size = 0;
  EXPECT_EQ(torch_.base_alloc(second, &size), first);
  EXPECT_EQ(size, 20 * mib);
  EXPECT_EQ(torch_.base_alloc(second, nullptr), first);
}

TEST_F(TorchPlugin, reset_gives_cached_memory_back) {
  torch_.free(torch_.malloc(5 * mib, 0, nullptr), 5 * mib, 0, nullptr);
  torch_.reset();
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 0);
  EXPECT_EQ(stats()["num_device_free"], 1);
}

TEST_F(TorchPlugin, a_memory_fraction_limits_the_device) {
  torch_.set_fraction(0.1, 0);
  EXPECT_THROW(torch_.malloc(100 * mib, 0, nullptr), std::bad_alloc);
  torch_.set_fraction(1.0, 0);
  EXPECT_NE(torch_.malloc(100 * mib, 0, nullptr), nullptr);
  EXPECT_THROW(torch_.set_fraction(2.0, 0), std::runtime_error);
}

TEST_F(TorchPlugin, a_pool_takes_the_requests_of_its_streams_and_gives_its_memory_back) {
  const CUstream mine = new_stream();
  torch_.begin_pool(0, {0, 7}, [mine](CUstream asked) { return asked == mine; });
  void* const in_pool = torch_.malloc(5 * mib, 0, mine);
  void* const outside = torch_.malloc(5 * mib, 0, nullptr);
  torch_.end_pool(0, {0, 7});
  EXPECT_NE(torch_.base_alloc(in_pool, nullptr), torch_.base_alloc(outside, nullptr));
  torch_.free(in_pool, 5 * mib, 0, mine);
  torch_.release_pool(0, {0, 7});
  torch_.reset();
  EXPECT_EQ(stats()["segment.all.current"], 1);
}

TEST_F(TorchPlugin, memory_of_a_graph_is_taken_in_a_capture) {
  const CUstream stream = new_stream();
  void* const before = torch_.malloc(5 * mib, 0, stream);
  const auto begin = driver_.find<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
  ASSERT_EQ(begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  torch_.begin_pool(0, {3, 0}, [](CUstream) { return true; });
  void* const in_graph = torch_.malloc(30 * mib, 0, stream);
  torch_.free(before, 5 * mib, 0, stream);
  torch_.end_pool(0, {3, 0});
  CUgraph graph = nullptr;
  const auto end = driver_.find<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
  EXPECT_EQ(end(stream, &graph), CUDA_SUCCESS) << "nothing of ours made the capture invalid";
  torch_.free(in_graph, 30 * mib, 0, stream);
  torch_.release_pool(0, {3, 0});
}

TEST_F(TorchPlugin, options_are_taken_or_refused_with_a_reason) {
  EXPECT_EQ(torch_.set_options(0, "expandable_segments:True"), 0);
  void* const block = torch_.malloc(5 * mib, 0, nullptr);
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 20 * mib);
  EXPECT_THROW(torch_.base_alloc(block, nullptr), std::runtime_error);
  EXPECT_EQ(torch_.set_options(0, "no_such_option:1"), 1);
  EXPECT_THAT(torch_.last_error(), HasSubstr("no_such_option"));
}

TEST_F(TorchPlugin, the_snapshot_has_pytorchs_shape) {
  ASSERT_EQ(torch_.record_history(0, 100), 0);
  void* const block = torch_.malloc(3 * mib, 0, nullptr);
  const auto snapshot = nlohmann::json::parse(torch_.snapshot());
  const auto& segment = snapshot["segments"][0];
  EXPECT_EQ(segment["device"], 0);
  EXPECT_EQ(segment["total_size"], 20 * mib);
  EXPECT_EQ(segment["blocks"][0]["state"], "active_allocated");
  EXPECT_EQ(segment["blocks"][0]["address"], reinterpret_cast<std::uint64_t>(block));
  const auto& trace = snapshot["device_traces"][0];
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_EQ(trace[0]["action"], "segment_alloc");
  EXPECT_EQ(trace[1]["action"], "alloc");
  EXPECT_EQ(trace[1]["size"], 3 * mib);
}

TEST_F(TorchPlugin, segments_come_from_the_driver_and_null_says_that_there_is_none) {
  void* const segment = torch_.segment_malloc(20 * mib, 0, nullptr);
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(torch_.segment_malloc(1024 * mib, 0, nullptr), nullptr);
  const auto counts = nlohmann::json::parse(torch_.segment_stats(0));
  EXPECT_EQ(counts["given"], 1);
  EXPECT_EQ(counts["refused"], 1);
  EXPECT_EQ(counts["bytes"], 20 * mib);
  torch_.segment_free(segment, 20 * mib, 0, nullptr);
  EXPECT_EQ(nlohmann::json::parse(torch_.segment_stats(0))["bytes"], 0);
  EXPECT_EQ(stats()["reserved_bytes.all.current"], 0) << "its own cache has no part in it";
}

TEST_F(TorchPlugin, a_failure_of_the_driver_is_told_by_name) {
  fail("cuMemAlloc_v2", CUDA_ERROR_ILLEGAL_ADDRESS);
  try {
    torch_.malloc(mib, 0, nullptr);
    ADD_FAILURE() << "the driver refused";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
  EXPECT_NE(torch_.malloc(mib, 0, nullptr), nullptr);
}

TEST_F(TorchPlugin, frees_after_the_driver_is_gone_are_silent) {
  const CUstream other = new_stream();
  void* const block = torch_.malloc(5 * mib, 0, nullptr);
  torch_.record_stream(block, other);
  driver_.find<void (*)()>("fake_cuda_tear_down")();
  testing::internal::CaptureStderr();
  torch_.free(block, 5 * mib, 0, nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace vramlab::tests
