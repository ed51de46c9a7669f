#include "replay/replayer/apply_event.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"

namespace vramlab::replay {

using traces::ProgramEvent;
using Kind = traces::ProgramEventKind;

StreamFilter scope_filter(const ProgramEvent& event, StreamFilter is_capturing) {
  switch (event.scope) {
    case traces::ScopeStreams::every_stream:
      return [](StreamId) { return true; };
    case traces::ScopeStreams::one_stream:
      return [own = event.stream](StreamId asked) { return asked == own; };
    case traces::ScopeStreams::capturing_streams:
      return is_capturing;
  }
  check_failed("a scope is of one of three kinds", __FILE__, __LINE__);
}

namespace {

void begin_or_end_capture(streams::DrivenDevice& device, const ProgramEvent& event) {
  const bool begins = event.kind == Kind::capture_begin;
  if (device.is_capturing(event.stream) == begins)
    throw AllocatorError(
        "stream " + std::to_string(event.stream.value) +
        (begins ? " takes part in a capture already" : " takes part in no capture that could end"));
  if (begins)
    device.begin_capture(event.stream);
  else
    device.end_capture(event.stream);
}

}  // namespace

void drive(streams::DrivenDevice& device, const ProgramEvent& event) {
  switch (event.kind) {
    case Kind::work:
    case Kind::copy:
    case Kind::memset:
    case Kind::host_function:
      return device.submit_work(event.stream);
    case Kind::stream_done:
    case Kind::stream_sync:
      return device.complete_work(event.stream);
    case Kind::stream_wait:
      return device.wait_for_other_stream(event.stream, event.for_stream);
    case Kind::capture_begin:
    case Kind::capture_end:
      return begin_or_end_capture(device, event);
    default:
      return;
  }
}

using allocator::RestoredBlock;

std::optional<Address> LiveAddresses::find(std::uint64_t id) const {
  const auto found = addresses_.find(id);
  if (found == addresses_.end()) return std::nullopt;
  return found->second;
}

std::optional<Address> LiveAddresses::take(std::uint64_t id) {
  const auto found = addresses_.find(id);
  if (found == addresses_.end()) return std::nullopt;
  const Address address = found->second;
  addresses_.erase(found);
  return address;
}

void LiveAddresses::restore(const allocator::RestoreResult& result, std::uint64_t first_id) {
  std::unordered_set<std::uint64_t> freed;
  for (const Address address : result.freed) freed.insert(address.value);
  std::erase_if(addresses_,
                [&freed](const auto& entry) { return freed.contains(entry.second.value); });
  std::vector<RestoredBlock> created = result.created;
  std::ranges::sort(created, {}, &RestoredBlock::address);
  std::uint64_t id = first_id;
  for (const RestoredBlock& block : created) addresses_[id++] = block.address;
}

}  // namespace vramlab::replay
