// Leaks: programs that have one, and programs that only look as if.
#include <gtest/gtest.h>

#include "replay/call_sites/growth.h"
#include "tests/support/kit/own_folder.h"
#include "tests/support/kit/random_numbers.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using replay::DeviceGrowth;
using replay::FoundGrowth;
using replay::GrowingSite;
using replay::IterationSource;
using replay::steady_from;
using Series = std::vector<std::int64_t>;

TEST(SteadyGrowth, is_there_where_each_part_grows_like_the_last_ones) {
  EXPECT_EQ(steady_from(Series{0, 1, 2, 3, 4, 5, 6, 7, 8}), 2U);
  EXPECT_EQ(steady_from(Series{0, 0, 1, 2}), 1U);
  // Every second time only.
  EXPECT_TRUE(steady_from(Series{0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12}));
}

TEST(SteadyGrowth, may_come_after_a_warm_up_and_go_back_a_little) {
  EXPECT_EQ(steady_from(Series{0, 900, 901, 902, 903, 904, 905, 906, 907}), 2U);
  EXPECT_TRUE(steady_from(Series{0, 20, 40, 60, 80, 79, 100, 120, 140, 160}));
}

TEST(SteadyGrowth, is_not_there_where_it_stops_or_slows_down) {
  EXPECT_FALSE(steady_from(Series{0, 5, 9, 12, 12, 12, 12, 12, 12}));
  EXPECT_FALSE(steady_from(Series{0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 6}));
  EXPECT_FALSE(steady_from(Series{0, 0, 0, 0, 0, 0, 0, 0, 9}));
}

TEST(SteadyGrowth, is_not_there_where_nothing_grows_or_all_goes_away) {
  EXPECT_FALSE(steady_from(Series{7, 7, 7, 7, 7, 7}));
  EXPECT_FALSE(steady_from(Series{9, 8, 7, 6, 5, 4}));
  EXPECT_FALSE(steady_from(Series{0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14}));
}

TEST(SteadyGrowth, needs_four_ends_of_iterations) {
  EXPECT_FALSE(steady_from(Series{}));
  EXPECT_FALSE(steady_from(Series{0, 1, 2}));
}

/// A training loop as lines of a native trace: 5 requests a step that are given back, and others
/// that the test adds.
class Growth : public testing::Test {
 protected:
  enum class Stacks { yes, no };
  explicit Growth() { text = "{\"format\":\"vramlab-trace\",\"version\":1}\n"; }

  void TearDown() override {
    for (const std::string& path : written) std::remove(path.c_str());
  }
  /// Stack n is `site n` in n.py.
  void declare_stacks(int count) {
    for (int i = 1; i <= count; ++i)
      line("{\"frame\":" + std::to_string(i) + ",\"is\":{\"name\":\"site\",\"filename\":\"/p/" +
           std::to_string(i) + ".py\",\"line\":" + std::to_string(i) +
           "}}\n{\"stack\":" + std::to_string(i) + ",\"frames\":[" + std::to_string(i) + "]}");
  }
  void line(const std::string& content) { text += content + "\n"; }
  std::uint64_t malloc(std::uint64_t bytes, int stack) {
    line("{\"malloc\":" + std::to_string(++last_id) + ",\"bytes\":" + std::to_string(bytes) +
         (stack > 0 ? ",\"stack\":" + std::to_string(stack) : "") + "}");
    ++events;
    return last_id;
  }
  void free(std::uint64_t id) {
    line("{\"free\":" + std::to_string(id) + "}");
    ++events;
  }
  /// Requests of a step that go away again, of varying sizes where there are stacks.
  void work(Stacks stacks, std::uint64_t step) {
    std::vector<std::uint64_t> ids;
    for (int i = 1; i <= 5; ++i)
      ids.push_back(malloc(
          1000 * static_cast<std::uint64_t>(i) + (stacks == Stacks::yes ? step % 7 * 100 : 0),
          stacks == Stacks::yes ? i : 0));
    for (const std::uint64_t id : ids) free(id);
  }
  FoundGrowth found(const replay::IterationRule& rule = {}) {
    const std::string path = support::own_folder() + "growth_test_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".jsonl";
    written.push_back(path);
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fputs(text.c_str(), file);
    std::fclose(file);
    replay::Recording recording(traces::open_trace(path));
    return find_growth(recording, rule);
  }
  static std::vector<std::string> keys(const FoundGrowth& growth) {
    std::vector<std::string> keys;
    for (const DeviceGrowth& device : growth.devices)
      for (const GrowingSite& site : device.sites) keys.push_back(site.key);
    return keys;
  }
  using Keys = std::vector<std::string>;

  std::string text;
  std::uint64_t last_id = 0;
  std::uint64_t events = 0;
  std::vector<std::string> written;
};

