// The part of a random program that deals with pools, captures and checkpoints.
#include <algorithm>

#include "tests/support/programs/program_writer.h"

namespace vramlab::tests {

using allocator::StreamId;
using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;
using traces::ScopeStreams;

void ProgramWriter::add_pool_call(Kind kind, std::uint64_t pool) { add(kind).pool = {0, pool}; }

/// A new pool, or a pool that is in use and not open. Now and then a pool without use, which may
/// have been forgotten or must be refused.
std::uint64_t ProgramWriter::pick_pool_to_use() {
  std::vector<std::uint64_t> usable;
  for (const auto& [pool, picture] : pools_)
    if (!picture.open && (picture.uses > 0 || numbers_.one_in(60))) usable.push_back(pool);
  if (!usable.empty() && !numbers_.one_in(3)) return numbers_.pick(usable);
  return pools_.size() + 1;
}

void ProgramWriter::write_begin_pool() {
  if (captures_.size() + static_cast<std::size_t>(std::ranges::count_if(
                             pools_, [](const auto& p) { return p.second.open; })) >
      3)
    return write_end_pool();
  const std::uint64_t pool = pick_pool_to_use();
  const StreamId stream = pick_stream();
  const bool is_known = pools_.contains(pool);
  PoolPicture& picture = pools_[pool];
  picture.is_doubtful = picture.is_doubtful || (is_known && picture.uses == 0);
  picture.open = true;
  ++picture.uses;
  Call& call = add(Kind::pool_begin);
  call.pool = {0, pool};
  call.scope = numbers_.one_in(2) ? ScopeStreams::every_stream : ScopeStreams::one_stream;
  if (call.scope == ScopeStreams::one_stream) call.stream = stream;
}

void ProgramWriter::write_end_pool() {
  std::vector<std::uint64_t> open;
  for (const auto& [pool, picture] : pools_)
    if (picture.open && !captures_.contains(pool)) open.push_back(pool);
  if (open.empty()) return write_malloc();
  const std::uint64_t pool = numbers_.pick(open);
  pools_[pool].open = false;
  add_pool_call(Kind::pool_end, pool);
}

// The last use ends neither while the pool is captured to nor while it is an object's: the effects
// are not defined then.
void ProgramWriter::write_release_pool() {
  std::vector<std::uint64_t> releasable;
  for (const auto& [pool, picture] : pools_) {
    const bool leaves_uses = picture.uses > 1 + picture.objects;
    const bool is_last_use = picture.uses == 1 && picture.objects == 0 && !picture.open;
    if ((leaves_uses || is_last_use) && !picture.is_doubtful) releasable.push_back(pool);
  }
  if (releasable.empty()) return write_malloc();
  const std::uint64_t pool = numbers_.pick(releasable);
  --pools_[pool].uses;
  add_pool_call(Kind::pool_release, pool);
}

void ProgramWriter::write_create_pool() {
  std::uint64_t pool = numbers_.one_in(4) ? pick_pool_to_use() : pools_.size() + 1;
  if (pools_.contains(pool) && (pools_[pool].uses == 0 || pools_[pool].is_doubtful))
    pool = pools_.size() + 1;
  PoolPicture& picture = pools_[pool];
  ++picture.uses;
  ++picture.objects;
  Call& call = add(Kind::pool_create);
  call.pool = {0, pool};
  call.use_on_oom = !numbers_.one_in(3);
  call.no_split = numbers_.one_in(3);
}

void ProgramWriter::write_destroy_pool() {
  if (std::ranges::any_of(pools_, [](const auto& entry) { return entry.second.open; }))
    return write_malloc();
  std::vector<std::uint64_t> objects;
  for (const auto& [pool, picture] : pools_)
    if (picture.objects > 0) objects.push_back(pool);
  if (objects.empty()) return write_malloc();
  const std::uint64_t pool = numbers_.pick(objects);
  --pools_[pool].uses;
  --pools_[pool].objects;
  add_pool_call(Kind::pool_destroy, pool);
}

void ProgramWriter::write_empty_pool_cache() {
  if (pools_.empty() ||
      std::ranges::any_of(pools_, [](const auto& entry) { return entry.second.open; }))
    return write_malloc();
  add_pool_call(Kind::empty_cache, numbers_.between(1, pools_.size()));
}

std::uint64_t ProgramWriter::pick_known_pool() { return numbers_.between(1, pools_.size()); }

void ProgramWriter::write_checkpoint() {
  if (pools_.empty()) return write_begin_pool();
  Call& call = add(Kind::checkpoint);
  call.pool = {0, pick_known_pool()};
  checkpoints_.push_back("c" + std::to_string(checkpoints_.size()));
  call.text = program_.add_text(checkpoints_.back());
}

void ProgramWriter::write_restore() {
  if (checkpoints_.empty()) return write_checkpoint();
  Call& call = add(Kind::restore);
  const std::size_t recent = std::min<std::size_t>(checkpoints_.size(), 4);
  call.text = program_.add_text(
      checkpoints_[checkpoints_.size() - 1 - static_cast<std::size_t>(numbers_.below(recent))]);
  call.id = next_restored_id_;
  for (std::uint64_t i = 0; i < 4; ++i) live_.push_back(next_restored_id_ + i);
  next_restored_id_ += 10'000;
}

bool ProgramWriter::is_capturing(StreamId stream) const {
  return std::ranges::any_of(
      captures_, [&](const auto& entry) { return entry.second.streams.contains(stream); });
}

void ProgramWriter::write_begin_capture() {
  const StreamId stream = pick_stream();
  if (is_capturing(stream) || captures_.size() > 1) return write_end_capture();
  const std::uint64_t pool = pick_pool_to_use();
  if (pools_.contains(pool) && pools_[pool].uses == 0) return write_malloc();
  pools_[pool].open = true;
  ++pools_[pool].uses;
  captures_[pool] = {stream, {stream}};
  Call& call = add(Kind::pool_begin);
  call.pool = {0, pool};
  call.scope = ScopeStreams::capturing_streams;
  add(Kind::capture_begin).stream = stream;
}

void ProgramWriter::write_end_capture() {
  if (captures_.empty()) return write_malloc();
  end_capture_of(captures_.begin()->first);
}

void ProgramWriter::end_capture_of(std::uint64_t pool) {
  add(Kind::capture_end).stream = captures_[pool].origin;
  captures_.erase(pool);
  pools_[pool].open = false;
  add_pool_call(Kind::pool_end, pool);
}

void ProgramWriter::write_wait() {
  const StreamId stream = pick_stream();
  const StreamId waited = numbers_.pick(streams_);
  if (stream == waited) return write_work();
  Call& call = add(Kind::stream_wait);
  call.stream = stream;
  call.for_stream = waited;
  if (is_capturing(stream)) return;
  for (auto& [pool, capture] : captures_)
    if (capture.streams.contains(waited)) capture.streams.insert(stream);
}

// Calls that must be refused, and that must change nothing.
void ProgramWriter::write_misuse() {
  switch (numbers_.below(7)) {
    case 0:
      return add_pool_call(Kind::pool_end, pools_.size() + 5);
    case 1:
      return add_pool_call(Kind::pool_release, pools_.size() + 5);
    case 2:
      add(Kind::memory_fraction).fraction = numbers_.one_in(2) ? 1.5 : -0.1;
      return;
    case 3: {
      Call& call = add(Kind::checkpoint);
      call.pool = {0, pools_.size() + 5};
      call.text = program_.add_text("refused");
      return;
    }
    case 4:
      add(Kind::restore).text = program_.add_text("never taken");
      return;
    default:
      for (const auto& [pool, picture] : pools_) {
        if (!picture.open) continue;
        if (numbers_.one_in(2)) return add_pool_call(Kind::pool_begin, pool);
        add(Kind::empty_cache);
        return;
      }
      return write_malloc();
  }
}

}  // namespace vramlab::tests
