#include <gtest/gtest.h>

#include "replay/recording/recorded_device.h"

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using streams::PlaceKind;

constexpr std::uint64_t lowest_place = 0x600000000000;
constexpr allocator::Bytes segment_bytes{20 << 20};

RecordedPlaces places_of(std::initializer_list<std::uint64_t> segments) {
  DeviceHistory history;
  for (const std::uint64_t at : segments)
    history.events.push_back({Action::segment_alloc, {at}, segment_bytes, {}, {}, 0});
  return {history, ExplainedHistory{}};
}

TEST(RecordedPlaces, repeat_the_recorded_addresses_until_a_request_differs) {
  RecordedPlaces places =
      places_of({lowest_place + (64 << 20), lowest_place, lowest_place + (32 << 20)});
  EXPECT_EQ(places.place({PlaceKind::allocation, segment_bytes, {}}, 0),
            Address{lowest_place + (64 << 20)});
  EXPECT_EQ(places.place({PlaceKind::allocation, segment_bytes + segment_bytes, {}}, 0),
            std::nullopt);
  EXPECT_EQ(places.place({PlaceKind::allocation, segment_bytes, {}}, 0), std::nullopt);
}

TEST(RecordedPlaces, keep_the_next_place_from_a_request_that_failed) {
  DeviceHistory history;
  history.events.push_back({Action::oom, {}, segment_bytes, {}, {}, 0});
  history.events.push_back({Action::segment_alloc, {lowest_place}, segment_bytes, {}, {}, 0});
  RecordedPlaces places(history, ExplainedHistory{});
  EXPECT_EQ(places.place({PlaceKind::reservation, segment_bytes, {}}, 0), std::nullopt);
  EXPECT_EQ(places.place({PlaceKind::allocation, segment_bytes, {}}, 1), Address{lowest_place});
}

/// Such a recording has one reservation, and classic segments far behind it.
TEST(RecordedPlaces, take_a_reservation_of_any_size_for_one_whose_size_does_not_show) {
  DeviceHistory history;
  history.events.push_back({Action::segment_map, {1U << 30}, segment_bytes, {}, {}, 0});
  history.events.push_back({Action::segment_alloc, {lowest_place}, segment_bytes, {}, {}, 0});
  ExplainedHistory explained;
  explained.placements.lives.resize(2);
  explained.placements.lives.front().base = {1U << 30};
  for (const LifeIndex life : {LifeIndex{0}, LifeIndex{1}})
    explained.placements.life_of_event.push_back(life);
  RecordedPlaces places(history, explained);
  EXPECT_EQ(places.place({PlaceKind::reservation, unknown_reservation * 2, {}}, 0),
            Address{1U << 30});
  EXPECT_EQ(places.place({PlaceKind::allocation, segment_bytes, {}}, 1), Address{lowest_place});
}

TEST(RecordedPlaces, know_the_lowest_for_what_was_not_recorded) {
  const RecordedPlaces places =
      places_of({lowest_place + (64 << 20), lowest_place, lowest_place + (32 << 20)});
  EXPECT_EQ(places.lowest(PlaceKind::allocation), Address{lowest_place});
  EXPECT_EQ(places.lowest(PlaceKind::reservation), Address{lowest_place})
      << "there was no reservation";
  EXPECT_EQ(places_of({}).lowest(PlaceKind::allocation), std::nullopt);
}

TEST(RecordedPlaces, count_what_was_there_at_the_start) {
  ExplainedHistory explained;
  allocator::GivenSegment& segment = explained.start.segments.emplace_back();
  segment.base = {lowest_place};
  segment.is_expandable = true;
  const RecordedPlaces places(DeviceHistory{}, explained);
  EXPECT_EQ(places.lowest(PlaceKind::reservation), Address{lowest_place});
}

}  // namespace

}  // namespace vramlab::replay
