// Which call the entries of a history come from: each has the stack of the call that made it, also
// where a free is told late and where others are let in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/shim/setup/shim_setup.h"
#include "tools/preload/shim/reports.h"

namespace vramlab::tests {
namespace {

using allocator::Action;
using preload::PreloadMode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

/// The stack of this thread is one place, which a test names by a number.
thread_local std::uintptr_t place_now = 0;

void take_here(preload::ReturnAddresses& addresses) {
  addresses.clear();
  if (place_now != 0) addresses = {place_now, 1000};
}

preload::CodePlaces places_of(const preload::ReturnAddresses& addresses) {
  preload::CodePlaces places;
  for (const std::uintptr_t address : addresses)
    places[address] = {"place_" + std::to_string(address), "a \"file\"", address};
  return places;
}

ShimSetupOptions with_stacks(PreloadMode mode, const std::string& text = {}) {
  ShimSetupOptions options = in_mode(mode, text);
  options.shim.history_entries = 100;
  options.shim.stacks = {take_here, places_of};
  return options;
}

class ShimHistoryStacks : public testing::TestWithParam<PreloadMode> {
 protected:
  static CUdeviceptr alloc_from(ShimSetup& setup, std::uintptr_t place, std::size_t bytes) {
    place_now = place;
    return setup.alloc(bytes);
  }
  static void free_from(ShimSetup& setup, std::uintptr_t place, CUdeviceptr at) {
    place_now = place;
    EXPECT_EQ(setup.free(at), CUDA_SUCCESS);
  }
  /// The entry, and the innermost place of its stack.
  static std::vector<std::pair<Action, std::string>> told(ShimSetup& setup) {
    place_now = 0;
    std::vector<std::pair<Action, std::string>> told;
    setup.shim().arenas()->current()->look_at([&](shim::BlockCache& cache) {
      for (const shim::HistoryEntry& entry : cache.history())
        told.emplace_back(entry.action, place_in(setup, entry.stack));
    });
    return told;
  }

