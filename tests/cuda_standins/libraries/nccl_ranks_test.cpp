#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cuda_standins/libraries/nccl_test.h"
#include "tests/support/kit/own_folder.h"

namespace vramlab::dry_run {
namespace {

/// Two ranks of one dry run, here two threads of one process.
class NcclRanks : public NcclValues {
 protected:
  NcclRanks() {
    setenv("VRAMLAB_DRY_RUN_NOTES", support::own_folder().c_str(), 1);
    setenv("VRAMLAB_DRY_RUN_RANK_WAIT_MS", "30000", 1);
    const UniqueId id = new_id();
    for (int rank = 0; rank < 2; ++rank) ranks_[rank] = communicator(rank, 2, id);
  }
  ~NcclRanks() override {
    unsetenv("VRAMLAB_DRY_RUN_NOTES");
    unsetenv("VRAMLAB_DRY_RUN_RANK_WAIT_MS");
  }

  /// Calls it for each rank in a thread of its own, as each may wait for the other.
  void at_once(const std::function<void(int rank)>& call) {
    void* context = nullptr;
    EXPECT_EQ(driver_.call("cuCtxGetCurrent", &context), 0);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < 2; ++rank)
      threads.emplace_back([this, context, rank, &call] {
        EXPECT_EQ(driver_.call("cuCtxSetCurrent", context), 0);
        call(rank);
      });
    for (std::thread& thread : threads) thread.join();
  }
  void* unknown_number() {
    void* address = nullptr;
    EXPECT_EQ(driver_.call("cuMemAlloc_v2", &address, sizeof(std::int64_t)), 0);
    return address;
  }
  bool is_known(void* address) {
    std::int64_t value = 0;
    return driver_.call("vramlab_dry_run_read_memory", static_cast<void*>(&value),
                        reinterpret_cast<unsigned long long>(address),
                        static_cast<unsigned long long>(sizeof value)) != 0;
  }

