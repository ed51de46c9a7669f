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

}  // namespace
}  // namespace vramlab::tests
