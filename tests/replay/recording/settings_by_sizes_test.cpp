#include "replay/recording/settings_by_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vramlab::replay {
namespace {

using namespace allocator::literals;
using allocator::Action;
using allocator::Bytes;
using allocator::Settings;

class SettingsBySizes : public testing::Test {
 protected:
  void add(Action action, Bytes size) { history_.events.push_back({action, {}, size, {}, {}, 0}); }
  std::vector<Settings> found(std::string_view version = "2.15") const {
    return settings_by_sizes({}, history_, *allocator::find_reference_version(version));
  }
  bool has_split_limit(Bytes limit) const {
    const std::vector<Settings> all = found();
    return std::ranges::find(all, limit, &Settings::max_split_size) != all.end();
  }

  DeviceHistory history_;
};

TEST_F(SettingsBySizes, have_large_segments_as_requests_below_their_limit_got_them) {
  add(Action::segment_alloc, 37_MiB);
  add(Action::alloc, 5_MiB);
  EXPECT_EQ(found().front().large_segment_size, 37_MiB);
  EXPECT_EQ(found("2.6").front().large_segment_size, allocator::usual_large_segment)
      << "a version without that option";
}

TEST_F(SettingsBySizes, have_no_large_segment_of_a_request_that_is_as_large) {
  add(Action::segment_alloc, 38_MiB);
  add(Action::alloc, 37_MiB);
  for (const Settings& settings : found())
    EXPECT_EQ(settings.large_segment_size, allocator::usual_large_segment);
}

TEST_F(SettingsBySizes, have_a_split_limit_between_any_two_sizes) {
  add(Action::segment_alloc, 46_MiB);
  add(Action::alloc, 45_MiB);
  EXPECT_TRUE(has_split_limit(21_MiB));
  EXPECT_TRUE(has_split_limit(46_MiB));
  EXPECT_TRUE(has_split_limit(47_MiB));
}

TEST_F(SettingsBySizes, have_no_split_limits_of_a_history_of_very_many_sizes) {
  for (std::uint64_t size = 30; size < 80; ++size) add(Action::alloc, allocator::mebibytes(size));
  for (const Settings& settings : found()) EXPECT_EQ(settings.max_split_size, allocator::unlimited);
}

}  // namespace
}  // namespace vramlab::replay
