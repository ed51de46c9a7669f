// OpenCaptures: the graphs that captures build.
#include "streams/stream_model/open_captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using testing::ElementsAre;

class OpenCapturesTest : public testing::Test {
 protected:
  OpenCapturesTest() { captures_.begin(first, true, CaptureMode::global, {0}); }

  OpenCaptures::Member& member(StreamAt stream) { return *captures_.find(stream); }
  void add_node(StreamAt stream, std::uint64_t tag) {
    OpenCaptures::add_node(member(stream), {kernel(1, tag), stream, 0, {}});
  }
  void join(StreamAt stream, StreamAt from) {
    captures_.join(stream, true, *member(from).capture, NodePlaces(member(from).tips));
  }
  CapturedGraph end() { return captures_.end(member(first).capture->id); }

  OpenCaptures captures_;
};

TEST_F(OpenCapturesTest, a_node_depends_on_the_one_before_it_on_its_stream) {
  add_node(first, 1);
  add_node(first, 2);
  const CapturedGraph graph = end();
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_THAT(graph.nodes[0].after, ElementsAre());
  EXPECT_THAT(graph.nodes[1].after, ElementsAre(0));
}

TEST_F(OpenCapturesTest, a_stream_that_joins_goes_on_behind_what_it_joined_at) {
  add_node(first, 1);
  join(second, first);
  add_node(second, 2);
  add_node(first, 3);
  EXPECT_FALSE(OpenCaptures::is_joined(member(first)));
  OpenCaptures::add_tips(member(first), NodePlaces(member(second).tips));
  EXPECT_TRUE(OpenCaptures::is_joined(member(first)));
  add_node(first, 4);
  const CapturedGraph graph = end();
  EXPECT_THAT(graph.nodes[1].after, ElementsAre(0));
  EXPECT_THAT(graph.nodes[2].after, ElementsAre(0));
  EXPECT_THAT(graph.nodes[3].after, ElementsAre(1, 2));
  EXPECT_THAT(terminals_of(graph), ElementsAre(3));
}

TEST_F(OpenCapturesTest, what_nothing_depends_on_is_terminal) {
  join(second, first);
  add_node(first, 1);
  add_node(second, 2);
  EXPECT_THAT(terminals_of(end()), ElementsAre(0, 1));
}

TEST_F(OpenCapturesTest, a_stream_that_leaves_keeps_its_nodes_in_the_graph) {
  join(second, first);
  add_node(second, 1);
  captures_.leave(second);
  EXPECT_EQ(captures_.find(second), nullptr);
  EXPECT_FALSE(OpenCaptures::is_joined(member(first)));
  EXPECT_EQ(end().nodes.size(), 1U);
}

TEST_F(OpenCapturesTest, a_capture_is_over_when_the_stream_where_it_began_leaves) {
  join(second, first);
  captures_.leave(outside);
  EXPECT_FALSE(captures_.is_empty());
  captures_.leave(first);
  EXPECT_TRUE(captures_.is_empty());
  EXPECT_EQ(captures_.find(second), nullptr);
}

TEST_F(OpenCapturesTest, a_capture_that_ended_leaves_the_others_alone) {
  captures_.begin(second, false, CaptureMode::relaxed, {1});
  end();
  EXPECT_EQ(captures_.find(first), nullptr);
  ASSERT_NE(captures_.find(second), nullptr);
  EXPECT_EQ(captures_.find(second)->capture->origin, second);
  EXPECT_FALSE(captures_.is_empty());
}

}  // namespace
}  // namespace vramlab::tests
