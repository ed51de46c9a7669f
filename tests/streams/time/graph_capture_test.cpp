#include "streams/time/graph_capture.h"

#include <gtest/gtest.h>

namespace vramlab::streams {
namespace {

using allocator::GraphNode;
using allocator::StreamId;
using Nodes = std::vector<GraphNode>;

constexpr StreamId first{1};
constexpr StreamId second{2};
constexpr StreamId third{3};

Nodes terminals(const GraphCaptures& captures, StreamId stream) {
  return captures.capture_of(stream)->terminals;
}

TEST(GraphCaptures, a_capture_begins_without_terminal_nodes) {
  GraphCaptures captures;
  captures.begin(first);
  EXPECT_TRUE(captures.is_capturing(first));
  EXPECT_FALSE(captures.is_capturing(second));
  EXPECT_TRUE(terminals(captures, first).empty());
}

TEST(GraphCaptures, work_becomes_the_only_terminal_and_depends_on_those_before) {
  GraphCaptures captures;
  captures.begin(first);
  captures.add_node(first);
  const Nodes before = terminals(captures, first);
  captures.add_node(first);
  const Nodes after = terminals(captures, first);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_NE(after, before);
  EXPECT_EQ(captures.dependencies_of(after.front()), before);
  EXPECT_TRUE(captures.dependencies_of(before.front()).empty());
}

TEST(GraphCaptures, a_waiting_stream_joins_with_the_others_terminals) {
  GraphCaptures captures;
  captures.begin(first);
  captures.add_node(first);
  captures.wait(second, first);
  EXPECT_EQ(captures.capture_of(second)->id, captures.capture_of(first)->id);
  EXPECT_EQ(terminals(captures, second), terminals(captures, first));
}

TEST(GraphCaptures, waiting_within_a_capture_adds_terminals) {
  GraphCaptures captures;
  captures.begin(first);
  captures.wait(second, first);
  captures.add_node(first);
  captures.add_node(second);
  const Nodes of_second = terminals(captures, second);
  captures.wait(first, second);
  captures.wait(first, second);
  EXPECT_EQ(terminals(captures, first).size(), 2U);
  EXPECT_EQ(terminals(captures, second), of_second);
  captures.add_node(first);
  EXPECT_EQ(captures.dependencies_of(terminals(captures, first).front()).size(), 2U);
}

TEST(GraphCaptures, waiting_for_another_graph_or_for_no_capture_changes_nothing) {
  GraphCaptures captures;
  captures.begin(first);
  captures.begin(second);
  captures.add_node(second);
  captures.wait(first, second);
  EXPECT_TRUE(terminals(captures, first).empty());
  captures.wait(first, third);
  captures.wait(third, third);
  EXPECT_FALSE(captures.is_capturing(third));
}

TEST(GraphCaptures, a_capture_ends_for_every_stream_in_it) {
  GraphCaptures captures;
  captures.begin(first);
  captures.wait(second, first);
  captures.begin(third);
  captures.end(second);
  EXPECT_FALSE(captures.is_capturing(first));
  EXPECT_FALSE(captures.is_capturing(second));
  EXPECT_TRUE(captures.is_capturing(third));
}

TEST(GraphCaptures, captures_and_nodes_are_never_named_twice) {
  GraphCaptures captures;
  captures.begin(first);
  captures.add_node(first);
  const auto old = *captures.capture_of(first);
  captures.end(first);
  captures.begin(first);
  captures.add_node(first);
  const auto now = *captures.capture_of(first);
  EXPECT_NE(now.id, old.id);
  EXPECT_NE(now.terminals, old.terminals);
}

}  // namespace
}  // namespace vramlab::streams
