// Whether ranges lie in the same order on a device of another size, against placing them there.
#include "streams/memory/simulated_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "allocator/options/size_rules.h"

namespace vramlab::streams {
namespace {

using allocator::Address;
using allocator::Bytes;
using allocator::StreamId;

constexpr Bytes granule{2ULL << 20};
constexpr Bytes small_unit{2ULL << 20};
constexpr Bytes large_unit{20ULL << 20};

enum class Step : std::uint8_t { reserve_small, reserve_large, allocate, give_back };

/// Makes the same calls on devices of any size.
class Caller {
 public:
  Caller(Bytes total, Address dictated)
      : total_(total),
        memory_({.total = total,
                 .placement = [dictated, this](const PlaceRequest&) -> std::optional<Address> {
                   if (++asked_ % 5 != 0) return std::nullopt;
                   return dictated;
                 },
                 .when_taken = WhenTaken::lowest_gap,
                 .keeps_ranges = KeepsRanges::yes}) {}

  void make(Step step, std::size_t which) {
    if (step == Step::allocate) {
      ranges_.push_back({memory_.allocate(granule * 3, StreamId{0}).value(), {}});
    } else if (step != Step::give_back) {
      reserve(step == Step::reserve_small ? small_unit : large_unit);
    } else if (!ranges_.empty()) {
      const auto at = ranges_.begin() + static_cast<std::ptrdiff_t>(which % ranges_.size());
      if (at->reserved == Bytes{})
        memory_.release(at->at);
      else
        memory_.release_reservation(at->at, at->reserved);
      ranges_.erase(at);
    }
    orders_.push_back(order());
  }

  const PlacedRanges& ranges() const { return *memory_.placed_ranges(); }
  /// After each step: the order of the ranges in use, by address.
  const std::vector<std::vector<std::size_t>>& orders() const { return orders_; }

 private:
  struct Range {
    Address at;
    Bytes reserved;
  };

  void reserve(Bytes unit) {
    const Bytes size = allocator::reservation_size(total_, unit);
    const Address at = memory_.reserve(size, StreamId{0}).value();
    EXPECT_TRUE(memory_.map({at, unit, 1}).mapped);
    memory_.unmap({at, unit, 1});
    ranges_.push_back({at, size});
  }

  std::vector<std::size_t> order() const {
    std::vector<std::size_t> indices(ranges_.size());
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
    std::ranges::sort(indices, {}, [this](std::size_t i) { return ranges_[i].at; });
    return indices;
  }

  Bytes total_;
  std::uint64_t asked_ = 0;
  SimulatedMemory memory_;
  std::vector<Range> ranges_;
  std::vector<std::vector<std::size_t>> orders_;
};

TEST(PlacedRangesTest, that_promise_the_same_order_keep_it) {
  std::mt19937 random(5);
  std::size_t promised = 0;
  std::size_t refused = 0;
  for (int run = 0; run < 60; ++run) {
    std::vector<std::pair<Step, std::size_t>> steps;
    for (int i = 0; i < 12; ++i) steps.emplace_back(static_cast<Step>(random() % 4), random());
    const Address dictated{0x300000000000 + granule.count * (random() % 4000)};
    const auto run_on = [&](Caller& caller) {
      for (const auto& [step, which] : steps) caller.make(step, which);
    };
    Caller first(granule * 300, dictated);
    run_on(first);
    for (std::uint64_t granules = 301; granules < 340; ++granules) {
      Caller other(granule * granules, dictated);
      run_on(other);
      const bool is_same = first.ranges().same_order_on(granule * granules);
      if (is_same) {
        EXPECT_EQ(other.orders(), first.orders()) << run << " " << granules;
      }
      ++(is_same ? promised : refused);
    }
  }
  EXPECT_GT(promised, 100U);
  EXPECT_GT(refused, 100U);
}

TEST(PlacedRangesTest, find_the_first_size_with_another_order) {
  PlacedRanges ranges({Bytes{granule.count * 16 / 9},
                       granule,
                       {{0x7f0000000000}, {0x8000000000000000}},
                       {{0x300000000000}, {0x7f0000000000}},
                       {UINT64_MAX}});
  EXPECT_EQ(ranges.first_other_order({granule, granule, granule * 9}), granule * 9);
  ranges.placed({PlaceKind::reservation, granule * 2, {0x300000000000}, std::nullopt});
  EXPECT_EQ(ranges.first_other_order({granule, granule, granule * 9}), granule)
      << "nobody knows its units";
  ranges.uses_unit({0x300000000000}, granule);
  EXPECT_EQ(ranges.first_other_order({granule, granule, granule * 9}), granule * 9);
}

}  // namespace
}  // namespace vramlab::streams
