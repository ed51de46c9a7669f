// The ring of entries: which it keeps, which it loses, and changes of its length.
#include "allocator/listeners/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// A history whose entries are numbered by their size.
struct NumberedHistory {
  void record(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) history.snapshot_taken({++last});
  }
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> sizes;
    for (const AllocatorEvent& entry : history.entries()) sizes.push_back(entry.size.count);
    return sizes;
  }
  History history;
  std::uint64_t last = 0;
};

TEST(History, keeps_everything_without_a_capacity) {
  NumberedHistory kept;
  kept.record(20'000);
  ASSERT_EQ(kept.numbers().size(), 20'000U);
  EXPECT_EQ(kept.numbers().front(), 1U);
  EXPECT_EQ(kept.numbers().back(), 20'000U);
}

TEST(History, keeps_the_newest_entries_in_order) {
  NumberedHistory kept;
  kept.history.set_capacity(3);
  kept.record(3);
  EXPECT_THAT(kept.numbers(), ElementsAre(1, 2, 3));
  kept.record(1);
  EXPECT_THAT(kept.numbers(), ElementsAre(2, 3, 4));
  kept.record(7);
  EXPECT_THAT(kept.numbers(), ElementsAre(9, 10, 11));
}

TEST(History, counts_entries_that_the_ring_lost) {
  NumberedHistory kept;
  kept.history.set_capacity(2);
  kept.record(9);
  EXPECT_EQ(kept.history.recorded_count(), 9U);
}

TEST(History, a_capacity_of_one_keeps_the_last_entry) {
  NumberedHistory kept;
  kept.history.set_capacity(1);
  kept.record(5);
  EXPECT_THAT(kept.numbers(), ElementsAre(5));
}

TEST(History, a_capacity_of_zero_keeps_nothing) {
  NumberedHistory kept;
  kept.history.set_capacity(0);
  kept.record(5);
  EXPECT_THAT(kept.numbers(), IsEmpty());
  kept.history.set_capacity(2);
  kept.record(3);
  EXPECT_THAT(kept.numbers(), ElementsAre(7, 8));
}

TEST(History, shrinking_keeps_the_newest_entries) {
  NumberedHistory kept;
  kept.history.set_capacity(5);
  kept.record(7);
  kept.history.set_capacity(2);
  EXPECT_THAT(kept.numbers(), ElementsAre(6, 7));
  kept.record(1);
  EXPECT_THAT(kept.numbers(), ElementsAre(7, 8));
}

TEST(History, growing_keeps_what_is_there) {
  NumberedHistory kept;
  kept.history.set_capacity(3);
  kept.record(5);
  kept.history.set_capacity(5);
  kept.record(2);
  EXPECT_THAT(kept.numbers(), ElementsAre(3, 4, 5, 6, 7));
  kept.record(1);
  EXPECT_THAT(kept.numbers(), ElementsAre(4, 5, 6, 7, 8));
}

TEST(History, preparing_memory_changes_nothing_that_can_be_seen) {
  NumberedHistory kept;
  kept.history.set_capacity(100);
  kept.record(3);
  kept.history.prepare(50);
  kept.history.prepare(1'000'000);
  EXPECT_THAT(kept.numbers(), ElementsAre(1, 2, 3));
  kept.record(100);
  EXPECT_EQ(kept.numbers().size(), 100U);
  EXPECT_EQ(kept.numbers().front(), 4U);
}

/// A history and a plain list that hear the same frees, completed at once or later.
class HistoryBesideList {
 public:
  HistoryBesideList() { history_.lane_opened(lane_); }

  void request(Address address) {
    history_.free_requested({address, 1_MiB, 1_KiB, lane_}, Oversize::no);
    add(Action::free_requested, address);
  }
  void complete(Address address) {
    history_.free_completed({address, 1_MiB, 1_KiB, lane_});
    add(Action::free_completed, address);
  }
  void set_time(std::uint64_t time_us) { history_.set_time_us(time_us_ = time_us); }
  void set_capacity(std::size_t entries) {
    history_.set_capacity(capacity_ = entries);
    forget_oldest();
  }
  void prepare(std::size_t entries) { history_.prepare(entries); }
  std::vector<AllocatorEvent> entries() const { return history_.entries(); }
  const std::vector<AllocatorEvent>& expected() const { return list_; }

 private:
  void add(Action action, Address address) {
    list_.push_back({action, address, 1_KiB, {3}, default_pool, time_us_});
    forget_oldest();
  }
  void forget_oldest() {
    if (list_.size() > capacity_)
      list_.erase(list_.begin(), list_.end() - static_cast<std::ptrdiff_t>(capacity_));
  }

  Pool pool_{default_pool, PoolKind::small};
  Lane& lane_ = pool_.add_lane({3}, LaneIndex{0});
  History history_;
  std::vector<AllocatorEvent> list_;
  std::size_t capacity_ = 1000;
  std::uint64_t time_us_ = 0;
};

TEST(History, agrees_with_a_plain_list_under_random_frees_times_and_capacities) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    tests::RandomNumbers numbers(seed);
    HistoryBesideList both;
    both.set_capacity(50);
    for (int step = 0; step < 2000; ++step) {
      const Address address{512 * (1 + numbers.below(3))};
      if (!numbers.one_in(4)) both.request(address);
      if (numbers.one_in(10)) both.set_time(static_cast<std::uint64_t>(step));
      if (!numbers.one_in(4)) both.complete(address);
      if (numbers.one_in(40)) both.set_capacity(numbers.below(60));
      if (numbers.one_in(40)) both.prepare(numbers.below(100));
      ASSERT_EQ(both.entries(), both.expected()) << "seed " << seed << ", step " << step;
    }
  }
}

TEST(History, a_free_that_completes_later_has_its_own_time) {
  HistoryBesideList both;
  both.set_time(5);
  both.request({4096});
  both.set_time(9);
  both.complete({4096});
  ASSERT_EQ(both.entries().size(), 2U);
  EXPECT_EQ(both.entries()[0].time_us, 5U);
  EXPECT_EQ(both.entries()[1].time_us, 9U);
}

TEST(History, entries_carry_the_time_that_was_set) {
  NumberedHistory kept;
  kept.history.set_time_us(5);
  kept.record(1);
  kept.history.set_time_us(9);
  kept.record(1);
  EXPECT_EQ(kept.history.entries()[0].time_us, 5U);
  EXPECT_EQ(kept.history.entries()[1].time_us, 9U);
}

TEST(History, an_entry_names_the_stream_and_pool_of_its_lane) {
  History history;
  Pool pool({0, 7}, PoolKind::large);
  const Lane& lane = pool.add_lane({13}, LaneIndex{4});
  history.lane_opened(lane);
  history.handed_out({{4096}, 1_MiB, 1000_B, lane}, Oversize::no);
  const AllocatorEvent entry = history.entries().at(0);
  EXPECT_EQ(entry.stream, StreamId{13});
  EXPECT_EQ(entry.pool, (PoolId{0, 7}));
  EXPECT_EQ(entry.size, 1000_B);
}

}  // namespace
}  // namespace vramlab::allocator