TEST_F(Growth, of_a_leak_in_each_step_is_found_with_its_site_and_bytes) {
  declare_stacks(6);
  for (std::uint64_t step = 0; step < 12; ++step) {
    line("{\"range_begin\":\"iteration " + std::to_string(step) + "\"}");
    work(Stacks::yes, step);
    malloc(4096, 6);
    line("{\"range_end\":\"iteration " + std::to_string(step) + "\"}");
  }
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.rule.source, IterationSource::ranges);
  EXPECT_EQ(growth.rule.name, "iteration #");
  ASSERT_EQ(keys(growth), (Keys{"p/6.py:6 site"}));
  EXPECT_EQ(growth.devices[0].iterations, 12U);
  const GrowingSite& site = growth.devices[0].sites[0];
  EXPECT_EQ(site.bytes_per_iteration(), 4096);
  EXPECT_EQ(site.held.count, 12 * 4096U);
  EXPECT_EQ(site.held_blocks, 12);
  EXPECT_EQ(site.grown_blocks, static_cast<std::int64_t>(site.iterations));
}

TEST_F(Growth, of_each_device_is_found_where_iterations_are_named_on_one) {
  declare_stacks(1);
  line(R"({"malloc":999,"bytes":1,"device":1})");
  for (std::uint64_t step = 0; step < 6; ++step) {
    line("{\"malloc\":" + std::to_string(step) + R"(,"bytes":64,"device":1,"stack":1})");
    line("{\"marker\":\"step " + std::to_string(step) + "\"}");
  }
  const FoundGrowth growth = found();
  ASSERT_EQ(growth.devices.size(), 2U);
  EXPECT_EQ(growth.devices[0].device, 0);
  EXPECT_EQ(keys(growth), (Keys{"p/1.py:1 site"}));
  EXPECT_EQ(growth.devices[1].iterations, 6U);
}

TEST_F(Growth, goes_by_each_device_s_own_iterations_where_they_have_such) {
  declare_stacks(1);
  for (std::uint64_t step = 0; step < 6; ++step)
    for (std::uint64_t device = 0; device < 2; ++device)
      line("{\"marker\":\"step " + std::to_string(step) +
           "\",\"device\":" + std::to_string(device) + "}");
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.devices.at(0).iterations, 6U);
  EXPECT_EQ(growth.devices.at(1).iterations, 6U);
}

TEST_F(Growth, is_not_there_without_a_leak) {
  declare_stacks(5);
  for (std::uint64_t step = 0; step < 12; ++step) {
    work(Stacks::yes, step);
    line("{\"marker\":\"step " + std::to_string(step) + "\"}");
  }
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.rule.source, IterationSource::markers);
  EXPECT_EQ(growth.devices.at(0).iterations, 12U);
  EXPECT_EQ(keys(growth), Keys{});
}

TEST_F(Growth, of_a_warm_up_that_stops_is_not_reported) {
  declare_stacks(6);
  for (std::uint64_t step = 0; step < 40; ++step) {
    work(Stacks::yes, step);
    if (step < 20) malloc(4096, 6);
    line("{\"marker\":\"step " + std::to_string(step) + "\"}");
  }
  EXPECT_EQ(keys(found()), Keys{});
}

TEST_F(Growth, is_found_without_any_names_by_requests_that_come_again) {
  declare_stacks(6);
  malloc(1 << 20, 6);
  for (std::uint64_t step = 0; step < 20; ++step) {
    work(Stacks::yes, step);
    if (step % 3 == 0) free(malloc(50, 1));
    malloc(4096, 6);
  }
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.rule.source, IterationSource::requests);
  ASSERT_EQ(keys(growth), (Keys{"p/6.py:6 site"}));
  EXPECT_EQ(growth.devices[0].sites[0].bytes_per_iteration(), 4096);
}

TEST_F(Growth, is_found_by_sizes_where_there_are_no_stacks) {
  for (std::uint64_t step = 0; step < 20; ++step) {
    work(Stacks::no, step);
    malloc(777, 0);
  }
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.rule.source, IterationSource::requests);
  EXPECT_GE(growth.devices.at(0).iterations, 19U);
  ASSERT_EQ(keys(growth), (Keys{"(no stack) requests of 777 bytes"}));
  EXPECT_EQ(growth.devices[0].sites[0].bytes_per_iteration(), 777);
}

TEST_F(Growth, has_no_iterations_in_random_requests) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomNumbers random(seed);
    text = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
    last_id = 0;
    declare_stacks(12);
    for (int i = 0; i < 2000; ++i) {
      malloc(512 * (1 + random.below(1 + seed % 12)),
             seed % 2 == 0 ? 0 : 1 + static_cast<int>(random.below(3 + seed % 9)));
      if (random.below(2) == 0) free(last_id);
    }
    EXPECT_EQ(found().rule.source, IterationSource::none) << "seed " << seed;
  }
}

/// A snapshot in which each step leaves 1 MiB behind, as its annotations tell; the last one ends
/// after the last entry.
std::string annotated_snapshot(int steps) {
  std::string entries;
  std::string annotations;
  const auto add = [](std::string& list, const std::string& item) {
    list += (list.empty() ? "{" : ",{") + item + "}";
  };
  for (int step = 0; step < steps; ++step) {
    const std::string time = std::to_string(1000 + 100 * step);
    const std::string address = std::to_string((step + 1) << 20);
    add(annotations, R"("stage":"START","name":"ProfilerStep#)" + std::to_string(step) +
                         R"(","device":0,"time_us":)" + time);
    add(entries, R"("action":"alloc","addr":)" + address + R"(,"size":1048576,"stream":0,)" +
                     R"("time_us":)" + time +
                     R"(,"frames":[{"name":"keep","filename":"/p/a.py","line":9}])");
    add(annotations, R"("stage":"END","name":"ProfilerStep#)" + std::to_string(step) +
                         R"(","device":0,"time_us":)" + std::to_string(1050 + 100 * step));
  }
  return R"({"segments":[],"device_traces":[[)" + entries + R"(]],"external_annotations":[)" +
         annotations + "]}";
}

