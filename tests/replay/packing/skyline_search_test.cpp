// Skylines and fills from the ground up, against textbook versions that look at everything.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <set>

#include "replay/packing/buffer.h"
#include "replay/packing/packing_core.h"
#include "replay/packing/skyline_search.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/recordings/packing_instances.h"

namespace vramlab::tests {
namespace {

using allocator::Bytes;
using replay::Buffer;
using replay::Packing;
using replay::Sections;
using replay::SectionSpan;
using replay::Skyline;
using support::guillotine_buffers;
using support::random_buffers;

constexpr std::uint64_t plenty = 10'000'000;

std::uint32_t length_of(SectionSpan span) { return span.last - span.first; }

/// The longest waiting lifetime, the earliest and then the largest of equal ones.
std::optional<std::uint32_t> longest(const std::vector<Buffer>& buffers, const Sections& sections,
                                     const std::set<std::uint32_t>& waiting, SectionSpan stretch) {
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : waiting) {
    const SectionSpan span = sections.spans[i];
    if (span.first < stretch.first || span.last > stretch.last) continue;
    const auto key = [&](std::uint32_t item) {
      const SectionSpan of = sections.spans[item];
      return std::tuple(~length_of(of), of.first, ~buffers[item].size.count, item);
    };
    if (!best || key(i) < key(*best)) best = i;
  }
  return best;
}

TEST(WaitingSpans, finds_the_longest_within_any_stretch) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = random_buffers(seed, 60, 40);
    const Sections sections = sections_of(buffers);
    const replay::SpanIndex index(buffers, sections);
    replay::WaitingSpans spans(index);
    std::set<std::uint32_t> waiting;
    for (std::uint32_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].size.count > 0) waiting.insert(i);
    RandomNumbers random(seed);
    while (spans.count() > 0) {
      const auto first = static_cast<std::uint32_t>(random.below(sections.loads.size()));
      const auto last =
          first + 1 + static_cast<std::uint32_t>(random.below(sections.loads.size() - first));
      std::uint64_t work = 0;
      const auto found = spans.longest_within({first, last}, std::nullopt, work);
      EXPECT_EQ(found, longest(buffers, sections, waiting, {first, last}));
      if (!found) continue;
      std::set<std::uint32_t> others = waiting;
      others.erase(*found);
      const auto second = spans.longest_within({first, last}, found, work);
      const auto expected = longest(buffers, sections, others, {first, last});
      ASSERT_EQ(second.has_value(), expected.has_value());
      if (second) {
        EXPECT_EQ(length_of(sections.spans[*second]), length_of(sections.spans[*expected]));
      }
      spans.remove(*found);
      waiting.erase(*found);
      EXPECT_EQ(spans.count(), waiting.size());
    }
  }
}

/// One height for each section.
class TextbookSkyline {
 public:
  explicit TextbookSkyline(std::size_t count) : heights_(count, 0) {}

  Skyline::Stretch lowest() const {
    const auto lowest = std::ranges::min_element(heights_);
    auto last = lowest;
    while (last != heights_.end() && *last == *lowest) ++last;
    return {{static_cast<std::uint32_t>(lowest - heights_.begin()),
             static_cast<std::uint32_t>(last - heights_.begin())},
            *lowest};
  }
  std::uint64_t height_beside(SectionSpan span) const {
    std::vector<std::uint64_t> beside;
    if (span.first > 0) beside.push_back(heights_[span.first - 1]);
    if (span.last < heights_.size()) beside.push_back(heights_[span.last]);
    return *std::ranges::min_element(beside);
  }
  void build(SectionSpan span, std::uint64_t height) {
    for (std::uint32_t s = span.first; s < span.last; ++s) heights_[s] = height;
  }

 private:
  std::vector<std::uint64_t> heights_;
};

TEST(Skyline, is_what_one_height_for_each_section_says) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomNumbers random(seed);
    const auto count = static_cast<std::uint32_t>(1 + random.below(30));
    Skyline skyline(count);
    TextbookSkyline textbook(count);
    for (int step = 0; step < 200; ++step) {
      const Skyline::Stretch expected = textbook.lowest();
      const Skyline::Stretch lowest = skyline.lowest();
      ASSERT_EQ(lowest.height, expected.height);
      ASSERT_EQ(lowest.span.first, expected.span.first);
      ASSERT_EQ(lowest.span.last, expected.span.last);
      const bool is_all = length_of(lowest.span) == count;
      if (!is_all && random.below(3) == 0) {
        ASSERT_EQ(skyline.height_beside_lowest(), textbook.height_beside(lowest.span));
        textbook.build(lowest.span, skyline.height_beside_lowest());
        skyline.raise_lowest(skyline.height_beside_lowest());
      } else {
        const auto skipped = static_cast<std::uint32_t>(random.below(length_of(lowest.span)));
        const std::uint32_t first = lowest.span.first + skipped;
        const auto length = 1 + static_cast<std::uint32_t>(random.below(lowest.span.last - first));
        const std::uint64_t height = lowest.height + 1 + random.below(4);
        textbook.build({first, first + length}, height);
        skyline.build_in_lowest({first, first + length}, height);
      }
    }
  }
}

