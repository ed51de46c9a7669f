#include "replay/timeline/track_figures.h"

#include <algorithm>

namespace vramlab::replay {
namespace {

using allocator::Action;
using allocator::Address;
using allocator::Bytes;
using allocator::GivenUse;
using allocator::PoolId;
using traces::MemoryFigures;

MemoryTrack track_for(PoolId pool, allocator::PoolKind kind) {
  if (pool == allocator::default_pool) return {pool, kind};
  return {pool, std::nullopt};
}

/// Histories that contradict themselves may take more than there is.
void take(Bytes& from, Bytes size) { from -= std::min(from, size); }

}  // namespace

TrackFigures::TrackFigures(const Input& input, MemoryTimeline& timeline)
    : input_(input), timeline_(timeline) {
  const std::vector<SegmentLife>& lives = input.placements.lives;
  std::map<MemoryTrack, std::uint32_t> numbers;
  for (LifeIndex life = 0; life < lives.size(); ++life)
    numbers[track_for(input.pools[life], lives[life].kind)] = 0;
  timeline_.tracks = {MemoryTrack{}};
  for (auto& [track, number] : numbers) {
    number = static_cast<std::uint32_t>(timeline_.tracks.size());
    timeline_.tracks.push_back(track);
  }
  for (LifeIndex life = 0; life < lives.size(); ++life)
    track_of_life_.push_back(numbers[track_for(input.pools[life], lives[life].kind)]);
  figures_.resize(timeline_.tracks.size());
  told_.resize(timeline_.tracks.size());
}

void TrackFigures::begin(const PlacementBlocks& blocks) {
  for (const auto& [at, block] : blocks.blocks()) adopt(at, block);
  const std::uint64_t time_us = input_.times_us.empty() ? 0 : input_.times_us.front();
  for (std::uint32_t track = 1; track < figures_.size(); ++track) {
    figures_[track].largest_free = largest_free_of(track, blocks);
    if (figures_[track].reserved > Bytes{0}) tell_if_changed(track, time_us);
  }
  sum_up();
  tell_if_changed(0, time_us);
}

void TrackFigures::adopt(Address at, const PlacedBlock& block) {
  if (block.use == GivenUse::unmapped) return;
  const std::uint32_t track = track_of(block.life);
  figures_[track].reserved += block.size;
  if (block.use == GivenUse::free) return;
  const bool is_in_use = block.use == GivenUse::live;
  held_[at] = {block.size, track, is_in_use};
  if (is_in_use) figures_[track].allocated += block.size;
}

void TrackFigures::event_done(std::size_t event, const PlacementBlocks& blocks) {
  const auto track = apply(event, blocks);
  if (!track) return;
  const std::uint64_t time_us = input_.times_us[event];
  figures_[*track].largest_free = largest_free_of(*track, blocks);
  tell_if_changed(*track, time_us);
  sum_up();
  tell_if_changed(0, time_us);
}

std::optional<std::uint32_t> TrackFigures::apply(std::size_t event, const PlacementBlocks& blocks) {
  const allocator::AllocatorEvent& what = input_.history.events[event];
  switch (what.action) {
    case Action::alloc:
      return hand_out(what.address, blocks);
    case Action::free_requested:
    case Action::free_completed:
      return give_back(what);
    case Action::segment_alloc:
    case Action::segment_map: {
      const std::uint32_t track = track_of(input_.placements.life_of_event[event]);
      figures_[track].reserved += what.size;
      return track;
    }
    case Action::segment_free:
    case Action::segment_unmap: {
      const std::uint32_t track = track_of(input_.placements.life_of_event[event]);
      take(figures_[track].reserved, what.size);
      return track;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> TrackFigures::hand_out(Address at, const PlacementBlocks& blocks) {
  const PlacedBlock* block = blocks.find(at);
  if (block == nullptr) return std::nullopt;
  const std::uint32_t track = track_of(block->life);
  held_[at] = {block->size, track, true};
  figures_[track].allocated += block->size;
  return track;
}

/// A block that waits for other streams is in use no more, but not free yet.
std::optional<std::uint32_t> TrackFigures::give_back(const allocator::AllocatorEvent& event) {
  const auto found = held_.find(event.address);
  if (found == held_.end()) return std::nullopt;
  const std::uint32_t track = found->second.track;
  if (found->second.is_in_use) take(figures_[track].allocated, found->second.size);
  found->second.is_in_use = false;
  if (event.action == Action::free_completed) held_.erase(found);
  return track;
}

Bytes TrackFigures::largest_free_of(std::uint32_t track, const PlacementBlocks& blocks) const {
  const auto kind = timeline_.tracks[track].kind;
  Bytes largest;
  for (const auto& [one_class, set] : blocks.all_free_blocks()) {
    if (kind && one_class.kind != *kind) continue;
    for (auto at = set.rbegin(); at != set.rend() && at->first > largest; ++at)
      if (track_of(blocks.find(at->second)->life) == track) largest = at->first;
  }
  return largest;
}

void TrackFigures::sum_up() {
  MemoryFigures total;
  for (std::uint32_t track = 1; track < figures_.size(); ++track) {
    total.allocated += figures_[track].allocated;
    total.reserved += figures_[track].reserved;
    total.largest_free = std::max(total.largest_free, figures_[track].largest_free);
  }
  figures_[0] = total;
}

void TrackFigures::tell_if_changed(std::uint32_t track, std::uint64_t time_us) {
  if (told_[track] == figures_[track]) return;
  told_[track] = figures_[track];
  timeline_.points.push_back({time_us, track, figures_[track]});
}

}  // namespace vramlab::replay
