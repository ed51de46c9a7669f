#include "tests/support/programs/program_writer.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::tests {

using allocator::Bytes;
using allocator::StreamId;
using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;

ProgramWriter::ProgramWriter(RandomNumbers& numbers, const RandomFamily& family,
                             traces::RecordedProgram& program)
    : numbers_(numbers), family_(family), program_(program) {
  const StepWeights& weights = family.steps;
  steps_ = {{weights.malloc, &ProgramWriter::write_malloc},
            {weights.free, &ProgramWriter::write_free},
            {weights.record_stream, &ProgramWriter::write_record_stream},
            {weights.work, &ProgramWriter::write_work},
            {weights.complete, &ProgramWriter::write_complete},
            {weights.external, &ProgramWriter::write_external},
            {weights.empty_cache, &ProgramWriter::write_empty_cache},
            {weights.empty_pool_cache, &ProgramWriter::write_empty_pool_cache},
            {weights.snapshot, &ProgramWriter::write_snapshot},
            {weights.reset_statistics, &ProgramWriter::write_reset},
            {weights.set_config, &ProgramWriter::write_set_config},
            {weights.set_fraction, &ProgramWriter::write_set_fraction},
            {weights.begin_pool, &ProgramWriter::write_begin_pool},
            {weights.end_pool, &ProgramWriter::write_end_pool},
            {weights.release_pool, &ProgramWriter::write_release_pool},
            {weights.create_pool, &ProgramWriter::write_create_pool},
            {weights.destroy_pool, &ProgramWriter::write_destroy_pool},
            {weights.checkpoint, &ProgramWriter::write_checkpoint},
            {weights.restore, &ProgramWriter::write_restore},
            {weights.begin_capture, &ProgramWriter::write_begin_capture},
            {weights.end_capture, &ProgramWriter::write_end_capture},
            {weights.wait, &ProgramWriter::write_wait},
            {weights.pass, &ProgramWriter::write_pass},
            {weights.misuse, &ProgramWriter::write_misuse}};
  for (const auto& [weight, step] : steps_) weight_sum_ += weight;
  const std::uint64_t stream_count = numbers.between(1, 4);
  for (std::uint64_t i = 0; i < stream_count; ++i)
    streams_.push_back({i == 0 ? 0 : numbers.between(1, 8)});
  for (int i = 0; i < 6; ++i) favourite_sizes_.push_back(pick_bytes());
  most_live_ = static_cast<std::size_t>(numbers.between(10, 150));
}

void ProgramWriter::write(std::size_t call_count) {
  while (program_.calls.size() < call_count) take_step();
  if (!numbers_.one_in(3)) finish();
}

void ProgramWriter::take_step() {
  std::uint64_t drawn = numbers_.below(weight_sum_);
  for (const auto& [weight, step] : steps_) {
    if (drawn < weight) return (this->*step)();
    drawn -= weight;
  }
}

void ProgramWriter::finish() {
  while (!captures_.empty()) end_capture_of(captures_.begin()->first);
  for (auto& [pool, picture] : pools_) {
    if (picture.open) add_pool_call(Kind::pool_end, pool);
    picture.open = false;
  }
  while (!live_.empty()) free_at(static_cast<std::size_t>(numbers_.below(live_.size())));
  if (numbers_.one_in(2)) write_empty_cache();
}

void ProgramWriter::write_malloc() {
  if (live_.size() >= most_live_) return write_free();
  Call& call = add(Kind::malloc);
  call.id = next_id_++;
  call.bytes = Bytes{numbers_.one_in(3) ? numbers_.pick(favourite_sizes_) : pick_bytes()};
  call.stream = pick_stream();
  live_.push_back(call.id);
}

// Frees mostly the youngest or any block; now and then a whole run of them.
void ProgramWriter::write_free() {
  const std::uint64_t count = numbers_.one_in(25) ? numbers_.between(2, 30) : 1;
  for (std::uint64_t i = 0; i < count && !live_.empty(); ++i) {
    const std::size_t last = live_.size() - 1;
    free_at(numbers_.one_in(3) ? last : static_cast<std::size_t>(numbers_.below(last + 1)));
  }
}

void ProgramWriter::free_at(std::size_t index) {
  add(Kind::free).id = live_[index];
  live_[index] = live_.back();
  live_.pop_back();
}

// Forward: one favourite size after another, some with a piece of scratch memory; backward: given
// back, the youngest first. The batch scales all of them.
void ProgramWriter::write_pass() {
  const std::size_t before = live_.size();
  const std::uint64_t layers = numbers_.between(3, 20);
  const std::uint64_t batch = numbers_.between(1, 4);
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    Call& call = add(Kind::malloc);
    call.id = next_id_++;
    call.bytes = Bytes{favourite_sizes_[static_cast<std::size_t>(layer % 6)] / 4 * batch};
    call.stream = streams_.front();
    live_.push_back(call.id);
    if (numbers_.one_in(3))
      free_at(static_cast<std::size_t>(numbers_.between(before, live_.size() - 1)));
  }
  while (live_.size() > before) free_at(live_.size() - 1);
}

