#include "traces/calls/call_text.h"

#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

TEST(CallText, reads_like_the_call_in_a_recorded_case) {
  EXPECT_EQ(call_text({.kind = CallKind::malloc, .id = 5, .bytes = {1000}, .stream = {2}}),
            "malloc, 5, 1000, 2");
  EXPECT_EQ(call_text({.kind = CallKind::snapshot}), "snapshot");
  EXPECT_EQ(call_text({.kind = CallKind::empty_cache}), "empty_cache");
  EXPECT_EQ(call_text({.kind = CallKind::empty_cache, .pool = 3}), "empty_cache, 3");
  EXPECT_EQ(call_text({.kind = CallKind::set_fraction, .fraction = 0.5}), "set_fraction, 0.5");
  EXPECT_EQ(call_text({.kind = CallKind::begin_pool, .pool = 1}), "begin_pool, 1, null");
  EXPECT_EQ(call_text({.kind = CallKind::begin_pool, .scope = ScopeStreams::one_stream, .pool = 1}),
            "begin_pool, 1, 0");
  EXPECT_EQ(call_text({.kind = CallKind::create_pool, .no_split = true, .pool = 1}),
            "create_pool, 1, no_split");
  EXPECT_EQ(call_text({.kind = CallKind::restore, .id = 9, .text = "a"}), "restore, \"a\", 9");
  EXPECT_EQ(call_text({.kind = CallKind::wait, .stream = {1}, .waited_stream = {2}}), "wait, 1, 2");
}

}  // namespace
}  // namespace vramlab::traces
