#include "tests/support/devices/allocator_setup.h"

#include <gtest/gtest.h>

#include "allocator/checks/consistency.h"

namespace vramlab::tests {
namespace {

using namespace allocator;

const ReferenceVersion& version_named(std::string_view name) {
  const ReferenceVersion* version = find_reference_version(name);
  EXPECT_NE(version, nullptr) << name;
  return version == nullptr ? default_reference_version() : *version;
}

Settings settings_of(const SetupOptions& setup) {
  if (setup.options.empty()) return {};
  ParsedSettings parsed = parse_settings({}, setup.options, version_named(setup.version));
  EXPECT_FALSE(parsed.error) << setup.options;
  return std::move(parsed.settings);
}

std::string short_state(BlockState state) {
  switch (state) {
    case BlockState::active_allocated:
      return " live";
    case BlockState::active_pending_free:
      return " waiting";
    case BlockState::inactive:
      return " free";
  }
  return " ?";
}

}  // namespace

AllocatorSetup::AllocatorSetup(const SetupOptions& setup)
    : device(setup.device_total),
      engine(device, version_named(setup.version), settings_of(setup)) {}

AllocatorSetup::~AllocatorSetup() {
  for (const std::string& rule : find_broken_rules(engine)) ADD_FAILURE() << rule;
}

Address AllocatorSetup::get(Bytes request, std::uint64_t stream) {
  const MallocResult result = engine.malloc(request, {stream});
  EXPECT_TRUE(result) << short_size(request) << " on stream " << stream;
  return result.address;
}

MallocOutcome AllocatorSetup::outcome_of(Bytes request, std::uint64_t stream) {
  return engine.malloc(request, {stream}).outcome;
}

void AllocatorSetup::use_on(std::uint64_t stream, Address address) {
  device.submit_work({stream});
  engine.record_stream(address, {stream});
}

void AllocatorSetup::set_options(std::string_view text) {
  EXPECT_FALSE(engine.set_options(text)) << text;
}

void AllocatorSetup::begin_scope(std::uint64_t pool) {
  engine.begin_scope({0, pool}, [](StreamId) { return true; });
}

void AllocatorSetup::begin_scope(std::uint64_t pool, std::uint64_t only_stream) {
  engine.begin_scope({0, pool},
                     [only_stream](StreamId asked) { return asked == StreamId{only_stream}; });
}

void AllocatorSetup::leave_free(Bytes size) {
  device.set_external_memory(device.memory_info().total - device.used_memory() - size);
}

std::vector<std::string> AllocatorSetup::segments() {
  return segment_lines(engine.take_snapshot());
}

std::vector<AllocatorEvent> AllocatorSetup::new_entries() {
  const std::vector<AllocatorEvent> all = history().entries();
  std::vector<AllocatorEvent> fresh;
  for (std::size_t i = seen_entries_; i < all.size(); ++i)
    if (all[i].action != Action::snapshot) fresh.push_back(all[i]);
  seen_entries_ = all.size();
  return fresh;
}

std::string AllocatorSetup::new_rules() {
  std::string names;
  for (const allocator::Rule rule :
       static_cast<allocator::ActedRules&>(engine.listeners()).take_rules())
    names += (names.empty() ? "" : " ") + std::to_string(rule.section) + "." +
             std::to_string(rule.number);
  return names;
}

std::vector<std::string> AllocatorSetup::new_actions() {
  std::vector<std::string> actions;
  for (const AllocatorEvent& entry : new_entries()) actions.emplace_back(action_name(entry.action));
  return actions;
}

StatisticValues AllocatorSetup::statistics() const {
  return static_cast<const Statistics&>(engine.listeners()).values();
}

std::string short_size(Bytes size) {
  if (size.count % (1ULL << 20) == 0) return std::to_string(size.count >> 20) + "MiB";
  if (size.count % (1ULL << 10) == 0) return std::to_string(size.count >> 10) + "KiB";
  return std::to_string(size.count) + "B";
}

std::vector<std::string> segment_lines(const Snapshot& snapshot) {
  std::vector<std::string> lines;
  for (const SnapshotSegment& segment : snapshot.segments) {
    std::string line;
    for (const SnapshotBlock& block : segment.blocks)
      line += (line.empty() ? "" : ", ") + short_size(block.size) + short_state(block.state);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace vramlab::tests
