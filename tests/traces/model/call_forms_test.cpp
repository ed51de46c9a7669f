#include "traces/model/call_forms.h"

#include <gtest/gtest.h>

#include "tests/support/kit/calls.h"

namespace vramlab::traces {
namespace {

using Kind = ProgramEventKind;
using tests::call_of;
using tests::pool_call;

TEST(CallText, reads_like_the_call_in_a_recorded_case) {
  EXPECT_EQ(call_text(tests::malloc_call(5, {1000}, 2), ""), "malloc, 5, 1000, 2");
  EXPECT_EQ(call_text(call_of(Kind::snapshot), ""), "snapshot");
  EXPECT_EQ(call_text(call_of(Kind::empty_cache), ""), "empty_cache");
  EXPECT_EQ(call_text(pool_call(Kind::empty_cache, 3), ""), "empty_cache, 3");
  EXPECT_EQ(call_text(tests::begin_pool_call(1), ""), "begin_pool, 1, null");
  EXPECT_EQ(call_text(tests::begin_pool_call(1, 0), ""), "begin_pool, 1, 0");
  EXPECT_EQ(call_text(tests::create_lending_pool_call(1), ""), "create_pool, 1, use_on_oom");
  EXPECT_EQ(call_text(tests::record_stream_call(7, 2), ""), "record_stream, 7, 2");
}

TEST(CallText, has_the_text_of_the_call) {
  EXPECT_EQ(call_text(call_of(Kind::options), "a:b"), "set_config, \"a:b\"");
  ProgramEvent restore = call_of(Kind::restore);
  restore.id = 9;
  EXPECT_EQ(call_text(restore, "a"), "restore, \"a\", 9");
}

TEST(CallText, has_fractions_traits_and_the_stream_that_is_waited_for) {
  ProgramEvent fraction = call_of(Kind::memory_fraction);
  fraction.fraction = 0.5;
  EXPECT_EQ(call_text(fraction, ""), "set_fraction, 0.5");
  ProgramEvent pool = pool_call(Kind::pool_create, 1);
  pool.no_split = true;
  EXPECT_EQ(call_text(pool, ""), "create_pool, 1, no_split");
  ProgramEvent wait = call_of(Kind::stream_wait);
  wait.stream = {1};
  wait.for_stream = {2};
  EXPECT_EQ(call_text(wait, ""), "wait, 1, 2");
}

TEST(CallForms, are_one_for_each_kind) {
  for (const CallForm& one : call_forms())
    for (const CallForm& other : call_forms())
      EXPECT_TRUE(&one == &other || (one.kind != other.kind && one.name != other.name)) << one.name;
}

}  // namespace
}  // namespace vramlab::traces
