// Figures of fragmentation against the allocator's own actions, at random moments of random
// programs: the bytes of a release, the bytes of each pinner, the requests that are served. A
// failure names the family, the seed and the call.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "allocator/options/size_rules.h"
#include "allocator/types/bytes_and_ids.h"
#include "replay/metrics/fragmentation.h"
#include "tests/support/devices/probed_run.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/programs/random_programs.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using allocator::Bytes;
using allocator::Snapshot;
using replay::Fragmentation;
using replay::FragmentationRules;
using replay::LaneFigures;
using Served = ProbedRun::Served;

constexpr std::uint64_t fragmented_programs = 20;

struct Moment {
  traces::RecordedProgram program;
  std::size_t calls = 0;
  FragmentationRules rules;
  Snapshot snapshot;
  Fragmentation found;
};

/// Visits programs of every family of every version, each at one moment.
void for_each_moment(const std::function<void(const Moment&)>& look) {
  for (const allocator::ReferenceVersion& version : allocator::reference_versions())
    for (const std::string_view family : random_families(version))
      for (std::uint64_t seed = 1; seed <= fragmented_programs; ++seed) {
        Moment moment{make_random_program({&version, family, seed}), 0, {}, {}, {}};
        RandomNumbers numbers(seed);
        moment.calls = numbers.below(moment.program.calls.size());
        SCOPED_TRACE(describe(moment.program) + ", after " + std::to_string(moment.calls));
        ProbedRun run(moment.program, moment.calls);
        moment.rules = run.rules();
        moment.snapshot = run.engine().take_snapshot();
        moment.found = find_fragmentation(moment.snapshot, moment.rules);
        look(moment);
        if (testing::Test::HasFailure()) return;
      }
}

bool is_of_the_device(const LaneFigures& lane) { return lane.lane.pool == allocator::default_pool; }

/// Requests don't go to the lane of their stream, or nothing may be released.
bool is_elsewhere(const Moment& moment) {
  return ProbedRun(moment.program, moment.calls).has_open_scope() ||
         std::ranges::any_of(moment.program.calls,
                             [](const traces::ProgramEvent& call) { return call.use_on_oom; });
}

/// With both options, blocks that the limit keeps from requests are cut up when a segment is grown
/// from them, so that the blocks of later requests depend on the order of requests.
bool has_limit_beside_growth(const Moment& moment) {
  return moment.rules.settings.expandable_segments &&
         moment.rules.settings.max_split_size != allocator::unlimited;
}

/// After a change of the segment size, attempts that fail half-way leave more than one
/// size.
bool has_units_of_before(const Moment& moment) {
  return std::ranges::any_of(moment.program.calls, [&](const traces::ProgramEvent& call) {
    return moment.program.text_of(call).find("large_segment_size_mb") != std::string_view::npos;
  });
}

Served try_request(const Moment& moment, Bytes bytes, allocator::StreamId stream) {
  return ProbedRun(moment.program, moment.calls).request(bytes, stream);
}

TEST(FragmentationFigures, what_is_held_is_what_the_statistics_say) {
  for_each_moment([](const Moment& moment) {
    ProbedRun run(moment.program, moment.calls);
    const allocator::StatisticValues counted = run.statistics();
    const replay::StateFigures& figures = moment.found.total;
    const auto now = [](const allocator::PooledStatistic& of) {
      return Bytes{static_cast<std::uint64_t>(of.all.current)};
    };
    EXPECT_EQ(figures.allocated, now(counted.allocated_bytes));
    EXPECT_EQ(figures.active(), now(counted.active_bytes));
    EXPECT_EQ(figures.requested, now(counted.requested_bytes));
    EXPECT_EQ(figures.reserved, now(counted.reserved_bytes));
    EXPECT_EQ(figures.inactive_split, now(counted.inactive_split_bytes));
    EXPECT_EQ(figures.reserved, figures.active() + figures.free);
  });
}

TEST(FragmentationFigures, a_release_gives_back_what_is_releasable) {
  std::uint64_t released_something = 0;
  for_each_moment([&](const Moment& moment) {
    const auto released = ProbedRun(moment.program, moment.calls).released_by_emptying();
    if (!released) return;
    EXPECT_EQ(moment.found.total.releasable, *released);
    if (*released > 0_B) ++released_something;
  });
  EXPECT_GT(released_something, 100U);
}

