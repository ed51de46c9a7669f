// PinnedSetup: an allocator of pinned memory on a simulated host of its own, and short words for
// the questions of tests. At the end of every test the consistency checker finds no broken rule.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "allocator/checks/consistency.h"
#include "allocator/pinned/pinned_allocator.h"
#include "streams/device/simulated_host.h"

namespace vramlab::tests {

class PinnedSetup {
 public:
  explicit PinnedSetup(std::string_view options = {}, std::string_view version = "2.14")
      : version_(*allocator::find_reference_version(version)), engine(host, {}, version_) {
    set_options(options);
  }
  PinnedSetup(const PinnedSetup&) = delete;
  PinnedSetup& operator=(const PinnedSetup&) = delete;
  ~PinnedSetup() { EXPECT_EQ(find_broken_host_rule(engine), ""); }

  void set_options(std::string_view options) {
    const auto parsed = parse_settings(engine.settings(), options, version_);
    EXPECT_FALSE(parsed.error);
    engine.set_settings(parsed.settings);
  }
  /// Each call has a stack of its own, counted from 0.
  HostStack next_stack() { return {calls++}; }

  HostMallocResult ask(Bytes size, std::uint64_t current = 0) {
    return engine.malloc(size, {current}, next_stack());
  }
  /// A request that must succeed.
  Address get(Bytes size, std::uint64_t current = 0) {
    const HostMallocResult result = ask(size, current);
    EXPECT_TRUE(result);
    return result.address;
  }
  void free(Address at) { engine.free(at, next_stack()); }
  /// Work that is not done yet uses the memory.
  void use_on(std::uint64_t stream, Address at) {
    host.streams().submit_work({stream});
    EXPECT_TRUE(engine.use(at, {stream}));
  }
  void complete(std::uint64_t stream) { host.streams().complete({stream}); }
  void begin_pool(std::uint64_t pool) {
    engine.begin_pool({0, pool}, [](StreamId) { return true; });
  }
  /// Calls of the system without their addresses, such as "host_alloc 1024".
  std::vector<std::string> calls_of_system() const {
    std::vector<std::string> names;
    for (const HostSystemCall& call : host.calls())
      names.push_back(std::string(host_system_action_name(call.action)) + " " +
                      std::to_string(call.size.count));
    return names;
  }
  /// Each entry with its stack, such as "alloc 0".
  std::vector<std::string> entries() const {
    std::vector<std::string> texts;
    for (const HostEvent& event : engine.history())
      texts.push_back(std::string(action_name(event.action)) +
                      (event.stack ? " " + std::to_string(event.stack->value) : ""));
    return texts;
  }

 private:
  const ReferenceVersion& version_;

 public:
  streams::SimulatedHost host;
  allocator::PinnedAllocator engine;
  std::uint64_t calls = 0;
};

}  // namespace vramlab::tests
