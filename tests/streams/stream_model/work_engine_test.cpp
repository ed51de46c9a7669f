// WorkEngine: work that follows other work and takes places, without streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "streams/stream_model/work_engine.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using testing::ElementsAre;

/// Work is known by its tag.
class WorkEngineRun : public testing::Test, private WorkListener {
 protected:
  WorkRef add(std::uint64_t tag, std::uint64_t duration, PlaceIndex place = any_place) {
    return engine_.add(
        {.arrival = engine_.now(), .duration = {duration}, .place = place, .tag = tag});
  }
  WorkRef submit(std::uint64_t tag, std::uint64_t duration, PlaceIndex place = any_place) {
    const WorkRef work = add(tag, duration, place);
    engine_.submit(work);
    return work;
  }
  std::vector<std::uint64_t> tags() const {
    std::vector<std::uint64_t> tags;
    for (const EndedWork& work : ended_) tags.push_back(work.tag);
    return tags;
  }

  WorkEngine engine_{*this, WorkEngine::Begins::followed};
  std::vector<EndedWork> ended_;
  std::uint64_t stops_at_tag_ = 0;

 private:
  void work_ended(const EndedWork& work) override {
    ended_.push_back(work);
    if (work.tag == stops_at_tag_) engine_.stop();
  }
};

TEST_F(WorkEngineRun, work_follows_the_end_of_other_work) {
  const WorkRef before = submit(1, 10);
  const WorkRef after = add(2, 5);
  engine_.follow(after, before);
  engine_.submit(after);
  engine_.run();
  ASSERT_THAT(tags(), ElementsAre(1, 2));
  EXPECT_EQ(ended_[1].begin, Time{10});
  EXPECT_EQ(ended_[1].end, Time{15});
}

TEST_F(WorkEngineRun, work_follows_the_begin_of_other_work) {
  const WorkRef gate = add(1, 4);
  const WorkRef before = add(2, 10);
  engine_.follow(before, gate);
  const WorkRef after = add(3, 5);
  engine_.follow_begin(after, before);
  for (const WorkRef work : {after, before, gate}) engine_.submit(work);
  engine_.run();
  ASSERT_THAT(tags(), ElementsAre(1, 3, 2));
  EXPECT_EQ(ended_[1].begin, Time{4});
}

TEST_F(WorkEngineRun, work_that_is_held_waits_to_be_let_go) {
  const WorkRef work = add(1, 5);
  engine_.hold(work);
  engine_.submit(work);
  engine_.advance({10});
  EXPECT_FALSE(engine_.has_ended(work));
  engine_.let_go(work);
  engine_.run();
  EXPECT_TRUE(engine_.has_ended(work));
  EXPECT_EQ(ended_.at(0).begin, Time{10});
}

TEST_F(WorkEngineRun, a_name_is_no_longer_pending_when_its_slot_is_used_again) {
  const WorkRef first = submit(1, 5);
  engine_.run();
  const WorkRef second = submit(2, 5);
  EXPECT_EQ(first.slot, second.slot);
  EXPECT_TRUE(engine_.has_ended(first));
  EXPECT_FALSE(engine_.has_ended(second));
  EXPECT_EQ(engine_.pending_count(), 1U);
}

TEST_F(WorkEngineRun, no_work_has_always_ended) { EXPECT_TRUE(engine_.has_ended(WorkRef{})); }

TEST_F(WorkEngineRun, advancing_includes_the_instant_itself) {
  submit(1, 5);
  engine_.advance({4});
  EXPECT_THAT(tags(), ElementsAre());
  engine_.advance({5});
  EXPECT_THAT(tags(), ElementsAre(1));
}

TEST_F(WorkEngineRun, running_until_work_ended_goes_no_further) {
  const WorkRef short_work = submit(1, 5);
  submit(2, 50);
  EXPECT_TRUE(engine_.run_until_ended(short_work));
  EXPECT_EQ(engine_.now(), Time{5});
}

TEST_F(WorkEngineRun, running_until_what_never_ends_stops_where_nothing_more_happens) {
  const WorkRef never = add(1, 5);
  submit(2, 50);
  EXPECT_FALSE(engine_.run_until_ended(never));
  EXPECT_EQ(engine_.now(), Time{50});
}

TEST_F(WorkEngineRun, what_ends_at_one_instant_ends_in_the_order_of_issue) {
  const WorkRef first = submit(1, 10);
  const WorkRef behind_first = add(2, 0);
  const WorkRef other = submit(3, 10);
  const WorkRef behind_other = add(4, 0);
  engine_.follow(behind_first, first);
  engine_.follow(behind_other, other);
  engine_.submit(behind_other);
  engine_.submit(behind_first);
  engine_.run();
  EXPECT_THAT(tags(), ElementsAre(1, 2, 3, 4));
}

TEST_F(WorkEngineRun, nothing_ends_after_the_listener_stopped_the_engine) {
  stops_at_tag_ = 2;
  for (std::uint64_t tag = 1; tag <= 3; ++tag) submit(tag, 10);
  submit(4, 20);
  engine_.run();
  EXPECT_THAT(tags(), ElementsAre(1, 2));
}

/// The place of each kind goes to work that waits when the round begins, not to work that comes
/// later.
TEST_F(WorkEngineRun, who_begins_to_wait_because_others_begin_waits_for_the_next_round) {
  const PlaceIndex places = engine_.add_places(2);
  const WorkRef gate = add(9, 10);
  const WorkRef first = add(1, 5, places);
  const WorkRef urgent =
      engine_.add({.arrival = {0}, .duration = {5}, .place = places, .priority = -1, .tag = 2});
  const WorkRef second = add(3, 5, places);
  engine_.follow(first, gate);
  engine_.follow(second, gate);
  engine_.follow_begin(urgent, first);
  for (const WorkRef work : {first, urgent, second, gate}) engine_.submit(work);
  engine_.run();
  ASSERT_THAT(tags(), ElementsAre(9, 1, 3, 2));
  EXPECT_EQ(ended_[2].begin, Time{10});
  EXPECT_EQ(ended_[3].begin, Time{15});
}

TEST_F(WorkEngineRun, work_without_duration_gives_its_place_back_at_once) {
  const PlaceIndex places = engine_.add_places(1);
  submit(1, 10, places);
  submit(2, 0, places);
  submit(3, 5, places);
  engine_.run();
  ASSERT_THAT(tags(), ElementsAre(1, 2, 3));
  EXPECT_EQ(ended_[2].begin, Time{10});
}

TEST_F(WorkEngineRun, time_stops_at_its_end) {
  constexpr Time end{std::numeric_limits<std::uint64_t>::max()};
  const WorkRef endless = submit(1, end.ns);
  const WorkRef after = add(2, 100);
  engine_.follow(after, endless);
  engine_.submit(after);
  engine_.run();
  ASSERT_THAT(tags(), ElementsAre(1, 2));
  EXPECT_EQ(ended_[1].end, end);
}

}  // namespace
}  // namespace vramlab::tests
