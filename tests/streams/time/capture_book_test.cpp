// CaptureBook: the graphs that captures build.
#include "streams/time/capture_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/scripted_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using testing::ElementsAre;

class CaptureBookPages : public testing::Test {
 protected:
  CaptureBookPages() { book_.begin(first, true, CaptureMode::global, {0}); }

  CaptureBook::Member& member(StreamAt stream) { return *book_.find(stream); }
  void add_node(StreamAt stream, std::uint64_t tag) {
    CaptureBook::add_node(member(stream), {kernel(1, tag), stream, 0, {}});
  }
  void join(StreamAt stream, StreamAt from) {
    book_.join(stream, true, *member(from).capture, NodePlaces(member(from).tips));
  }
  CapturedGraph end() { return book_.end(member(first).capture->id); }

  CaptureBook book_;
};

TEST_F(CaptureBookPages, a_node_depends_on_the_one_before_it_on_its_stream) {
  add_node(first, 1);
  add_node(first, 2);
  const CapturedGraph graph = end();
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_THAT(graph.nodes[0].after, ElementsAre());
  EXPECT_THAT(graph.nodes[1].after, ElementsAre(0));
}

TEST_F(CaptureBookPages, a_stream_that_joins_goes_on_behind_what_it_joined_at) {
  add_node(first, 1);
  join(second, first);
  add_node(second, 2);
  add_node(first, 3);
  EXPECT_FALSE(CaptureBook::is_joined(member(first)));
  CaptureBook::add_tips(member(first), NodePlaces(member(second).tips));
  EXPECT_TRUE(CaptureBook::is_joined(member(first)));
  add_node(first, 4);
  const CapturedGraph graph = end();
  EXPECT_THAT(graph.nodes[1].after, ElementsAre(0));
  EXPECT_THAT(graph.nodes[2].after, ElementsAre(0));
  EXPECT_THAT(graph.nodes[3].after, ElementsAre(1, 2));
  EXPECT_THAT(terminals_of(graph), ElementsAre(3));
}

TEST_F(CaptureBookPages, what_nothing_depends_on_is_terminal) {
  join(second, first);
  add_node(first, 1);
  add_node(second, 2);
  EXPECT_THAT(terminals_of(end()), ElementsAre(0, 1));
}

TEST_F(CaptureBookPages, a_graph_inside_another_keeps_its_shape) {
  CapturedGraph inner;
  inner.nodes = {
      {kernel(1, 5), first, 0, {}}, {kernel(1, 6), first, 0, {0}}, {kernel(1, 7), first, 0, {0}}};
  add_node(first, 1);
  CaptureBook::add_graph(member(first), inner);
  EXPECT_THAT(member(first).tips, ElementsAre(2, 3));
  add_node(first, 2);
  const CapturedGraph graph = end();
  EXPECT_THAT(graph.nodes[1].after, ElementsAre(0));
  EXPECT_THAT(graph.nodes[2].after, ElementsAre(1));
  EXPECT_THAT(graph.nodes[4].after, ElementsAre(2, 3));
}

TEST_F(CaptureBookPages, an_empty_graph_inside_another_changes_nothing) {
  add_node(first, 1);
  CaptureBook::add_graph(member(first), {});
  EXPECT_THAT(member(first).tips, ElementsAre(0));
}

TEST_F(CaptureBookPages, a_capture_that_ended_leaves_the_others_alone) {
  book_.begin(second, false, CaptureMode::relaxed, {1});
  end();
  EXPECT_EQ(book_.find(first), nullptr);
  ASSERT_NE(book_.find(second), nullptr);
  EXPECT_EQ(book_.find(second)->capture->origin, second);
  EXPECT_FALSE(book_.is_empty());
}

}  // namespace
}  // namespace vramlab::tests
