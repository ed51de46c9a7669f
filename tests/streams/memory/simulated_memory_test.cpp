#include "streams/memory/simulated_memory.h"

#include <gtest/gtest.h>

#include <deque>

namespace vramlab::streams {
namespace {

using namespace allocator::literals;
using allocator::Address;
using allocator::Bytes;
using allocator::StreamId;

constexpr StreamId stream{0};
constexpr Address first_allocation{0x7f0000000000};
constexpr Address first_reservation{0x300000000000};

SimulatedMemory memory_of(Bytes total) { return SimulatedMemory({.total = total}); }

TEST(SimulatedMemory, allocations_are_rounded_up_to_two_mebibytes) {
  SimulatedMemory memory = memory_of(1_GiB);
  EXPECT_EQ(memory.allocate(11_MiB, stream), first_allocation);
  EXPECT_EQ(memory.used(), 12_MiB);
  EXPECT_EQ(memory.allocate(1_B, stream), first_allocation + 12_MiB);
  EXPECT_EQ(memory.used(), 14_MiB);
}

TEST(SimulatedMemory, an_allocation_takes_the_lowest_gap_that_is_large_enough) {
  SimulatedMemory memory = memory_of(1_GiB);
  const auto small = memory.allocate(2_MiB, stream);
  memory.allocate(2_MiB, stream);
  const auto large = memory.allocate(20_MiB, stream);
  memory.allocate(2_MiB, stream);
  memory.release(*small);
  memory.release(*large);
  EXPECT_EQ(memory.allocate(4_MiB, stream), large);
  EXPECT_EQ(memory.allocate(2_MiB, stream), small);
}

TEST(SimulatedMemory, used_and_external_memory_together_stay_within_the_total) {
  SimulatedMemory memory = memory_of(100_MiB);
  memory.set_external(50_MiB);
  EXPECT_EQ(memory.allocate(52_MiB, stream), std::nullopt);
  EXPECT_TRUE(memory.allocate(50_MiB, stream).has_value());
  EXPECT_EQ(memory.info().free, 0_B);
  memory.set_external(80_MiB);
  EXPECT_EQ(memory.info().free, 0_B);
  memory.set_external(0_B);
  EXPECT_EQ(memory.info().free, 50_MiB);
}

TEST(SimulatedMemory, an_external_figure_of_any_size_leaves_no_room) {
  SimulatedMemory memory = memory_of(100_MiB);
  memory.set_external({~std::uint64_t{0}});
  EXPECT_EQ(memory.info().free, 0_B);
  EXPECT_EQ(memory.allocate(2_MiB, stream), std::nullopt);
}

TEST(SimulatedMemory, requests_near_the_largest_number_give_nothing) {
  SimulatedMemory memory = memory_of(100_MiB);
  EXPECT_EQ(memory.allocate({~std::uint64_t{0}}, stream), std::nullopt);
  EXPECT_EQ(memory.reserve({~std::uint64_t{0}}, stream), std::nullopt);
}

TEST(SimulatedMemory, reservations_have_addresses_of_their_own) {
  SimulatedMemory memory = memory_of(1_GiB);
  EXPECT_EQ(memory.reserve(3_MiB, stream), first_reservation);
  EXPECT_EQ(memory.reserve(2_MiB, stream), first_reservation + 4_MiB);
  EXPECT_EQ(memory.allocate(2_MiB, stream), first_allocation);
  memory.release_reservation(first_reservation, 3_MiB);
  EXPECT_EQ(memory.reserve(4_MiB, stream), first_reservation);
}

TEST(SimulatedMemory, units_that_do_not_fit_are_given_back_but_counted) {
  SimulatedMemory memory = memory_of(100_MiB);
  const Address at = *memory.reserve(200_MiB, stream);
  const auto result = memory.map({at, 20_MiB, 6});
  EXPECT_FALSE(result.mapped);
  EXPECT_EQ(result.units_created, 5U);
  EXPECT_EQ(memory.used(), 0_B);
  EXPECT_TRUE(memory.map({at, 20_MiB, 5}).mapped);
  EXPECT_EQ(memory.used(), 100_MiB);
}

TEST(SimulatedMemory, units_count_at_their_size_not_rounded) {
  SimulatedMemory memory = memory_of(100_MiB);
  const Address at = *memory.reserve(110_MiB, stream);
  EXPECT_TRUE(memory.map({at, 11_MiB, 1}).mapped);
  EXPECT_EQ(memory.used(), 11_MiB);
}

TEST(SimulatedMemory, a_granularity_can_be_chosen) {
  SimulatedMemory memory({.total = 1_MiB, .granularity = 512_B});
  EXPECT_EQ(memory.allocate(1_B, stream), first_allocation);
  EXPECT_EQ(memory.allocate(1_B, stream), first_allocation + 512_B);
}

TEST(SimulatedMemory, a_placement_rule_dictates_addresses) {
  std::deque<Address> places{{0x7ffe40000000}, {0x1000200000}};
  SimulatedMemory memory(
      {.total = 1_GiB, .placement = [&](const PlaceRequest&) -> std::optional<Address> {
         if (places.empty()) return std::nullopt;
         const Address next = places.front();
         places.pop_front();
         return next;
       }});
  EXPECT_EQ(memory.allocate(20_MiB, stream), Address{0x7ffe40000000});
  EXPECT_EQ(memory.reserve(20_MiB, stream), Address{0x1000200000});
  EXPECT_EQ(memory.allocate(2_MiB, stream), first_allocation);
}

TEST(SimulatedMemory, a_placement_rule_sees_what_is_asked) {
  std::vector<PlaceRequest> seen;
  SimulatedMemory memory({.total = 1_GiB, .placement = [&](const PlaceRequest& request) {
                            seen.push_back(request);
                            return std::optional<Address>();
                          }});
  memory.allocate(3_MiB, {5});
  memory.reserve(40_MiB, {6});
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].kind, PlaceKind::allocation);
  EXPECT_EQ(seen[0].size, 3_MiB);
  EXPECT_EQ(seen[0].stream, StreamId{5});
  EXPECT_EQ(seen[1].kind, PlaceKind::reservation);
}

