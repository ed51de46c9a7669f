#include "tests/gpu/gpu_board.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "allocator/types/check.h"

namespace vramlab::tests {
namespace {

constexpr std::size_t most_works = 512;
constexpr std::size_t most_slots = most_works * most_runs_of_a_work;
constexpr std::size_t stamps_bytes = most_slots * sizeof(std::uint64_t);
constexpr std::size_t ended_bytes = most_slots * sizeof(std::uint32_t);
constexpr std::size_t seen_bytes = most_slots * most_slots / 8;
constexpr std::size_t counts_bytes = most_works * sizeof(std::uint32_t);
constexpr std::size_t board_bytes = 2 * stamps_bytes + ended_bytes + seen_bytes + counts_bytes;

std::uint32_t load(std::uint32_t& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}
void store(std::uint32_t& word, std::uint32_t value) {
  std::atomic_ref(word).store(value, std::memory_order_release);
}

}  // namespace

void require_success(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error) + ", " +
                             cudaGetErrorString(error));
}

GpuBoard::GpuBoard() {
  require_success(cudaHostAlloc(&memory_, board_bytes, cudaHostAllocMapped), "cudaHostAlloc");
  auto* bytes = static_cast<std::byte*>(memory_);
  const auto take = [&bytes](std::size_t count) { return std::exchange(bytes, bytes + count); };
  view_.runs_per_work = most_runs_of_a_work;
  view_.begin_ns = reinterpret_cast<std::uint64_t*>(take(stamps_bytes));
  view_.end_ns = reinterpret_cast<std::uint64_t*>(take(stamps_bytes));
  view_.ended = reinterpret_cast<std::uint32_t*>(take(ended_bytes));
  view_.seen = reinterpret_cast<std::uint32_t*>(take(seen_bytes));
  view_.run_counts = reinterpret_cast<std::uint32_t*>(take(counts_bytes));
}

/// If the context was lost, the free fails, and the process is about to end.
GpuBoard::~GpuBoard() { static_cast<void>(cudaFreeHost(memory_)); }

void GpuBoard::begin_program(std::vector<std::uint64_t> tags) {
  check(tags.size() <= most_works, "a program has few works");
  tags_ = std::move(tags);
  indices_.clear();
  for (std::uint32_t i = 0; i < tags_.size(); ++i) indices_[tags_[i]] = i;
  view_.slot_count = static_cast<std::uint32_t>(tags_.size()) * view_.runs_per_work;
  std::memset(memory_, 0, board_bytes);
}

std::uint32_t GpuBoard::slot_of_next_run(std::uint32_t work) const {
  const std::uint32_t run = load(view_.run_counts[work]);
  return work * view_.runs_per_work + std::min(run, view_.runs_per_work - 1);
}

void GpuBoard::note_begin(std::uint32_t work) {
  const std::uint32_t slot = slot_of_next_run(work);
  for (std::uint32_t other = 0; other < view_.slot_count; ++other)
    if (has_ended(other)) view_.seen[slot * words_per_slot() + other / 32] |= 1U << (other % 32);
}

void GpuBoard::note_end(std::uint32_t work) {
  const std::uint32_t slot = slot_of_next_run(work);
  store(view_.run_counts[work], load(view_.run_counts[work]) + 1);
  store(view_.ended[slot], 1);
}

bool GpuBoard::has_ended(std::uint32_t slot) const { return load(view_.ended[slot]) != 0; }

WorkRun GpuBoard::run_at(std::uint32_t slot) const {
  return {tags_[slot / view_.runs_per_work], slot % view_.runs_per_work};
}

WorkRuns GpuBoard::ended_runs() const {
  WorkRuns ended;
  for (std::uint32_t slot = 0; slot < view_.slot_count; ++slot)
    if (has_ended(slot)) ended.insert(run_at(slot));
  return ended;
}

std::map<WorkRun, RunAnswer> GpuBoard::run_answers() const {
  std::map<WorkRun, RunAnswer> answers;
  for (std::uint32_t slot = 0; slot < view_.slot_count; ++slot) {
    if (!has_ended(slot)) continue;
    RunAnswer& answer = answers[run_at(slot)];
    for (std::uint32_t other = 0; other < view_.slot_count; ++other)
      if ((view_.seen[slot * words_per_slot() + other / 32] >> (other % 32) & 1U) != 0)
        answer.ended_before.insert(run_at(other));
    if (view_.begin_ns[slot] != 0 && view_.end_ns[slot] != 0)
      answer.stamps = {view_.begin_ns[slot], view_.end_ns[slot]};
  }
  return answers;
}

}  // namespace vramlab::tests
