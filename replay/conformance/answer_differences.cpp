#include <functional>
#include <utility>

#include "allocator/types/bytes_and_ids.h"
#include "replay/conformance/difference_parts.h"
#include "replay/conformance/snapshot_differences.h"

namespace vramlab::replay {
namespace {

using namespace allocator;
using traces::ProgramEventKind;

/// As the recording writes it: nothing for a failure, 0 for a request of 0 bytes.
std::optional<Address> as_recorded(const MallocResult& result) {
  if (result.outcome == MallocOutcome::allocated) return result.address;
  if (result.outcome == MallocOutcome::nothing) return Address{0};
  return std::nullopt;
}

AllocatorEvent as_event(const traces::RecordedEvent& event) {
  AllocatorEvent same;
  same.action = event.action;
  same.address = event.address;
  same.size = event.size;
  same.stream = event.stream;
  return same;
}

std::string result_text(const std::optional<Address>& result) {
  if (!result) return "null";
  return result->value == 0 ? "0" : name_of(*result);
}

std::string pool_text(std::uint64_t pool) { return name_of(PoolId{0, pool}); }

traces::RecordedRestore as_recorded(const RestoreResult& restore) {
  traces::RecordedRestore same{restore.freed, {}};
  for (const RestoredBlock& block : restore.created) same.created.push_back(block.address);
  return same;
}

std::string restore_text(const traces::RecordedRestore& restore) {
  std::string text = "freed";
  for (const Address address : restore.freed) text += " " + name_of(address);
  text += ", created";
  for (const Address address : restore.created) text += " " + name_of(address);
  return text;
}

}  // namespace

std::optional<Difference> results_difference(const ComparedCase& compared) {
  const auto& expected = compared.recorded.expected.results;
  const auto& actual = compared.actual.answers.results;
  const auto at = first_mismatch(expected, actual, [](const auto& left, const MallocResult& right) {
    return left == as_recorded(right);
  });
  if (!at) return std::nullopt;
  Difference difference{.where = place_in("results", *at),
                        .expected = text_at(expected, *at, result_text)};
  difference.actual = text_at(
      actual, *at, [](const MallocResult& result) { return result_text(as_recorded(result)); });
  difference.call = nth_call(compared.recorded.program, ProgramEventKind::malloc, *at);
  if (*at < expected.size()) difference.address = expected[*at];
  if (!difference.address && *at < actual.size()) difference.address = as_recorded(actual[*at]);
  return difference;
}

std::optional<Difference> trace_difference(const ComparedCase& compared) {
  const auto& expected = compared.recorded.expected.trace;
  const auto& actual = compared.actual.history;
  const auto same = [](const traces::RecordedEvent& left, const AllocatorEvent& right) {
    return left.action == right.action && left.address == right.address &&
           left.size == right.size && left.stream == right.stream;
  };
  const auto at = first_mismatch(expected, actual, same);
  if (!at) return std::nullopt;
  Difference difference{.where = place_in("trace", *at)};
  difference.expected =
      text_at(expected, *at, [](const auto& event) { return text_of(as_event(event)); });
  difference.actual = text_at(actual, *at, [](const auto& event) { return text_of(event); });
  difference.address = *at < expected.size() ? expected[*at].address : actual[*at].address;
  difference.trace_entry = *at;
  return difference;
}

std::optional<Difference> trace_pools_difference(const ComparedCase& compared) {
  if (!compared.recorded.expected.trace_pools) return std::nullopt;
  const auto& expected = *compared.recorded.expected.trace_pools;
  const auto& actual = compared.actual.history;
  const auto same = [](std::uint64_t left, const AllocatorEvent& right) {
    return PoolId{0, left} == right.pool;
  };
  const auto at = first_mismatch(expected, actual, same);
  if (!at) return std::nullopt;
  Difference difference{.where = place_in("trace_pools", *at),
                        .expected = text_at(expected, *at, pool_text)};
  difference.actual = text_at(actual, *at, [](const auto& event) { return name_of(event.pool); });
  if (*at < actual.size()) difference.address = actual[*at].address;
  difference.trace_entry = *at;
  return difference;
}

std::optional<Difference> snapshots_difference(const ComparedCase& compared) {
  const auto& expected = compared.recorded.expected.snapshots;
  const auto& actual = compared.actual.answers.snapshots;
  const auto at = first_mismatch(expected, actual, std::equal_to<>());
  if (!at) return std::nullopt;
  const auto a_snapshot = [](const Snapshot&) { return "a snapshot"; };
  Difference difference{
      .where = place_in("snapshots", *at),
      .expected = text_at(expected, *at, a_snapshot),
      .actual = text_at(actual, *at, a_snapshot),
      .call = nth_call(compared.recorded.program, ProgramEventKind::snapshot, *at)};
  if (*at >= expected.size() || *at >= actual.size()) return difference;
  const auto inner = find_difference(expected[*at], actual[*at]);
  difference.where += inner->where;
  difference.expected = inner->expected;
  difference.actual = inner->actual;
  difference.address = inner->address;
  return difference;
}

std::optional<Difference> restores_difference(const ComparedCase& compared) {
  const auto& expected = compared.recorded.expected.restores;
  const auto& actual = compared.actual.answers.restores;
  const auto at =
      first_mismatch(expected, actual, [](const auto& left, const RestoreResult& right) {
        return left.freed == right.freed && left.created == as_recorded(right).created;
      });
  if (!at) return std::nullopt;
  Difference difference{.where = place_in("restores", *at),
                        .expected = text_at(expected, *at, restore_text)};
  difference.actual = text_at(
      actual, *at, [](const RestoreResult& restore) { return restore_text(as_recorded(restore)); });
  difference.call = nth_call(compared.recorded.program, ProgramEventKind::restore, *at);
  return difference;
}

std::optional<Difference> final_snapshot_difference(const ComparedCase& compared) {
  auto difference =
      find_difference(compared.recorded.expected.final_snapshot, compared.actual.final_snapshot);
  if (difference) difference->where = "final_snapshot" + difference->where;
  return difference;
}

}  // namespace vramlab::replay
