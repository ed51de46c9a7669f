// Requests that a director leads through a recorded sequence of releases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/checks/consistency.h"
#include "allocator/replay_access.h"
#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Releases everything of one private pool when memory is missing.
class ReleasesPool : public Director {
 public:
  explicit ReleasesPool(PoolId pool) : pool_(pool) {}

  bool search_has_failed() override { return false; }
  unsigned garbage_passes() override { return 0; }
  bool may_attempt() override { return true; }
  bool goes_on() override { return true; }
  bool releases_everything(std::vector<PoolId>& pools) override {
    pools = {pool_};
    return true;
  }

 private:
  PoolId pool_;
};

TEST(ReplayAccess, a_request_whose_own_pool_is_emptied_goes_on_in_it) {
  const PoolId pool{1, 0};
  streams::SimulatedDevice device{100_MiB};
  const ReferenceVersion& version = *find_reference_version("2.6");
  RecordingAllocator engine(device, version, parse_settings({}, {}, version).settings);
  ReleasesPool director(pool);
  engine.free(ReplayAccess(engine).malloc_directed(60_MiB, {0}, pool, director).address);
  const MallocResult second = ReplayAccess(engine).malloc_directed(80_MiB, {0}, pool, director);
  EXPECT_EQ(second.outcome, MallocOutcome::allocated);
  const Snapshot snapshot = engine.take_snapshot();
  EXPECT_THAT(segment_lines(snapshot), ElementsAre("80MiB live"));
  EXPECT_EQ(snapshot.segments.front().pool, pool);
  EXPECT_THAT(find_broken_rules(engine), IsEmpty());
}

TEST(ReplayAccess, another_pool_is_forgotten_when_it_is_emptied) {
  const PoolId emptied{1, 0};
  streams::SimulatedDevice device{100_MiB};
  const ReferenceVersion& version = *find_reference_version("2.6");
  RecordingAllocator engine(device, version, parse_settings({}, {}, version).settings);
  ReleasesPool director(emptied);
  engine.free(ReplayAccess(engine).malloc_directed(60_MiB, {0}, emptied, director).address);
  const MallocResult second = ReplayAccess(engine).malloc_directed(80_MiB, {0}, {2, 0}, director);
  EXPECT_EQ(second.outcome, MallocOutcome::allocated);
  EXPECT_THAT(segment_lines(engine.take_snapshot()), ElementsAre("80MiB live"));
  EXPECT_THAT(find_broken_rules(engine), IsEmpty());
}

/// Two whole free segments; best fit takes the lower one.
class RequestAtAnAddress : public testing::Test {
 protected:
  RequestAtAnAddress() {
    const Address first = engine_.malloc(30_MiB, {0}).address;
    second_ = engine_.malloc(30_MiB, {0}).address;
    engine_.free(first);
    engine_.free(second_);
  }
  std::optional<Address> request(Address at, Bytes size, PoolId pool = default_pool,
                                 StreamId stream = {}) {
    return ReplayAccess(engine_).malloc_at(at, size, {pool, stream, size});
  }

  streams::SimulatedDevice device_{100_MiB};
  const ReferenceVersion& version_ = *find_reference_version("2.15");
  RecordingAllocator engine_{device_, version_, {}};
  Address second_;
};

TEST_F(RequestAtAnAddress, takes_the_free_block_that_begins_there) {
  EXPECT_EQ(request(second_, 10_MiB), second_);
  EXPECT_EQ(request(second_ + 10_MiB, 5_MiB), second_ + 10_MiB);
  EXPECT_THAT(segment_lines(engine_.take_snapshot()),
              ElementsAre("30MiB free", "10MiB live, 5MiB live, 15MiB free"));
  EXPECT_THAT(find_broken_rules(engine_), IsEmpty());
}

/// As a checkpoint restores a block that grew together of small ones, and small ones in its place.
TEST_F(RequestAtAnAddress, does_not_go_by_the_size_that_its_half_of_a_pool_serves) {
  EXPECT_EQ(request(second_, 1000_KiB), second_);
  EXPECT_EQ(request(second_ + 1000_KiB, 2_MiB), second_ + 1000_KiB);
}

TEST_F(RequestAtAnAddress, does_nothing_where_none_begins_that_would_do) {
  const std::size_t entries = engine_.listeners().entries().size();
  EXPECT_EQ(request(second_ + 10_MiB, 5_MiB), std::nullopt) << "inside a free block";
  EXPECT_EQ(request(second_, 31_MiB), std::nullopt) << "larger than the block";
  EXPECT_EQ(request(second_, 10_MiB, {1, 0}), std::nullopt) << "of another pool";
  EXPECT_EQ(request(second_, 10_MiB, default_pool, {1}), std::nullopt) << "of another stream";
  EXPECT_EQ(engine_.listeners().entries().size(), entries);
}

}  // namespace
}  // namespace vramlab::tests
