// The rules of docs/reference/ordered_memory.md: the sources of a stream-ordered pool's memory, and
// its releases.
#include "streams/ordered_pool/ordered_pool.h"

#include <gtest/gtest.h>

#include "tests/support/devices/scripted_free_order.h"

namespace vramlab::tests {
namespace {

using allocator::Address;
using allocator::Bytes;
using allocator::StreamId;
using streams::OrderedPool;
using streams::OrderedPoolRules;

constexpr StreamId first{1};
constexpr StreamId second{2};
/// A threshold that keeps all memory until it is asked back.
constexpr Bytes everything{UINT64_MAX};

/// A place at which units of 100 bytes can begin.
constexpr std::uint64_t base = (0x300000000000 + 99) / 100 * 100;

/// Units of 100 bytes, on a device of 500.
class OrderedPools : public testing::Test {
 protected:
  static OrderedPoolRules small_rules() {
    return {.release_threshold = everything, .unit = {100}, .alignment = {10}};
  }
  OrderedPool pool(const OrderedPoolRules& rules = small_rules()) {
    return {rules, 0, memory, order};
  }
  /// The place as an offset, or -1 where memory is short.
  static std::int64_t offset(const std::optional<Address>& at) {
    return at ? static_cast<std::int64_t>(at->value - base) : -1;
  }

  streams::SimulatedMemory memory{{.total = {500}, .granularity = {1}}};
  ScriptedFreeOrder order;
};

TEST_F(OrderedPools, a_request_is_rounded_and_memory_comes_in_units) {
  OrderedPool tested = pool();
  EXPECT_EQ(offset(tested.allocate({11}, first)), 0);
  EXPECT_EQ(offset(tested.allocate({1}, first)), 20);
  EXPECT_EQ(tested.used(), Bytes{30});
  EXPECT_EQ(tested.reserved(), Bytes{100});
  EXPECT_EQ(memory.used(), Bytes{100});
}

TEST_F(OrderedPools, a_stream_takes_at_once_what_it_freed_itself) {
  OrderedPool tested = pool();
  const auto at = tested.allocate({100}, first);
  tested.free(*at, first);
  EXPECT_EQ(tested.allocate({100}, first), at);
  EXPECT_EQ(tested.counts().reused, 1u);
}

TEST_F(OrderedPools, another_stream_does_not_while_the_free_is_to_come) {
  OrderedPool tested = pool();
  tested.free(*tested.allocate({100}, first), first);
  EXPECT_EQ(offset(tested.allocate({100}, second)), 100);
  EXPECT_EQ(tested.counts().grown, 2u);
}

TEST_F(OrderedPools, another_stream_does_where_events_put_it_behind_the_free) {
  OrderedPool tested = pool();
  tested.free(*tested.allocate({100}, first), first);
  order.behind = {{2, 1}};
  EXPECT_EQ(offset(tested.allocate({100}, second)), 0);
  EXPECT_TRUE(order.waits.empty());
}

TEST_F(OrderedPools, events_are_not_looked_at_where_that_is_turned_off) {
  OrderedPoolRules rules = small_rules();
  rules.follows_events = false;
  OrderedPool tested = pool(rules);
  tested.free(*tested.allocate({100}, first), first);
  order.behind = {{2, 1}};
  EXPECT_EQ(offset(tested.allocate({100}, second)), 100);
}

TEST_F(OrderedPools, anybody_takes_what_the_device_is_done_with) {
  OrderedPool tested = pool();
  tested.free(*tested.allocate({100}, first), first);
  order.over = {1};
  EXPECT_EQ(offset(tested.allocate({100}, second)), 0);
}

TEST_F(OrderedPools, without_opportunism_the_host_must_have_waited) {
  OrderedPoolRules rules = small_rules();
  rules.is_opportunistic = false;
  OrderedPool tested = pool(rules);
  tested.free(*tested.allocate({100}, first), first);
  order.over = {1};
  EXPECT_EQ(offset(tested.allocate({100}, second)), 100);
  order.known = {1};
  EXPECT_EQ(offset(tested.allocate({100}, second)), 0);
}

TEST_F(OrderedPools, memory_freed_at_once_is_everybodys) {
  OrderedPool tested = pool();
  tested.free_at_once(*tested.allocate({100}, first));
  EXPECT_EQ(offset(tested.allocate({100}, second)), 0);
}

TEST_F(OrderedPools, of_the_smallest_hole_that_is_large_enough_the_lowest_part_is_taken) {
  OrderedPool tested = pool();
  const auto large = tested.allocate({50}, first);
  tested.allocate({10}, first);
  const auto small = tested.allocate({30}, first);
  tested.allocate({10}, first);
  tested.free(*large, first);
  tested.free(*small, first);
  EXPECT_EQ(tested.allocate({20}, first), small);
  EXPECT_EQ(tested.allocate({20}, first), large);
}

TEST_F(OrderedPools, pieces_that_lie_together_serve_one_request) {
  OrderedPool tested = pool();
  const auto low = tested.allocate({50}, first);
  const auto high = tested.allocate({50}, second);
  tested.free(*low, first);
  tested.free(*high, second);
  order.behind = {{1, 2}};
  EXPECT_EQ(tested.allocate({100}, first), low);
}

TEST_F(OrderedPools, free_units_are_moved_together_before_new_ones_are_asked_for) {
  OrderedPool tested = pool();
  const auto low = tested.allocate({100}, first);
  tested.allocate({100}, first);
  const auto high = tested.allocate({100}, first);
  tested.free_at_once(*low);
  tested.free_at_once(*high);
  EXPECT_EQ(offset(tested.allocate({300}, first)), 300);
  EXPECT_EQ(tested.counts().units_moved, 2u);
  EXPECT_EQ(tested.counts().units_created, 4u);
  EXPECT_EQ(tested.reserved(), Bytes{400});
  // Their old addresses are free for new units.
  EXPECT_EQ(offset(tested.allocate({100}, first)), 0);
}

TEST_F(OrderedPools, units_in_use_are_not_moved) {
  OrderedPool tested = pool();
  const auto low = tested.allocate({100}, first);
  tested.allocate({100}, first);
  tested.free(*low, first);
  EXPECT_EQ(offset(tested.allocate({200}, first)), 200);
  EXPECT_EQ(tested.counts().units_moved, 0u);
}

TEST_F(OrderedPools, where_memory_is_short_the_stream_is_made_to_wait_for_another) {
  OrderedPool tested = pool();
  tested.free(*tested.allocate({500}, first), first);
  EXPECT_EQ(offset(tested.allocate({300}, second)), 0);
  EXPECT_EQ(order.waits, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{2, 1}}));
  EXPECT_EQ(tested.counts().made_to_wait, 1u);
}

