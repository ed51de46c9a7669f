// The frames that the reader of snapshot JSON remembers: bounded, and only ever a guess.
#include "traces/json/snapshot_json.h"

#include <gtest/gtest.h>

#include <string>

namespace vramlab::traces {
namespace {

KnownFrames::Place place_behind(std::initializer_list<std::uint32_t> frames) {
  KnownFrames::Place place;
  for (const std::uint32_t frame : frames) place.pass({frame});
  return place;
}

TEST(KnownFrames, a_place_is_all_frames_before_it) {
  KnownFrames frames;
  frames.remember(place_behind({1, 2}), "{3}", {3});
  ASSERT_NE(frames.guess(place_behind({1, 2})), nullptr);
  EXPECT_EQ(frames.guess(place_behind({1, 2}))->letters, "{3}");
  EXPECT_EQ(frames.guess(place_behind({1, 2}))->id, FrameId{3});
  for (const auto place : {place_behind({}), place_behind({2}), place_behind({2, 1})})
    EXPECT_EQ(frames.guess(place), nullptr);
}

TEST(KnownFrames, what_came_last_is_guessed) {
  KnownFrames frames;
  frames.remember({}, "{3}", {3});
  frames.remember({}, "{4}", {4});
  EXPECT_EQ(frames.guess({})->id, FrameId{4});
}

TEST(KnownFrames, the_same_letters_are_held_once) {
  KnownFrames frames;
  frames.remember(place_behind({1}), "{3}", {3});
  const std::size_t held = frames.held_bytes();
  frames.remember(place_behind({2}), "{3}", {3});
  EXPECT_EQ(frames.held_bytes(), held);
  frames.remember(place_behind({2}), "{ 3}", {3});
  EXPECT_GT(frames.held_bytes(), held);
  EXPECT_EQ(frames.guess(place_behind({1}))->letters, "{3}");
  EXPECT_EQ(frames.guess(place_behind({2}))->letters, "{ 3}");
}

TEST(KnownFrames, long_ones_are_not_kept) {
  KnownFrames frames;
  frames.remember({}, std::string(KnownFrames::longest_letters + 1, 'x'), {1});
  EXPECT_EQ(frames.guess({}), nullptr);
  EXPECT_EQ(frames.held_bytes(), 0);
}

TEST(KnownFrames, a_full_one_forgets_and_begins_again) {
  constexpr std::size_t most_bytes = 1000;
  KnownFrames frames(most_bytes);
  std::size_t times_forgotten = 0;
  for (std::uint32_t id = 0; id < 100; ++id) {
    const std::size_t held_before = frames.held_bytes();
    frames.remember(place_behind({id}), std::string(100, 'x') + std::to_string(id), {id});
    EXPECT_LE(frames.held_bytes(), most_bytes);
    if (frames.held_bytes() < held_before) {
      ++times_forgotten;
      EXPECT_EQ(frames.guess(place_behind({id - 1})), nullptr);
    }
    ASSERT_NE(frames.guess(place_behind({id})), nullptr);
    EXPECT_EQ(frames.guess(place_behind({id}))->id, FrameId{id});
  }
  EXPECT_GT(times_forgotten, 1);
}

}  // namespace
}  // namespace vramlab::traces
