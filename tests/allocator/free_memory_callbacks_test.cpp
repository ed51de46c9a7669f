// Callbacks that free memory when no cached block fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/devices/allocator_setup.h"

namespace vramlab::tests {
namespace {

using namespace allocator;
using namespace allocator::literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// A cache of blocks, as libraries have: it gives one back each time it is asked.
void add_cache(AllocatorSetup& setup, std::vector<Address>& cached, std::vector<int>& asked,
               int name) {
  setup.engine.add_free_memory_callback([&, name] {
    asked.push_back(name);
    if (cached.empty()) return false;
    setup.engine.free(cached.back());
    cached.pop_back();
    return true;
  });
}

TEST(FreeMemoryCallbacks, what_one_frees_serves_the_request_without_the_device) {
  AllocatorSetup setup;
  std::vector<Address> cached = {setup.get(15_MiB)};
  const Address kept = cached.front();
  std::vector<int> asked;
  add_cache(setup, cached, asked, 1);
  setup.new_actions();
  EXPECT_EQ(setup.get(15_MiB), kept);
  EXPECT_THAT(setup.new_actions(), ElementsAre("free_requested", "free_completed", "alloc"));
  EXPECT_THAT(asked, ElementsAre(1));
}

TEST(FreeMemoryCallbacks, are_not_asked_where_a_cached_block_fits) {
  AllocatorSetup setup;
  std::vector<Address> cached = {setup.get(15_MiB)};
  setup.free(setup.get(15_MiB));
  std::vector<int> asked;
  add_cache(setup, cached, asked, 1);
  setup.get(15_MiB);
  EXPECT_THAT(asked, IsEmpty());
}

TEST(FreeMemoryCallbacks, are_all_asked_in_their_order) {
  AllocatorSetup setup;
  std::vector<Address> cached = {setup.get(15_MiB)};
  std::vector<Address> none;
  std::vector<int> asked;
  add_cache(setup, cached, asked, 1);
  add_cache(setup, none, asked, 2);
  setup.get(15_MiB);
  EXPECT_THAT(asked, ElementsAre(1, 2));
}

TEST(FreeMemoryCallbacks, that_free_too_little_leave_the_request_to_the_device) {
  AllocatorSetup setup;
  std::vector<Address> cached = {setup.get(15_MiB)};
  std::vector<int> asked;
  add_cache(setup, cached, asked, 1);
  setup.new_actions();
  setup.get(40_MiB);
  EXPECT_THAT(setup.new_actions(),
              ElementsAre("free_requested", "free_completed", "segment_alloc", "alloc"));
}

TEST(FreeMemoryCallbacks, come_before_garbage_is_collected) {
  AllocatorSetup setup({.options = "garbage_collection_threshold:0.01"});
  setup.engine.set_memory_fraction(1.0);
  std::vector<Address> cached = {setup.get(15_MiB)};
  setup.free(setup.get(12_MiB));
  std::vector<int> asked;
  add_cache(setup, cached, asked, 1);
  setup.new_actions();
  setup.get(15_MiB);
  EXPECT_THAT(setup.new_actions(), ElementsAre("free_requested", "free_completed", "alloc"));
}

}  // namespace
}  // namespace vramlab::tests
