// PyTorch's pools: 32 streams of a priority, in turns.
#include "streams/stream_model/torch_streams.h"

#include <gtest/gtest.h>

namespace vramlab::tests {
namespace {

using allocator::StreamId;
using streams::TorchStreams;
using Pool = TorchStreams::Pool;

TEST(TorchStreams, the_33rd_stream_is_the_first_one_again) {
  TorchStreams pools;
  for (std::uint64_t name = 1; name <= 32; ++name)
    EXPECT_EQ(pools.take({name}, Pool::normal), StreamId{name});
  EXPECT_EQ(pools.take({100}, Pool::normal), StreamId{1});
  EXPECT_EQ(pools.take({101}, Pool::normal), StreamId{2});
  EXPECT_EQ(pools.resolve({101}), StreamId{2});
  EXPECT_EQ(pools.resolve({32}), StreamId{32});
}

TEST(TorchStreams, each_priority_takes_turns_by_itself) {
  TorchStreams pools;
  for (std::uint64_t name = 1; name <= 32; ++name) pools.take({name}, Pool::normal);
  EXPECT_EQ(pools.take({50}, Pool::high), StreamId{50});
  EXPECT_EQ(pools.take({51}, Pool::normal), StreamId{1});
}

TEST(TorchStreams, other_names_stand_for_themselves) {
  TorchStreams pools;
  EXPECT_EQ(pools.resolve({7}), StreamId{7});
  EXPECT_FALSE(pools.is_taken({7}));
  pools.take({7}, Pool::high);
  EXPECT_TRUE(pools.is_taken({7}));
}

}  // namespace
}  // namespace vramlab::tests