TEST(FragmentationFigures, freeing_a_pinner_gives_back_what_it_alone_keeps) {
  std::uint64_t tried = 0;
  std::uint64_t gave_back = 0;
  for_each_moment([&](const Moment& moment) {
    if (ProbedRun(moment.program, moment.calls).has_open_scope()) return;
    const auto pinners = find_pinners(moment.snapshot, moment.rules, 4);
    for (const replay::Pinner& pinner : pinners) {
      ProbedRun run(moment.program, moment.calls);
      run.engine().free(pinner.at);
      EXPECT_EQ(*run.released_by_emptying(), moment.found.total.releasable + pinner.released_alone)
          << allocator::name_of(pinner.at);
      ++tried;
      if (pinner.released_alone > 0_B) ++gave_back;
    }
  });
  EXPECT_GT(tried, 500U);
  EXPECT_GT(gave_back, 100U);
}

TEST(FragmentationFigures, what_pinners_strand_adds_up_to_what_is_stranded) {
  for_each_moment([](const Moment& moment) {
    Bytes stranded;
    for (const replay::Pinner& pinner : find_pinners(moment.snapshot, moment.rules, 1'000'000))
      stranded += pinner.strands;
    EXPECT_EQ(stranded, moment.found.total.stranded());
  });
}

TEST(FragmentationFigures, the_largest_cached_request_is_served_from_the_cache_and_no_larger_one) {
  std::uint64_t tried = 0;
  for_each_moment([&](const Moment& moment) {
    if (is_elsewhere(moment) || has_limit_beside_growth(moment)) return;
    for (const LaneFigures& lane : moment.found.lanes) {
      const Bytes largest = lane.figures.largest_cached;
      // If waiting blocks turn out to be free, more is cached than the snapshot shows.
      if (!is_of_the_device(lane) || moment.found.total.waiting > 0_B) continue;
      ++tried;
      if (largest > 0_B) {
        EXPECT_EQ(try_request(moment, largest, lane.lane.stream), Served::from_the_cache)
            << largest.count;
      }
      for (const Bytes more : {1_B, 512_B, 1_MiB, 20_MiB, 64_MiB}) {
        const Bytes larger = largest + more;
        if (pool_kind_of(round_request(larger, moment.rules.settings)) != lane.lane.kind) continue;
        EXPECT_NE(try_request(moment, larger, lane.lane.stream), Served::from_the_cache)
            << larger.count << " beyond " << largest.count;
      }
    }
  });
  EXPECT_GT(tried, 200U);
}

TEST(FragmentationFigures, the_largest_possible_request_is_served_and_no_larger_one) {
  std::uint64_t tried = 0;
  for_each_moment([&](const Moment& moment) {
    // Other users may want more memory than the device has; then released memory is theirs.
    if (is_elsewhere(moment) || *moment.rules.device_free == 0_B) return;
    if (has_limit_beside_growth(moment) || has_units_of_before(moment)) return;
    for (const LaneFigures& lane : moment.found.lanes) {
      const Bytes largest = *lane.figures.largest_possible;
      if (!is_of_the_device(lane)) continue;
      ++tried;
      if (largest > 0_B) {
        EXPECT_NE(try_request(moment, largest, lane.lane.stream), Served::no) << largest.count;
      }
      for (const Bytes more : {1_B, 512_B, 1_MiB, 20_MiB, 64_MiB}) {
        const Bytes larger = largest + more;
        if (pool_kind_of(round_request(larger, moment.rules.settings)) != lane.lane.kind) continue;
        EXPECT_EQ(try_request(moment, larger, lane.lane.stream), Served::no)
            << larger.count << " beyond " << largest.count;
      }
    }
  });
  EXPECT_GT(tried, 200U);
}

/// The number of requests of one size before one needs new memory: the lane's free memory holds so
/// many.
TEST(FragmentationFigures, usable_is_what_requests_of_one_size_can_be_served_from) {
  std::uint64_t tried = 0;
  for_each_moment([&](const Moment& moment) {
    if (is_elsewhere(moment) || has_limit_beside_growth(moment)) return;
    if (moment.found.total.waiting > 0_B) return;
    for (const LaneFigures& lane : moment.found.lanes) {
      if (!is_of_the_device(lane)) continue;
      const bool is_small = lane.lane.kind == allocator::PoolKind::small;
      const Bytes size = is_small ? 96_KiB : 24_MiB;
      FragmentationRules rules = moment.rules;
      rules.requests.emplace(rules.settings).add(size, lane.lane.stream);
      const Bytes rounded = rules.requests->counts().begin()->first.size;
      ProbedRun run(moment.program, moment.calls);
      Bytes served;
      while (run.request(size, lane.lane.stream) == Served::from_the_cache) served += rounded;
      const Fragmentation found = find_fragmentation(moment.snapshot, rules);
      const auto same = std::ranges::find(found.lanes, lane.lane, &LaneFigures::lane);
      EXPECT_EQ(*same->figures.usable, served);
      ++tried;
    }
  });
  EXPECT_GT(tried, 200U);
}

}  // namespace
}  // namespace vramlab::tests