 private:
  static std::string place_in(ShimSetup& setup, shim::StackNumber stack) {
    const std::string json = setup.shim().arenas()->stacks().frames_json(stack);
    const std::size_t begin = json.find("place_");
    return begin == std::string::npos ? json : json.substr(begin, json.find('"', begin) - begin);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, ShimHistoryStacks,
                         testing::Values(PreloadMode::deferred, PreloadMode::nosplit,
                                         PreloadMode::sync));

TEST_P(ShimHistoryStacks, are_those_of_the_calls) {
  ShimSetup setup(with_stacks(GetParam()));
  const CUdeviceptr at = alloc_from(setup, 1, 12 * mib);
  free_from(setup, 2, at);
  // Looking tells what was not told yet.
  EXPECT_THAT(told(setup), testing::Contains(Pair(Action::free_requested, "place_2")));
  EXPECT_EQ(alloc_from(setup, 3, 12 * mib), at);
  const auto all = told(setup);
  EXPECT_EQ(all.at(0), std::pair(Action::segment_alloc, std::string("place_1")));
  EXPECT_EQ(all.at(1), std::pair(Action::alloc, std::string("place_1")));
  EXPECT_EQ(all.at(2), std::pair(Action::free_requested, std::string("place_2")));
  EXPECT_EQ(all.back(), std::pair(Action::alloc, std::string("place_3")));
}

TEST_P(ShimHistoryStacks, are_told_late_without_those_of_other_calls) {
  ShimSetup setup(with_stacks(GetParam()));
  const CUdeviceptr first = alloc_from(setup, 1, 12 * mib);
  const CUdeviceptr second = alloc_from(setup, 2, 24 * mib);
  free_from(setup, 3, first);
  free_from(setup, 4, second);
  alloc_from(setup, 5, 512);
  std::vector<std::pair<Action, std::string>> frees;
  for (const auto& entry : told(setup))
    if (entry.first == Action::free_requested) frees.push_back(entry);
  EXPECT_THAT(frees, ElementsAre(Pair(Action::free_requested, "place_3"),
                                 Pair(Action::free_requested, "place_4")));
}

struct ChangedAlloc {
  decltype(streams::CudaDriver::mem_alloc) real = nullptr;
  /// Once, before the driver's own.
  std::function<void()> before;
};
ChangedAlloc& changed_alloc() {
  static ChangedAlloc one;
  return one;
}

TEST_P(ShimHistoryStacks, stay_with_their_call_where_others_are_let_in) {
  ShimSetupOptions options = with_stacks(GetParam());
  options.change_driver = [](streams::CudaDriver& driver) {
    changed_alloc() = {driver.mem_alloc, {}};
    driver.mem_alloc = [](CUdeviceptr* at, std::size_t bytes) {
      if (const auto before = std::exchange(changed_alloc().before, {})) before();
      return changed_alloc().real(at, bytes);
    };
  };
  ShimSetup setup(std::move(options));
  const CUdeviceptr at = alloc_from(setup, 1, 12 * mib);
  changed_alloc().before = [&] {
    std::thread([&] {
      setup.make_current(setup.context());
      free_from(setup, 3, at);
    }).join();
  };
  alloc_from(setup, 2, 24 * mib);
  std::map<Action, std::string> last;
  for (const auto& [action, place] : told(setup)) last[action] = place;
  EXPECT_EQ(last[Action::segment_alloc], "place_2");
  EXPECT_EQ(last[Action::alloc], "place_2");
  EXPECT_EQ(last[Action::free_requested], "place_3");
}

TEST_P(ShimHistoryStacks, are_kept_as_long_as_their_entries) {
  ShimSetupOptions options = with_stacks(GetParam());
  options.shim.history_entries = 10;
  ShimSetup setup(std::move(options));
  for (std::uintptr_t i = 0; i < 200; ++i)
    free_from(setup, 300 + i, alloc_from(setup, 100 + i, 12 * mib));
  for (const auto& [action, place] : told(setup)) {
    if (action == Action::alloc) {
      EXPECT_THAT(place, StartsWith("place_29"));
    }
    if (action == Action::free_requested) {
      EXPECT_THAT(place, StartsWith("place_49"));
    }
  }
}

TEST(ShimHistoryStacksInSnapshots, are_with_entries_blocks_and_segments) {
  ShimSetup setup(with_stacks(PreloadMode::deferred));
  place_now = 1;
  setup.alloc(4 * mib);
  place_now = 2;
  const CUdeviceptr second = setup.alloc(2 * mib);
  place_now = 0;
  EXPECT_EQ(setup.free(second), CUDA_SUCCESS);
  std::vector<shim::ArenaReport> reports;
  shim::add_report(reports, *setup.shim().arenas()->current());
  const std::string json = shim::snapshot_json(reports, "", setup.shim().arenas()->stacks());
  const std::string frame_1 =
      R"({"name": "place_1", "filename": "a \"file\"", "line": 0, "offset": 1})";
  const std::string outer =
      R"({"name": "place_1000", "filename": "a \"file\"", "line": 0, "offset": 1000})";
  const std::string frames = "\"frames\": [" + frame_1 + ", " + outer + "]";
  EXPECT_THAT(json, HasSubstr("\"is_expandable\": false, " + frames + ", \"blocks\""));
  EXPECT_THAT(json, HasSubstr("\"state\": \"active_allocated\", " + frames));
  EXPECT_THAT(json, HasSubstr("\"time_us\": "));
  EXPECT_THAT(json, HasSubstr("place_2"));
  EXPECT_THAT(json, Not(HasSubstr("\"state\": \"inactive\", \"frames\": [{")));
}

TEST(ShimHistoryStacksInSnapshots, are_of_units_where_segments_expand) {
  ShimSetup setup(with_stacks(PreloadMode::deferred, "expandable_segments:True"));
  place_now = 7;
  setup.alloc(30 * mib);
  place_now = 0;
  std::vector<shim::ArenaReport> reports;
  shim::add_report(reports, *setup.shim().arenas()->current());
  const std::string json = shim::snapshot_json(reports, "", setup.shim().arenas()->stacks());
  EXPECT_THAT(json, HasSubstr("\"is_expandable\": true, \"frames\": [{\"name\": \"place_7\""));
  EXPECT_THAT(json, Not(HasSubstr("\"frames\": []},\n{\"action\": \"alloc\"")));
}

}  // namespace
}  // namespace vramlab::tests