void ProgramWriter::write_record_stream() {
  if (live_.empty()) return write_malloc();
  Call& call = add(Kind::use);
  call.id = numbers_.one_in(2) ? live_.back() : numbers_.pick(live_);
  call.stream = numbers_.pick(streams_);
}

void ProgramWriter::write_work() { add(Kind::work).stream = pick_stream(); }
void ProgramWriter::write_complete() { add(Kind::stream_done).stream = pick_stream(); }

void ProgramWriter::write_external() {
  const std::uint64_t total = program_.device_total.count;
  add(Kind::external).bytes =
      Bytes{numbers_.one_in(3) ? 0 : numbers_.below(total / (16ULL << 20) + 2) * (16ULL << 20)};
}

void ProgramWriter::write_empty_cache() {
  const bool in_scope =
      std::ranges::any_of(pools_, [](const auto& entry) { return entry.second.open; });
  if (in_scope &&
      program_.version->empty_cache_in_capture == allocator::EmptyCacheInCapture::refused)
    return write_malloc();
  add(Kind::empty_cache);
}

void ProgramWriter::write_snapshot() { add(Kind::snapshot); }

void ProgramWriter::write_reset() {
  add(numbers_.one_in(2) ? Kind::reset_peak_stats : Kind::reset_accumulated_stats);
}

void ProgramWriter::write_set_config() {
  std::string options = random_options(numbers_, family_, *program_.version);
  add(Kind::options).text = program_.add_text(std::move(options));
}

void ProgramWriter::write_set_fraction() {
  add(Kind::memory_fraction).fraction = random_fraction(numbers_);
}

Call& ProgramWriter::add(Kind kind) {
  program_.calls.emplace_back();
  program_.calls.back().kind = kind;
  return program_.calls.back();
}

StreamId ProgramWriter::pick_stream() {
  return numbers_.one_in(2) ? streams_.front() : numbers_.pick(streams_);
}

std::uint64_t ProgramWriter::pick_bytes() {
  switch (family_.sizes) {
    case Sizes::mixed:
      return mixed_bytes();
    case Sizes::tiny:
      return tiny_bytes();
    case Sizes::borders:
      return numbers_.one_in(8) ? mixed_bytes() : border_bytes();
    case Sizes::large:
      return numbers_.one_in(3) ? mixed_bytes() : large_bytes();
  }
  check_failed("sizes are one of the four", __FILE__, __LINE__);
}

std::uint64_t ProgramWriter::mixed_bytes() {
  switch (numbers_.below(8)) {
    case 0:
      return border_bytes();
    case 1:
    case 2:
      return tiny_bytes();
    case 3:
      return numbers_.between(1, 1ULL << 20);
    case 4:
    case 5:
      return numbers_.between(1ULL << 20, 10ULL << 20);
    case 6:
      return numbers_.between(10ULL << 20, 64ULL << 20);
    default:
      return large_bytes();
  }
}

std::uint64_t ProgramWriter::tiny_bytes() {
  if (numbers_.one_in(40)) return 0;
  return numbers_.one_in(6) ? numbers_.between(1, 1ULL << 20) : numbers_.between(1, 8192);
}

// A size at which the rules change, or one byte or one block beside it.
std::uint64_t ProgramWriter::border_bytes() {
  static constexpr std::uint64_t MiB = 1ULL << 20;
  static constexpr std::uint64_t borders[] = {512,      1024,     MiB,      2 * MiB,  4 * MiB,
                                              10 * MiB, 11 * MiB, 20 * MiB, 21 * MiB, 22 * MiB,
                                              32 * MiB, 64 * MiB, 200 * MiB};
  static constexpr std::uint64_t steps[] = {0, 1, 512, 513};
  if (numbers_.one_in(400)) return (1ULL << numbers_.between(50, 63)) - numbers_.below(2);
  const std::uint64_t border =
      numbers_.one_in(3) ? 1ULL << numbers_.between(9, 28) : numbers_.pick(borders);
  const std::uint64_t step = numbers_.pick(steps);
  return numbers_.one_in(2) || step > border ? border + step : border - step;
}

std::uint64_t ProgramWriter::large_bytes() {
  const std::uint64_t total = program_.device_total.count;
  const std::uint64_t most =
      numbers_.one_in(5) ? total / 2 : std::min<std::uint64_t>(total / 6, 400ULL << 20);
  return numbers_.between(std::min<std::uint64_t>(most, 10ULL << 20), most);
}

}  // namespace vramlab::tests
