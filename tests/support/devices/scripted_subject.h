// ScriptedSubject: an AllocatorSubject without an allocator. It notes what it is asked, and gives
// one address after another; tests of the runner need no more.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "allocator/types/answers.h"
#include "replay/replayer/subjects.h"

namespace vramlab::tests {

class ScriptedSubject final : public replay::AllocatorSubject {
 public:
  std::vector<std::string> asked;
  /// The answer of the next malloc instead of the next address.
  std::optional<allocator::MallocOutcome> next_outcome;
  allocator::RestoreResult next_restore;
  allocator::StreamFilter last_filter;

  allocator::MallocResult malloc(allocator::Bytes request, allocator::StreamId) override {
    note("malloc", request.count);
    if (next_outcome) return {*std::exchange(next_outcome, std::nullopt), {}};
    return {allocator::MallocOutcome::allocated, {next_address_++}};
  }
  allocator::OutOfMemory last_failure() const override { return failure; }
  void free(allocator::Address address) override { note("free", address.value); }
  void record_stream(allocator::Address address, allocator::StreamId) override {
    note("record_stream", address.value);
  }
  void set_current_stream(allocator::StreamId stream) override {
    note("set_current_stream", stream.value);
  }
  void empty_cache(allocator::PoolId pool) override { note("empty_cache", pool.user); }
  std::optional<allocator::SettingsError> set_options(std::string_view text) override {
    if (text != "bad") return std::nullopt;
    return allocator::SettingsError{allocator::SettingsErrorKind::unknown_option, "bad", "bad"};
  }
  void set_memory_fraction(double) override { note("set_memory_fraction", 0); }
  void begin_scope(allocator::PoolId pool, allocator::StreamFilter filter) override {
    note("begin_scope", pool.user);
    last_filter = std::move(filter);
  }
  void end_scope(allocator::PoolId pool) override { note("end_scope", pool.user); }
  void release_pool(allocator::PoolId pool) override { note("release_pool", pool.user); }
  void create_pool(allocator::PoolId pool, allocator::PoolTraits) override {
    note("create_pool", pool.user);
  }
  void destroy_pool(allocator::PoolId pool) override { note("destroy_pool", pool.user); }
  allocator::Checkpoint take_checkpoint(allocator::PoolId pool) override {
    note("take_checkpoint", pool.user);
    return {pool, {}};
  }
  allocator::RestoreResult restore_checkpoint(const allocator::Checkpoint& checkpoint) override {
    note("restore_checkpoint", checkpoint.pool.user);
    return next_restore;
  }
  allocator::Snapshot take_snapshot() override { return {}; }
  allocator::StatisticValues statistics() const override { return {}; }
  void reset_peak_statistics() override { note("reset_peak", 0); }
  void reset_accumulated_statistics() override { note("reset_accumulated", 0); }
  std::vector<allocator::AllocatorEvent> history() const override { return {}; }
  std::string find_broken_rule() const override { return {}; }

  allocator::OutOfMemory failure;

 private:
  void note(const std::string& what, std::uint64_t number) {
    asked.push_back(what + " " + std::to_string(number));
  }
  std::uint64_t next_address_ = 1000;
};

}  // namespace vramlab::tests
