// Open capture scopes: the pool that a request on a stream is taken to.
#include "allocator/blocks/pool.h"

#include <gtest/gtest.h>

namespace vramlab::allocator {
namespace {

StreamFilter only(std::uint64_t stream) {
  return [stream](StreamId asked) { return asked == StreamId{stream}; };
}
StreamFilter every() {
  return [](StreamId) { return true; };
}

TEST(CaptureScopes, the_oldest_that_accepts_the_stream_is_asked_first) {
  PrivatePool outer({0, 1});
  PrivatePool inner({0, 2});
  CaptureScopes scopes(ScopeOrder::oldest_first);
  scopes.open(outer, every());
  scopes.open(inner, every());
  EXPECT_EQ(scopes.find({0}), &outer);
}

TEST(CaptureScopes, the_newest_that_accepts_the_stream_is_asked_first) {
  PrivatePool outer({0, 1});
  PrivatePool inner({0, 2});
  CaptureScopes scopes(ScopeOrder::newest_first);
  scopes.open(outer, every());
  scopes.open(inner, every());
  EXPECT_EQ(scopes.find({0}), &inner);
}

TEST(CaptureScopes, a_scope_that_does_not_accept_the_stream_is_passed_over) {
  for (const ScopeOrder order : {ScopeOrder::oldest_first, ScopeOrder::newest_first}) {
    PrivatePool first({0, 1});
    PrivatePool second({0, 2});
    CaptureScopes scopes(order);
    scopes.open(first, only(3));
    scopes.open(second, only(5));
    EXPECT_EQ(scopes.find({3}), &first);
    EXPECT_EQ(scopes.find({5}), &second);
    EXPECT_EQ(scopes.find({0}), nullptr);
  }
}

TEST(CaptureScopes, a_closed_scope_takes_nothing_any_more) {
  PrivatePool pool({0, 1});
  CaptureScopes scopes(ScopeOrder::oldest_first);
  scopes.open(pool, every());
  EXPECT_TRUE(scopes.is_open({0, 1}));
  EXPECT_FALSE(scopes.is_open({0, 2}));
  EXPECT_EQ(&scopes.close({0, 1}), &pool);
  EXPECT_FALSE(scopes.is_open({0, 1}));
  EXPECT_TRUE(scopes.is_empty());
  EXPECT_EQ(scopes.find({0}), nullptr);
}

TEST(CaptureScopes, closing_one_leaves_the_order_of_the_others) {
  PrivatePool a({0, 1});
  PrivatePool b({0, 2});
  PrivatePool c({0, 3});
  CaptureScopes scopes(ScopeOrder::oldest_first);
  for (PrivatePool* pool : {&a, &b, &c}) scopes.open(*pool, every());
  scopes.close({0, 1});
  EXPECT_EQ(scopes.find({0}), &b);
}

}  // namespace
}  // namespace vramlab::allocator
