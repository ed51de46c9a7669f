#include "tests/dry_run/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

struct UniqueId {
  char bytes[128];
};

class Nccl : public LibraryTest {
 protected:
  void* communicator(int rank, int size) {
    UniqueId id{};
    EXPECT_EQ(library_.call("ncclGetUniqueId", &id), 0);
    void* made = nullptr;
    EXPECT_EQ(library_.call("ncclCommInitRank", &made, size, id, rank), 0);
    return made;
  }
  int ask(const char* what, void* communicator) {
    int value = -1;
    EXPECT_EQ(library_.call(what, communicator, &value), 0);
    return value;
  }

  const Library library_{"libnccl.so.2"};
};

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

TEST_F(Nccl, buffers_of_a_communicator_are_modelled) {
  communicator(0, 2);
  EXPECT_EQ(doings().notes_of("modelled", "nccl buffers"), 1);
}

}  // namespace
}  // namespace vramlab::dry_run