TEST(SimulatedMemory, a_dictated_address_that_is_taken_is_an_error_and_changes_nothing) {
  SimulatedMemory memory({.total = 1_GiB, .placement = [](const PlaceRequest&) {
                            return std::optional(Address{0x1000});
                          }});
  EXPECT_EQ(memory.allocate(2_MiB, stream), Address{0x1000});
  EXPECT_THROW(memory.allocate(2_MiB, stream), allocator::DeviceError);
  EXPECT_THROW(memory.reserve(2_MiB, stream), allocator::DeviceError);
  EXPECT_EQ(memory.used(), 2_MiB);
}

TEST(SimulatedMemoryDeathTest, misuse_stops) {
  SimulatedMemory memory = memory_of(1_GiB);
  const Address at = *memory.reserve(40_MiB, stream);
  ASSERT_TRUE(memory.map({at, 4_MiB, 2}).mapped);
  EXPECT_DEATH(memory.release({0x1234}), "only what was allocated is released");
  EXPECT_DEATH(memory.release_reservation(at, 40_MiB), "unmapped before it is released");
  EXPECT_DEATH(memory.release_reservation(at, 20_MiB), "as a whole");
  EXPECT_DEATH((void)memory.map({at + 4_MiB, 4_MiB, 2}), "mapped once");
  EXPECT_DEATH((void)memory.map({at + 32_MiB, 4_MiB, 3}), "in one reservation");
  EXPECT_DEATH(memory.unmap({at + 2_MiB, 4_MiB, 1}), "unmapped whole");
  EXPECT_DEATH(memory.unmap({at + 8_MiB, 4_MiB, 1}), "only mapped units");
}

}  // namespace
}  // namespace vramlab::streams
