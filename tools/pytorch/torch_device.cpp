#include "tools/pytorch/torch_device.h"

#include <algorithm>
#include <chrono>

#include "allocator/checks/out_of_memory.h"
#include "allocator/types/answers.h"

namespace vramlab::pytorch {

using allocator::BlockIndex;

TorchDevice::TorchDevice(const streams::CudaDriver& driver, int index, const TorchRules& rules)
    : gpu_(driver, {.device = index, .streams = streams::StreamNames::handles}),
      engine_(gpu_, rules.reference, rules.settings) {
  engine_.listeners().set_capacity(0);
}

void TorchDevice::note_time() {
  if (history_capacity_ == 0) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  engine_.listeners().set_time_us(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

TorchDevice::Requested TorchDevice::malloc(Bytes size, StreamId stream) {
  const std::lock_guard lock(mutex_);
  note_time();
  Requested requested{engine_.malloc(size, stream), {}};
  switch (requested.result.outcome) {
    case MallocOutcome::allocated:
    case MallocOutcome::nothing:
      break;
    case MallocOutcome::scope_already_open:
      throw AllocatorError("a request in a pool that lends its memory while it is captured to");
    case MallocOutcome::out_of_memory:
    case MallocOutcome::rejected:
      // Libraries look for PyTorch's own words.
      requested.failure = "CUDA out of memory. " + out_of_memory_message(engine_.last_failure());
  }
  return requested;
}

bool TorchDevice::free(Address at) {
  return with_engine([at](auto& engine) {
    if (!engine.is_live(at)) return false;
    engine.free(at);
    return true;
  });
}

bool TorchDevice::record_stream(Address at, StreamId stream) {
  return with_engine([&](auto& engine) {
    if (!engine.is_live(at)) return false;
    engine.record_stream(at, stream);
    return true;
  });
}

std::optional<BaseAllocation> TorchDevice::base_of(Address at) {
  const std::lock_guard lock(mutex_);
  const auto& core = engine_.core();
  BlockIndex block = core.live_at(at);
  if (block == BlockIndex::none) return std::nullopt;
  if (core.blocks[block].is_expandable())
    throw AllocatorError("memory of an expandable segment can't be shared between processes");
  while (!core.blocks[block].is_first()) block = core.blocks[block].previous();
  BaseAllocation base{core.blocks[block].address, {}};
  for (; block != BlockIndex::none; block = core.blocks[block].next)
    base.size += core.blocks[block].size();
  return base;
}

void TorchDevice::set_memory_fraction(double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw AllocatorError("a memory fraction is between 0 and 1, not " + std::to_string(fraction));
  with_engine([fraction](auto& engine) { engine.set_memory_fraction(fraction); });
}

std::optional<Address> TorchDevice::give_segment(Bytes size) {
  const std::lock_guard lock(mutex_);
  const auto at = gpu_.allocate(size, {});
  if (!at) {
    ++segments_.refused;
    return at;
  }
  ++segments_.given;
  segments_.bytes += size.count;
  segments_.peak_bytes = std::max(segments_.peak_bytes, segments_.bytes);
  segment_sizes_[*at] = size;
  return at;
}

bool TorchDevice::take_segment_back(Address at) {
  const std::lock_guard lock(mutex_);
  const auto found = segment_sizes_.find(at);
  if (found == segment_sizes_.end()) return false;
  gpu_.release(at);
  ++segments_.taken_back;
  segments_.bytes -= found->second.count;
  segment_sizes_.erase(found);
  return true;
}

SegmentCounts TorchDevice::segment_counts() {
  const std::lock_guard lock(mutex_);
  return segments_;
}

void TorchDevice::keep_history(std::size_t entries) {
  const std::lock_guard lock(mutex_);
  history_capacity_ = entries;
  engine_.listeners().set_capacity(entries);
}

}  // namespace vramlab::pytorch