TEST_F(Growth, goes_by_the_annotations_of_a_snapshot) {
  text = annotated_snapshot(8);
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.rule.source, IterationSource::annotations);
  EXPECT_EQ(growth.rule.name, "ProfilerStep#");
  EXPECT_EQ(growth.devices.at(0).iterations, 8U);
  ASSERT_EQ(keys(growth), (Keys{"p/a.py:9 keep"}));
  EXPECT_EQ(growth.devices[0].sites[0].held.count, 8U << 20);
}

TEST_F(Growth, goes_by_the_iterations_that_are_told) {
  declare_stacks(6);
  replay::IterationRule rule;
  rule.source = IterationSource::events;
  for (std::uint64_t step = 0; step < 6; ++step) {
    work(Stacks::yes, step);
    malloc(100, 6);
    rule.events.push_back(events - 1);
  }
  const FoundGrowth by_event = found(rule);
  EXPECT_EQ(by_event.devices.at(0).iterations, 6U);
  EXPECT_EQ(keys(by_event), (Keys{"p/6.py:6 site"}));
  const FoundGrowth by_count = found({.source = IterationSource::every, .every = 11});
  EXPECT_EQ(by_count.devices.at(0).iterations, 6U);
  EXPECT_EQ(by_count.devices.at(0).sites.at(0).bytes_per_iteration(), 100);
  rule.events.push_back(1000);
  EXPECT_THROW(found(rule), traces::InputError);
}

TEST_F(Growth, is_not_told_from_warm_up_in_three_iterations) {
  declare_stacks(6);
  for (std::uint64_t step = 0; step < 3; ++step) {
    malloc(100, 6);
    line("{\"marker\":\"step " + std::to_string(step) + "\"}");
  }
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.devices.at(0).iterations, 3U);
  EXPECT_EQ(keys(growth), Keys{});
}

TEST_F(Growth, over_thousands_of_iterations_is_looked_at_in_samples) {
  declare_stacks(6);
  for (std::uint64_t step = 0; step < 3000; ++step) {
    free(malloc(64, 1));
    malloc(100, 6);
    line("{\"marker\":\"step " + std::to_string(step) + "\"}");
  }
  const FoundGrowth growth = found();
  EXPECT_EQ(growth.devices.at(0).iterations, 3000U);
  ASSERT_EQ(keys(growth), (Keys{"p/6.py:6 site"}));
  EXPECT_EQ(growth.devices[0].sites[0].bytes_per_iteration(), 100);
}

TEST_F(Growth, refuses_what_no_program_does) {
  free(5);
  EXPECT_THROW(found({.source = IterationSource::every, .every = 1}), traces::InputError);
}

TEST(NumberedNames, have_a_sign_for_their_last_number) {
  EXPECT_EQ(replay::numbered_name("ProfilerStep#12").name, "ProfilerStep#");
  EXPECT_EQ(replay::numbered_name("ProfilerStep#12").number, 12U);
  EXPECT_EQ(replay::numbered_name("step 3 of 100").name, "step 3 of #");
  EXPECT_EQ(replay::numbered_name("7th").name, "#th");
  EXPECT_EQ(replay::numbered_name("train").number, std::nullopt);
  EXPECT_EQ(replay::numbered_name("n99999999999999999999999").number, std::nullopt);
}

TEST(IterationNames, are_those_that_people_call_iterations_by) {
  const auto rule_of = [](const std::vector<std::string>& names) {
    traces::SnapshotTables tables;
    replay::IterationFinder finder(tables);
    for (const std::string& name : names) {
      replay::MemoryEvent event;
      event.kind = replay::MemoryEventKind::range_end;
      event.text = tables.texts.intern(name);
      finder.memory_event(event);
    }
    return finder.rule().name;
  };
  // Layers begin anew in each step, and a name once is no iteration.
  EXPECT_EQ(rule_of({"layer 0", "layer 1", "step 0", "layer 0", "layer 1", "step 1"}), "step #");
  EXPECT_EQ(rule_of({"train_step", "BatchNorm", "BatchNorm", "BatchNorm", "train_step"}),
            "train_step");
  EXPECT_EQ(rule_of({"picture 1", "picture 2", "setup"}), "picture #");
  EXPECT_EQ(rule_of({"step 1", "ProfilerStep#1", "step 2", "ProfilerStep#2", "step 3"}),
            "ProfilerStep#");
  EXPECT_EQ(rule_of({"setup", "warmup", "layer 1", "layer 0"}), "");
}

}  // namespace
}  // namespace vramlab::tests
