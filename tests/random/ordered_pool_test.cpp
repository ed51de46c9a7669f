// A stream-ordered pool beside one that is searched cell by cell: the same answers to a hundred
// thousand random calls, each with its own order of frees.
#include <gtest/gtest.h>

#include <sstream>

#include "streams/ordered_pool/ordered_pool.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/naive/naive_pool.h"

namespace vramlab::tests {
namespace {

using allocator::Address;
using allocator::Bytes;

constexpr std::uint64_t unit = 12;
constexpr std::uint64_t most_units = 16;
constexpr std::uint64_t base = (0x300000000000 + unit - 1) / unit * unit;

class PoolBesideNaivePool {
 public:
  PoolBesideNaivePool(std::uint64_t seed, const streams::OrderedPoolRules& rules)
      : random_(seed),
        memory_({.total = {unit * most_units}, .granularity = {1}}),
        pool_(rules, 0, memory_, order_),
        naive_(rules, most_units, naive_order_) {}

  /// The first difference; empty without one.
  std::string step() {
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        return allocate();
      case 3:
      case 4:
        free();
        break;
      case 5:
        pass();
        break;
      case 6:
        order();
        break;
      default:
        trim();
    }
    return difference();
  }

 private:
  std::string allocate() {
    const std::uint64_t size = 1 + random_.below(random_.below(4) == 0 ? 4 * unit : unit / 2);
    const std::uint64_t stream = random_.below(4);
    const auto at = pool_.allocate({size}, {stream});
    const auto expected = naive_.allocate(size, stream);
    std::ostringstream text;
    if (at.has_value() != expected.has_value() || (at && at->value - base != *expected))
      text << size << " on stream " << stream << ": at " << (at ? at->value - base : 9999)
           << ", expected " << expected.value_or(9999);
    if (at) live_.push_back(*at);
    if (order_.waits != naive_order_.waits) known_waits();
    return text.str().empty() ? difference() : text.str();
  }

  /// Each cell asks once, and so does each piece: the places are the same.
  void known_waits() {
    std::set<std::pair<std::uint64_t, std::uint64_t>> own(order_.waits.begin(), order_.waits.end());
    std::set<std::pair<std::uint64_t, std::uint64_t>> naive(naive_order_.waits.begin(),
                                                            naive_order_.waits.end());
    if (own != naive) other_waits_ = true;
  }

  void free() {
    if (live_.empty()) return;
    const std::size_t which = random_.below(live_.size());
    const Address at = live_[which];
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
    if (random_.below(6) == 0) {
      pool_.free_at_once(at);
      naive_.free_at_once(at.value - base);
      return;
    }
    const std::uint64_t stream = random_.below(4);
    pool_.free(at, {stream});
    naive_.free(at.value - base, naive_order_.free_point({0, {stream}}));
  }

  void pass() {
    if (order_.points == 0) return;
    const std::uint64_t point = 1 + random_.below(order_.points);
    order_.over.insert(point);
    naive_order_.over.insert(point);
    if (random_.below(2) != 0) return;
    order_.known.insert(point);
    naive_order_.known.insert(point);
  }

  void order() {
    if (order_.points == 0) return;
    const std::pair follows{random_.below(4), 1 + random_.below(order_.points)};
    order_.behind.insert(follows);
    naive_order_.behind.insert(follows);
  }

  void trim() {
    if (random_.below(8) != 0) return;
    const std::uint64_t kept = random_.below(unit * most_units);
    pool_.trim_to({kept});
    naive_.trim_to(kept);
  }

  std::string difference() const {
    std::ostringstream text;
    if (pool_.reserved().count != naive_.reserved() || pool_.used().count != naive_.used())
      text << pool_.reserved().count << " reserved, " << pool_.used().count << " used, expected "
           << naive_.reserved() << ", " << naive_.used();
    if (memory_.used() != pool_.reserved()) text << "the device holds " << memory_.used().count;
    if (other_waits_) text << "other streams are waited for";
    return text.str();
  }

  RandomNumbers random_;
  ScriptedFreeOrder order_;
  ScriptedFreeOrder naive_order_;
  streams::SimulatedMemory memory_;
  streams::OrderedPool pool_;
  NaivePool naive_;
  std::vector<Address> live_;
  bool other_waits_ = false;
};

TEST(OrderedPoolBesideNaivePool, agree_on_everything) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const streams::OrderedPoolRules rules{.release_threshold = {UINT64_MAX},
                                          .follows_events = seed % 2 == 0,
                                          .is_opportunistic = seed % 3 != 0,
                                          .adds_dependencies = seed % 5 != 0,
                                          .unit = {unit},
                                          .alignment = {1}};
    PoolBesideNaivePool both(seed, rules);
    for (int i = 0; i < 250; ++i) {
      const std::string difference = both.step();
      ASSERT_EQ(difference, "") << "seed " << seed << ", call " << i;
    }
  }
}

}  // namespace
}  // namespace vramlab::tests
