// Blocks of an HTML report: the largest are drawn, each from its request to its free, and with the
// others they are what is allocated.
#include "replay/html_report/report_blocks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "replay/html_report/report_timeline.h"
#include "replay/recording/recorded_states.h"
#include "tests/support/recordings/case_history.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;

DrawnSizes drawn_of(std::uint64_t most, const std::vector<std::uint64_t>& sizes) {
  LargestSizes largest(most);
  for (const std::uint64_t size : sizes) largest.add({size});
  return largest.drawn();
}

TEST(LargestSizes, are_all_of_few_blocks) {
  const DrawnSizes drawn = drawn_of(3, {512, 1024, 512});
  EXPECT_EQ(drawn.least, Bytes{0});
  EXPECT_EQ(drawn.block_count, 3U);
}

TEST(LargestSizes, are_as_many_as_asked_for) {
  const DrawnSizes drawn = drawn_of(3, {512, 9000, 1024, 512, 4096, 1024, 1024});
  EXPECT_EQ(drawn.least, Bytes{1024});
  EXPECT_EQ(drawn.count_of_least, 1U);
  EXPECT_EQ(drawn.block_count, 7U);
}

TEST(LargestSizes, count_blocks_of_one_size) {
  const DrawnSizes drawn = drawn_of(2, {512, 512, 512});
  EXPECT_EQ(drawn.least, Bytes{512});
  EXPECT_EQ(drawn.count_of_least, 2U);
}

LiveBlock block_of(std::uint64_t key, std::uint64_t bytes) {
  LiveBlock block;
  block.key = key;
  block.bytes = {bytes};
  return block;
}

struct Drawn {
  HistoryStep begin = 0;
  /// 0 if nothing ends the block.
  HistoryStep end = 0;
  Bytes size;
  std::uint64_t stack = 0;
  friend bool operator==(const Drawn&, const Drawn&) = default;
};

/// A list of the page's bytes, as tools/web/report/src/bytes.ts reads it.
std::vector<std::uint64_t> numbers_in(const std::string& bytes, const nlohmann::json& section) {
  std::vector<std::uint64_t> numbers;
  std::size_t at = section.at(0);
  for (std::size_t count = section.at(2); count > 0; --count) {
    std::uint64_t number = 0;
    int shift = 0;
    do {
      number |= static_cast<std::uint64_t>(bytes[at] & 0x7F) << shift;
      shift += 7;
    } while ((bytes[at++] & 0x80) != 0);
    numbers.push_back(number);
  }
  return numbers;
}

/// The blocks as the page reads them.
std::vector<Drawn> drawn_of(const ReportBlocks& blocks) {
  std::string bytes;
  const nlohmann::json json = blocks.take(bytes);
  const auto begins = numbers_in(bytes, json.at("begin"));
  const auto lasts = numbers_in(bytes, json.at("lasts"));
  const auto sizes = numbers_in(bytes, json.at("size"));
  const auto stacks = numbers_in(bytes, json.at("stack"));
  std::vector<Drawn> drawn;
  HistoryStep step = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    // Steps do not decrease, so that the lowest bit, the sign, is 0.
    step += begins[i] >> 1;
    drawn.push_back({step, lasts[i] == 0 ? 0 : step + lasts[i] - 1, {sizes[i]}, stacks[i]});
  }
  return drawn;
}

TEST(ReportBlocks, keeps_the_drawn_ones_and_counts_the_others) {
  traces::SnapshotTables tables;
  PageTexts texts(tables);
  ReportBlocks blocks({Bytes{1024}, 1, 4}, texts);
  blocks.hand_out(block_of(10, 4096), 1);
  blocks.hand_out(block_of(11, 1024), 2);
  blocks.hand_out(block_of(12, 1024), 3);
  blocks.pass_moment();
  blocks.give_back(block_of(10, 4096), 4);
  blocks.give_back(block_of(12, 1024), 5);
  blocks.hand_out(block_of(10, 8192), 6);
  blocks.pass_moment();
  EXPECT_EQ(
      drawn_of(blocks),
      (std::vector<Drawn>{{1, 4, Bytes{4096}, 0}, {2, 0, Bytes{1024}, 0}, {6, 0, Bytes{8192}, 0}}));
  EXPECT_EQ(blocks.others_at_moments(), (std::vector<std::uint64_t>{1, 0}));
}

/// Notes each moment and how many blocks are in use.
class MomentsOfBlocks : public WalkOfSites {
 public:
  MomentsOfBlocks(const DeviceHistory& history, const HistoryWalk& walk, PageTexts& texts)
      : WalkOfSites(history, walk, texts, {}) {}
  std::map<HistoryStep, std::pair<Bytes, std::uint64_t>> moments;

 private:
  void walked_to(const MomentFigures& figures, const PlacementBlocks&) override {
    moments[figures.step] = {figures.allocated, in_use_};
  }
  void block_handed_out(const LiveBlock&) override { ++in_use_; }
  void block_given_back(const LiveBlock&) override { --in_use_; }

  std::uint64_t in_use_ = 0;
};

class BlocksOfCase : public ::testing::TestWithParam<const char*> {};

TEST_P(BlocksOfCase, add_up_to_the_allocated_memory_with_the_others) {
  const traces::RecordedCase recorded = tests::bundled_case(GetParam());
  RecordedHistory recording = tests::history_of(recorded);
  traces::SnapshotTables tables;
  recording.settings = settings_value(recorded.program.config, tables.texts);
  const DeviceHistory& history = recording.devices.front();
  const HistoryWalk walk = walk_history(
      history, {*recorded.program.version, false,
                recorded_settings(recording, tables.texts, *recorded.program.version)});
  PageTexts texts(tables);
  MomentsOfBlocks wanted(history, walk, texts);
  watch_placements(history, walk, wanted);
  for (const std::size_t most : {1'000'000U, 50U}) {
    ReportSurvey survey(history, walk, texts, {}, {100, most});
    watch_placements(history, walk, survey);
    ReportDetail::Plan plan;
    for (const auto& [step, moment] : wanted.moments) plan.moments.push_back(step);
    plan.blocks = survey.drawn_sizes();
    ReportDetail detail(history, walk, texts, {}, plan);
    watch_placements(history, walk, detail);
    const std::vector<Drawn> drawn = drawn_of(detail.blocks());
    ASSERT_LE(drawn.size(), most);
    auto others = detail.blocks().others_at_moments().begin();
    for (const auto& [step, moment] : wanted.moments) {
      Bytes bytes;
      std::uint64_t count = *others++;
      for (const Drawn& block : drawn)
        if (block.begin <= step && (block.end == 0 || block.end > step)) {
          bytes += block.size;
          ++count;
        }
      ASSERT_EQ(count, moment.second) << "step " << step;
      ASSERT_LE(bytes, moment.first) << "step " << step;
      if (most > 50) {
        ASSERT_EQ(bytes, moment.first) << "step " << step;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BlocksOfCase,
                         ::testing::Values("churn-1054", "train-1065", "streams-1076"),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vramlab::replay
