#include "tests/cuda_standins/libraries/nccl_test.h"

namespace vramlab::dry_run {
namespace {

TEST_F(Nccl, rank_of_a_large_job_comes_up_alone) {
  void* const made = communicator(3, 64);
  EXPECT_EQ(ask("ncclCommUserRank", made), 3);
  EXPECT_EQ(ask("ncclCommCount", made), 64);
  EXPECT_EQ(ask("ncclCommGetAsyncError", made), 0);
  EXPECT_EQ(library_.call("ncclCommDestroy", made), 0);
}

TEST_F(Nccl, rank_beyond_the_size_is_refused) {
  void* made = nullptr;
  EXPECT_EQ(library_.call("ncclCommInitRank", &made, 2, UniqueId{}, 2), 4);
}

TEST_F(Nccl, all_devices_of_one_process_have_ranks) {
  void* made[2] = {};
  const int devices[] = {1, 0};
  EXPECT_EQ(library_.call("ncclCommInitAll", made, 2, devices), 0);
  EXPECT_NE(made[0], made[1]);
  EXPECT_EQ(ask("ncclCommUserRank", made[1]), 1);
  EXPECT_EQ(ask("ncclCommCuDevice", made[0]), 1);
}

TEST_F(Nccl, split_keeps_the_rank_or_makes_nothing) {
  void* const parent = communicator(1, 4);
  void* part = nullptr;
  EXPECT_EQ(library_.call("ncclCommSplit", parent, 0, 0, &part, nullptr), 0);
  EXPECT_EQ(ask("ncclCommUserRank", part), 1);
  EXPECT_EQ(library_.call("ncclCommSplit", parent, -1, 0, &part, nullptr), 0);
  EXPECT_EQ(part, nullptr);
}

TEST_F(Nccl, large_collectives_put_a_kernel_on_their_stream) {
  void* const made = communicator(0, 8);
  const std::size_t count = 100000;
  const int nccl_float = 7;
  void* const buffer = nullptr;
  EXPECT_EQ(library_.call("ncclGroupStart"), 0);
  EXPECT_EQ(library_.call("ncclAllReduce", buffer, buffer, count, nccl_float, 0, made, stream(1)),
            0);
  EXPECT_EQ(library_.call("ncclAllGather", buffer, buffer, count, nccl_float, made, stream(1)), 0);
  EXPECT_EQ(library_.call("ncclSend", buffer, count, nccl_float, 1, made, stream(2)), 0);
  EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  EXPECT_EQ(doings().works[stream(1)], 2);
  EXPECT_EQ(doings().works[stream(2)], 1);
  EXPECT_EQ(doings().notes_of("unknown", "libnccl.so.2 ncclSend"), 0);
}

TEST_F(Nccl, group_end_without_a_group_is_refused) { EXPECT_EQ(library_.call("ncclGroupEnd"), 5); }

TEST_F(NcclValues, broadcast_of_another_rank_leaves_what_was_received) {
  void* const made = communicator(1, 2);
  void* const own = number(12);
  void* const received = number(7);
  broadcast(own, received, 0, made);
  EXPECT_EQ(value_at(received), 7);
  broadcast(own, received, 1, made);
  EXPECT_EQ(value_at(received), 12);
}

TEST_F(NcclValues, group_in_which_each_rank_broadcasts_gathers_the_own_value) {
  void* const made = communicator(1, 3);
  void* const own = number(12);
  void* const received[] = {number(0), number(0), number(0)};
  library_.call("ncclGroupStart");
  for (int root = 0; root < 3; ++root)
    broadcast(root == 1 ? own : received[root], received[root], root, made);
  EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  for (void* const each : received) EXPECT_EQ(value_at(each), 12);
}

TEST_F(NcclValues, values_arrive_when_the_outermost_group_ends) {
  void* const made = communicator(1, 2);
  void* const received = number(7);
  library_.call("ncclGroupStart");
  library_.call("ncclGroupStart");
  broadcast(received, received, 0, made);
  broadcast(number(12), number(0), 1, made);
  EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  EXPECT_EQ(value_at(received), 7);
  EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  EXPECT_EQ(value_at(received), 12);
}

TEST_F(NcclValues, group_of_other_ranks_broadcasts_leaves_what_was_received) {
  void* const made = communicator(1, 2);
  void* const other = communicator(0, 2);
  void* const own = number(12);
  void* const received[] = {number(7), number(8)};
  library_.call("ncclGroupStart");
  library_.call("ncclGroupStart");
  broadcast(own, received[0], 0, made);
  EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  broadcast(own, received[1], 0, other);
  EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  EXPECT_EQ(value_at(received[0]), 7);
  EXPECT_EQ(value_at(received[1]), 12);
}

TEST_F(NcclValues, reductions_of_a_rank_alone_take_all_ranks_to_have_its_values) {
  void* const made = communicator(1, 3);
  void* const received = number(0);
  EXPECT_EQ(reduced(number(12), received, sum, made), 36);
  EXPECT_EQ(reduced(number(12), received, largest, made), 12);
  EXPECT_EQ(reduced(number(12), received, average, made), 12);
}

TEST_F(NcclValues, exchange_of_a_rank_alone_gives_what_it_sends_itself) {
  void* const made = communicator(1, 2);
  void* const received[] = {number(0), number(0)};
  exchange({number(7), number(8)}, received, made);
  EXPECT_EQ(value_at(received[0]), 8) << "the first rank sends the second piece to the second rank";
  EXPECT_EQ(value_at(received[1]), 8);
}

TEST_F(Nccl, buffers_of_a_communicator_are_beside_the_peak) {
  communicator(0, 2);
  EXPECT_EQ(doings().notes_of("beside_peak", "nccl buffers"), 1);
}

}  // namespace
}  // namespace vramlab::dry_run