  void* ranks_[2] = {};
};

TEST_F(NcclRanks, broadcast_value_reaches_the_other_rank) {
  void* const received = number(-1);
  broadcast(number(12), number(0), 0, ranks_[0]);
  broadcast(received, received, 0, ranks_[1]);
  EXPECT_EQ(value_at(received), 12);
  broadcast(number(3), received, 1, ranks_[1]);
  void* const back = number(0);
  broadcast(back, back, 1, ranks_[0]);
  EXPECT_EQ(value_at(back), 3);
}

TEST_F(NcclRanks, value_that_the_sender_does_not_know_is_unknown) {
  void* const received = number(-1);
  void* const sent = unknown_number();
  broadcast(sent, sent, 0, ranks_[0]);
  broadcast(received, received, 0, ranks_[1]);
  EXPECT_FALSE(is_known(received));
  EXPECT_EQ(reduced(sent, received, sum, ranks_[0]), 0) << "nobody is waited for";
  EXPECT_FALSE(is_known(received));
}

TEST_F(NcclRanks, reductions_have_the_values_of_both_ranks) {
  for (const auto& [operation, expected] : {std::pair(sum, 30), std::pair(product, 200),
                                            std::pair(largest, 20), std::pair(smallest, 10)})
    at_once([&, wanted = operation, result = expected](int rank) {
      EXPECT_EQ(reduced(number(rank == 0 ? 10 : 20), number(0), wanted, ranks_[rank]), result);
    });
}

TEST_F(NcclRanks, numbers_of_16_bits_are_added_as_such) {
  struct Case {
    int type;
    std::uint16_t one, other, sum;
  };
  // 1.5 + 2, the smallest of half precision twice, and more than it can hold.
  for (const Case& each : {Case{6, 0x3e00, 0x4000, 0x4300}, Case{9, 0x3fc0, 0x4000, 0x4060},
                           Case{6, 0x0001, 0x0001, 0x0002}, Case{6, 0x7bff, 0x7bff, 0x7c00}})
    at_once([&](int rank) {
      void* const at = number(rank == 0 ? each.one : each.other);
      EXPECT_EQ(library_.call("ncclAllReduce", static_cast<const void*>(at), at, std::size_t{1},
                              each.type, sum, ranks_[rank], static_cast<void*>(nullptr)),
                0);
      std::uint16_t read = 0;
      EXPECT_EQ(driver_.call("cuMemcpyDtoH_v2", &read, at, sizeof(read)), 0);
      EXPECT_EQ(read, each.sum);
    });
}

TEST_F(NcclRanks, gathered_values_stand_in_the_order_of_the_ranks) {
  at_once([&](int rank) {
    void* const received = numbers({0, 0});
    EXPECT_EQ(library_.call("ncclAllGather", number(rank + 5), received, std::size_t{1}, nccl_int64,
                            ranks_[rank], static_cast<void*>(nullptr)),
              0);
    EXPECT_EQ(value_at(received), 5);
    EXPECT_EQ(value_at(static_cast<char*>(received) + 8), 6);
  });
}

TEST_F(NcclRanks, each_rank_gets_its_part_of_a_reduced_and_of_a_scattered_row) {
  at_once([&](int rank) {
    void* const received = number(0);
    EXPECT_EQ(library_.call("ncclReduceScatter", numbers({rank + 1, 10}), received, std::size_t{1},
                            nccl_int64, sum, ranks_[rank], static_cast<void*>(nullptr)),
              0);
    EXPECT_EQ(value_at(received), rank == 0 ? 3 : 20);
    EXPECT_EQ(library_.call("ncclScatter", numbers({7, 8}), received, std::size_t{1}, nccl_int64, 0,
                            ranks_[rank], static_cast<void*>(nullptr)),
              0);
    EXPECT_EQ(value_at(received), 7 + rank);
    void* const row = numbers({0, 0});
    EXPECT_EQ(library_.call("ncclAlltoAll", numbers({rank, rank + 10}), row, std::size_t{1},
                            nccl_int64, ranks_[rank], static_cast<void*>(nullptr)),
              0);
    EXPECT_EQ(value_at(row), rank * 10);
    EXPECT_EQ(value_at(static_cast<char*>(row) + 8), rank * 10 + 1);
  });
}

TEST_F(NcclRanks, ranks_that_send_to_each_other_change_places) {
  at_once([&](int rank) {
    void* const received[] = {number(0), number(0)};
    exchange({number(rank * 10), number(rank * 10 + 1)}, received, ranks_[rank]);
    EXPECT_EQ(value_at(received[0]), rank);
    EXPECT_EQ(value_at(received[1]), 10 + rank);
  });
}

TEST_F(NcclRanks, values_sent_one_after_another_arrive_in_that_order) {
  for (const int value : {4, 5}) send(number(value), 1, ranks_[0]);
  for (const int value : {4, 5}) {
    void* const received = number(0);
    receive(received, 0, ranks_[1]);
    EXPECT_EQ(value_at(received), value);
  }
}

TEST_F(NcclRanks, large_values_stay_unknown_and_nobody_waits_for_them) {
  const std::size_t count = (std::size_t{64} << 10) / 8 + 1;
  void* memory = nullptr;
  EXPECT_EQ(driver_.call("cuMemAlloc_v2", &memory, count * 8), 0);
  EXPECT_EQ(library_.call("ncclBroadcast", memory, memory, count, nccl_int64, 0, ranks_[1],
                          static_cast<void*>(nullptr)),
            0);
}

TEST_F(NcclRanks, value_of_a_rank_that_has_ended_is_still_there) {
  broadcast(number(12), number(0), 0, ranks_[0]);
  EXPECT_EQ(library_.call("ncclCommDestroy", ranks_[0]), 0);
  void* const received = number(-1);
  broadcast(received, received, 0, ranks_[1]);
  EXPECT_EQ(value_at(received), 12);
}

TEST_F(NcclRanks, rank_that_has_ended_is_told_and_not_waited_for) {
  EXPECT_EQ(library_.call("ncclCommDestroy", ranks_[0]), 0);
  void* const received = number(-1);
  for (int times = 0; times < 2; ++times) broadcast(received, received, 0, ranks_[1]);
  EXPECT_FALSE(is_known(received));
  EXPECT_EQ(doings().notes_of("missing_rank", "rank 0 of 2 ended"), 1);
}

TEST_F(NcclRanks, rank_that_never_comes_is_told_when_the_time_is_up) {
  setenv("VRAMLAB_DRY_RUN_RANK_WAIT_MS", "20", 1);
  void* const waiting = communicator(1, 3);
  void* const received = number(-1);
  for (int times = 0; times < 2; ++times) broadcast(received, received, 2, waiting);
  EXPECT_FALSE(is_known(received));
  EXPECT_EQ(doings().notes_of("missing_rank", "rank 2 of 3 did not come"), 1);
  setenv("VRAMLAB_DRY_RUN_RANK_WAIT_MS", "3600000", 1);
  broadcast(received, received, 2, communicator(1, 3));
  EXPECT_EQ(doings().notes_of("missing_rank", "rank 2 of 3 did not come"), 2) << "at once";
}

TEST_F(NcclRanks, rank_that_never_sends_is_told_when_the_time_is_up) {
  setenv("VRAMLAB_DRY_RUN_RANK_WAIT_MS", "20", 1);
  const UniqueId id = new_id();
  communicator(0, 2, id);
  void* const received = number(-1);
  receive(received, 0, communicator(1, 2, id));
  EXPECT_FALSE(is_known(received));
  EXPECT_EQ(doings().notes_of("missing_rank", "rank 0 of 2 did not send them"), 1);
}

TEST_F(NcclRanks, ranks_of_one_color_make_a_part_in_the_order_of_their_keys) {
  std::array<void*, 2> parts{};
  at_once([&](int rank) {
    EXPECT_EQ(library_.call("ncclCommSplit", ranks_[rank], 5, 1 - rank, &parts[rank], nullptr), 0);
  });
  EXPECT_EQ(ask("ncclCommUserRank", parts[0]), 1);
  EXPECT_EQ(ask("ncclCommCount", parts[0]), 2);
  broadcast(number(12), number(0), 0, parts[1]);
  void* const received = number(-1);
  broadcast(received, received, 0, parts[0]);
  EXPECT_EQ(value_at(received), 12);
  at_once([&](int rank) {
    EXPECT_EQ(library_.call("ncclCommSplit", ranks_[rank], rank, 0, &parts[rank], nullptr), 0);
    EXPECT_EQ(ask("ncclCommCount", parts[rank]), 1);
  });
}

}  // namespace
}  // namespace vramlab::dry_run
