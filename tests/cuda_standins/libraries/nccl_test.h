// The fixtures of NCCL's tests: communicators, and collectives of one number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {

struct UniqueId {
  char bytes[128];
};

class Nccl : public LibraryTest {
 protected:
  UniqueId new_id() {
    UniqueId id{};
    EXPECT_EQ(library_.call("ncclGetUniqueId", &id), 0);
    return id;
  }
  void* communicator(int rank, int size) { return communicator(rank, size, new_id()); }
  void* communicator(int rank, int size, const UniqueId& id) {
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

/// Collectives of one number in the memory of a device.
class NcclValues : public Nccl {
 protected:
  static constexpr int nccl_int64 = 4;

  NcclValues() {
    void* context = nullptr;
    EXPECT_EQ(driver_.call("cuDevicePrimaryCtxRetain", &context, 0), 0);
    EXPECT_EQ(driver_.call("cuCtxSetCurrent", context), 0);
  }
  ~NcclValues() override { driver_.call("cuDevicePrimaryCtxRelease_v2", 0); }

  void* number(std::int64_t value) {
    void* address = nullptr;
    EXPECT_EQ(driver_.call("cuMemAlloc_v2", &address, sizeof(value)), 0);
    EXPECT_EQ(driver_.call("cuMemcpyHtoD_v2", address, &value, sizeof(value)), 0);
    return address;
  }
  void* numbers(const std::array<std::int64_t, 2>& values) {
    void* address = nullptr;
    EXPECT_EQ(driver_.call("cuMemAlloc_v2", &address, sizeof(values)), 0);
    EXPECT_EQ(driver_.call("cuMemcpyHtoD_v2", address, values.data(), sizeof(values)), 0);
    return address;
  }
  std::int64_t value_at(void* address) {
    std::int64_t value = -1;
    EXPECT_EQ(driver_.call("cuMemcpyDtoH_v2", &value, address, sizeof(value)), 0);
    return value;
  }
  void broadcast(void* send, void* receive, int root, void* communicator) {
    EXPECT_EQ(library_.call("ncclBroadcast", send, receive, std::size_t{1}, nccl_int64, root,
                            communicator, static_cast<void*>(nullptr)),
              0);
  }

  /// The value at `receive` after the all-reduce.
  std::int64_t reduced(void* send, void* receive, int operation, void* communicator) {
    EXPECT_EQ(library_.call("ncclAllReduce", send, receive, std::size_t{1}, nccl_int64, operation,
                            communicator, static_cast<void*>(nullptr)),
              0);
    return value_at(receive);
  }
  void send(void* from, int peer, void* communicator) {
    EXPECT_EQ(library_.call("ncclSend", from, std::size_t{1}, nccl_int64, peer, communicator,
                            static_cast<void*>(nullptr)),
              0);
  }
  void receive(void* to, int peer, void* communicator) {
    EXPECT_EQ(library_.call("ncclRecv", to, std::size_t{1}, nccl_int64, peer, communicator,
                            static_cast<void*>(nullptr)),
              0);
  }
  /// One number goes to each of two ranks, and one comes from each.
  void exchange(const std::array<void*, 2>& sent, void* const* received, void* communicator) {
    library_.call("ncclGroupStart");
    for (int peer = 0; peer < 2; ++peer) {
      send(sent[static_cast<std::size_t>(peer)], peer, communicator);
      receive(received[peer], peer, communicator);
    }
    EXPECT_EQ(library_.call("ncclGroupEnd"), 0);
  }

  static constexpr int sum = 0;
  static constexpr int product = 1;
  static constexpr int largest = 2;
  static constexpr int smallest = 3;
  static constexpr int average = 4;
  const Library driver_{"libcuda.so.1"};
};

}  // namespace vramlab::dry_run