TEST_F(OrderedPools, where_that_is_turned_off_or_cannot_be_the_request_fails) {
  order.refuses = true;
  OrderedPool tested = pool();
  const auto at = tested.allocate({500}, first);
  tested.free(*at, first);
  EXPECT_EQ(tested.allocate({300}, second), std::nullopt);
  EXPECT_EQ(tested.allocate({500}, first), at);
  tested.free(*at, first);
  tested.free_at_once(*tested.allocate({500}, first));
  tested.trim_to({0});
  EXPECT_EQ(memory.used(), Bytes{0});

  order.refuses = false;
  OrderedPoolRules rules = small_rules();
  rules.adds_dependencies = false;
  OrderedPool strict = pool(rules);
  strict.free(*strict.allocate({500}, first), first);
  EXPECT_EQ(strict.allocate({300}, second), std::nullopt);
  EXPECT_TRUE(order.waits.empty());
}

TEST_F(OrderedPools, a_request_that_nothing_can_serve_changes_nothing) {
  OrderedPool tested = pool();
  tested.allocate({400}, first);
  EXPECT_EQ(tested.allocate({200}, first), std::nullopt);
  EXPECT_EQ(tested.allocate({1ULL << 60}, first), std::nullopt);
  EXPECT_EQ(tested.reserved(), Bytes{400});
  EXPECT_EQ(tested.used(), Bytes{400});
  EXPECT_EQ(offset(tested.allocate({100}, first)), 400);
}

TEST_F(OrderedPools, trimming_gives_back_whole_units_that_nothing_needs) {
  OrderedPool tested = pool();
  const auto low = tested.allocate({150}, first);
  const auto pending = tested.allocate({150}, first);
  const auto high = tested.allocate({100}, first);
  tested.free_at_once(*low);
  tested.free(*pending, first);
  tested.free_at_once(*high);
  // Units 0, 1 and 4 are free; 2 and 3 are not until the free has come.
  tested.trim_to({400});
  EXPECT_EQ(tested.reserved(), Bytes{400});
  tested.trim_to({0});
  EXPECT_EQ(tested.reserved(), Bytes{200});
  order.over = {1};
  tested.trim_to({0});
  EXPECT_EQ(tested.reserved(), Bytes{0});
  EXPECT_EQ(tested.counts().units_released, 5u);
  EXPECT_EQ(memory.used(), Bytes{0});
}

TEST_F(OrderedPools, above_the_threshold_memory_goes_back_when_the_host_waits) {
  OrderedPoolRules rules = small_rules();
  rules.release_threshold = {100};
  OrderedPool tested = pool(rules);
  tested.free_at_once(*tested.allocate({300}, first));
  EXPECT_EQ(tested.reserved(), Bytes{300});
  tested.host_waited();
  EXPECT_EQ(tested.reserved(), Bytes{100});
  EXPECT_EQ(memory.used(), Bytes{100});
}

TEST_F(OrderedPools, freeing_what_is_not_in_use_stops) {
  OrderedPool tested = pool();
  const auto at = tested.allocate({10}, first);
  tested.free(*at, first);
  EXPECT_DEATH(tested.free(*at, first), "only what is in use is freed");
}

}  // namespace
}  // namespace vramlab::tests
