#include "streams/time/capture_book.h"

#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

using allocator::GraphNode;
using allocator::StreamId;
using Nodes = std::vector<GraphNode>;

constexpr StreamId one{1};
constexpr StreamId two{2};
constexpr StreamId three{3};

Nodes terminals(const GraphCaptures& captures, StreamId stream) {
  return captures.capture_of(stream)->terminals;
}

TEST(GraphCaptures, a_capture_begins_without_terminal_nodes) {
  GraphCaptures captures;
  captures.begin(one);
  EXPECT_TRUE(captures.is_capturing(one));
  EXPECT_FALSE(captures.is_capturing(two));
  EXPECT_TRUE(terminals(captures, one).empty());
}

TEST(GraphCaptures, work_becomes_the_only_terminal_and_depends_on_those_before) {
  GraphCaptures captures;
  captures.begin(one);
  captures.add_node(one);
  const Nodes before = terminals(captures, one);
  captures.add_node(one);
  const Nodes after = terminals(captures, one);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_NE(after, before);
  EXPECT_EQ(captures.dependencies_of(after.front()), before);
  EXPECT_TRUE(captures.dependencies_of(before.front()).empty());
}

TEST(GraphCaptures, a_waiting_stream_joins_with_the_others_terminals) {
  GraphCaptures captures;
  captures.begin(one);
  captures.add_node(one);
  captures.wait(two, one);
  EXPECT_EQ(captures.capture_of(two)->id, captures.capture_of(one)->id);
  EXPECT_EQ(terminals(captures, two), terminals(captures, one));
}

TEST(GraphCaptures, waiting_within_a_capture_adds_terminals) {
  GraphCaptures captures;
  captures.begin(one);
  captures.wait(two, one);
  captures.add_node(one);
  captures.add_node(two);
  const Nodes of_second = terminals(captures, two);
  captures.wait(one, two);
  captures.wait(one, two);
  EXPECT_EQ(terminals(captures, one).size(), 2U);
  EXPECT_EQ(terminals(captures, two), of_second);
  captures.add_node(one);
  EXPECT_EQ(captures.dependencies_of(terminals(captures, one).front()).size(), 2U);
}

TEST(GraphCaptures, waiting_for_another_graph_or_for_no_capture_changes_nothing) {
  GraphCaptures captures;
  captures.begin(one);
  captures.begin(two);
  captures.add_node(two);
  captures.wait(one, two);
  EXPECT_TRUE(terminals(captures, one).empty());
  captures.wait(one, three);
  captures.wait(three, three);
  EXPECT_FALSE(captures.is_capturing(three));
}

TEST(GraphCaptures, a_capture_ends_for_every_stream_in_it) {
  GraphCaptures captures;
  captures.begin(one);
  captures.wait(two, one);
  captures.begin(three);
  captures.end(two);
  EXPECT_FALSE(captures.is_capturing(one));
  EXPECT_FALSE(captures.is_capturing(two));
  EXPECT_TRUE(captures.is_capturing(three));
}

TEST(GraphCaptures, captures_and_nodes_are_never_named_twice) {
  GraphCaptures captures;
  captures.begin(one);
  captures.add_node(one);
  const auto old = *captures.capture_of(one);
  captures.end(one);
  captures.begin(one);
  captures.add_node(one);
  const auto now = *captures.capture_of(one);
  EXPECT_NE(now.id, old.id);
  EXPECT_NE(now.terminals, old.terminals);
}

}  // namespace
}  // namespace vramlab::streams