TEST(SkylineSearch, packs_without_fault_and_not_below_the_load) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Buffer> buffers = random_buffers(seed, 1 + seed % 120);
    const Sections sections = sections_of(buffers);
    const replay::SkylineBudget once{plenty, 0, seed, {}, {}};
    const replay::SkylineBudget often{plenty, 20'000, seed, load_bound(sections), {}};
    const auto first = skyline_search(buffers, sections, once);
    const auto best = skyline_search(buffers, sections, often);
    ASSERT_TRUE(first.has_value());
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(packing_fault(buffers, *first), std::nullopt);
    EXPECT_EQ(packing_fault(buffers, *best), std::nullopt);
    EXPECT_GE(best->height, load_bound(sections));
    EXPECT_LE(best->height, first->height);
  }
}

TEST(SkylineSearch, finds_lower_packings_than_its_first_way) {
  std::size_t better = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Buffer> buffers = guillotine_buffers(seed, 100, 10'000);
    const Sections sections = sections_of(buffers);
    const auto first = skyline_search(buffers, sections, {plenty, 0, seed, {}, {}});
    const auto best = skyline_search(buffers, sections, {plenty, 100'000, seed, {}, {}});
    if (best->height < first->height) ++better;
  }
  EXPECT_GE(better, 15U);
}

TEST(SkylineSearch, is_the_same_in_whichever_order_its_ways_are_tried) {
  const std::vector<Buffer> buffers = guillotine_buffers(3, 200, 10'000);
  const Sections sections = sections_of(buffers);
  const auto backward = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    while (count > 0) task(--count);
  };
  const auto one = skyline_search(buffers, sections, {plenty, 100'000, 1, {}, {}});
  const auto other = skyline_search(buffers, sections, {plenty, 100'000, 1, {}, {backward}});
  EXPECT_EQ(one->offsets, other->offsets);
}

TEST(SkylineSearch, gives_up_where_its_first_way_takes_too_long) {
  const std::vector<Buffer> buffers = random_buffers(1, 500);
  EXPECT_FALSE(skyline_search(buffers, sections_of(buffers), {100, 0, 1, {}, {}}).has_value());
}

TEST(SkylineSearch, of_buffers_without_size_has_no_height) {
  const std::vector<Buffer> buffers(3, Buffer{0, 1, Bytes{0}});
  const auto packing = skyline_search(buffers, sections_of(buffers), {plenty, 0, 1, {}, {}});
  EXPECT_EQ(packing->height, Bytes{0});
  EXPECT_EQ(packing->offsets.size(), 3U);
}

/// A long time with little memory in use, then a short time with much.
std::vector<Buffer> quiet_before_a_peak() {
  std::vector<Buffer> buffers;
  for (std::uint64_t i = 0; i < 100; ++i) buffers.push_back({i, i + 2, Bytes{10 + i % 7}});
  for (const Buffer& buffer : guillotine_buffers(2, 50, 1'000))
    buffers.push_back({buffer.begin + 200, buffer.end + 200, buffer.size});
  return buffers;
}

TEST(PackingCore, is_what_is_there_near_the_peak_and_the_others_fit_around_it) {
  const std::vector<Buffer> buffers = quiet_before_a_peak();
  const Sections sections = sections_of(buffers);
  const replay::PackingCore core(buffers, sections);
  EXPECT_EQ(core.buffers().size(), 50U);
  const auto of_core = skyline_search(core.buffers(), core.sections(), {plenty, 0, 1, {}, {}});
  const auto whole = core.complete(*of_core, plenty);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(packing_fault(buffers, *whole), std::nullopt);
  EXPECT_LE(whole->height, of_core->height);
}

TEST(PackingCore, is_all_where_nearly_all_is_there_near_the_peak) {
  const std::vector<Buffer> buffers = guillotine_buffers(2, 50, 1'000);
  const Sections sections = sections_of(buffers);
  EXPECT_EQ(replay::PackingCore(buffers, sections).buffers().size(), buffers.size());
}

}  // namespace

}  // namespace vramlab::tests
