#include "tests/shim/mix/mixed_program.h"

#include <algorithm>

namespace vramlab::tests {
namespace {

constexpr std::size_t most_held = 48;
constexpr std::size_t most_sent_each = 4;

}  // namespace

std::uint64_t StepDice::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

MixedProgram::MixedProgram(MixedSetup& setup, std::uint64_t seed)
    : setup_(setup), seed_(StepDice(seed).next()), dice_(seed_) {}

MixedProgram::~MixedProgram() {
  setup_.enter(*setup_.places().front());
  while (!others_.empty()) give_other_memory_back();
  close_own_context();
  while (!held_.empty()) give_back(take_out(held_.size() - 1));
  setup_.enter(*setup_.places().front());
  for (const OwnStream& own : streams_) setup_.destroy_stream(own.stream);
}

const std::vector<MixedProgram::Kind>& MixedProgram::kinds() {
  static const std::vector<Kind> all = {
      {300, "allocate", &MixedProgram::allocate},
      {240, "use", &MixedProgram::use},
      {240, "free", &MixedProgram::free},
      {20, "free on a stream", &MixedProgram::free_on_stream},
      {60, "exchange", &MixedProgram::exchange},
      {20, "change streams", &MixedProgram::change_streams},
      {6, "change contexts", &MixedProgram::change_contexts},
      {6, "change peers", &MixedProgram::change_peers},
      {16, "capture", &MixedProgram::capture},
      {24, "take other memory", &MixedProgram::take_other_memory},
      {24, "give other memory back", &MixedProgram::give_other_memory_back},
      {2, "export", &MixedProgram::export_block},
      {10, "ask", &MixedProgram::ask},
      {12, "make calls fail", &MixedProgram::make_calls_fail},
      {30, "pass time", &MixedProgram::pass_time},
  };
  return all;
}

const char* MixedProgram::step() {
  dice_ = StepDice(seed_ + ++step_ * 0xd1342543de82ef95);
  std::uint64_t drawn = dice_.below(1010);
  for (const Kind& kind : kinds()) {
    if (drawn < kind.weight) {
      (this->*kind.run)();
      return kind.name;
    }
    drawn -= kind.weight;
  }
  return "nothing";
}

std::size_t MixedProgram::some_bytes() {
  if (dice_.one_in(2)) return 1 + dice_.below(mib);
  return 1 + dice_.below(dice_.one_in(16) ? 128 * mib : 24 * mib);
}

MixedBlock MixedProgram::take_out(std::size_t which) {
  const MixedBlock block = held_[which];
  held_[which] = held_.back();
  held_.pop_back();
  return block;
}

void MixedProgram::allocate() {
  const MixedPlace& place = some_place();
  if (held_.size() >= most_held) return free();
  if (take(place, some_bytes()) == CUDA_ERROR_OUT_OF_MEMORY) free();
}

CUresult MixedProgram::take(const MixedPlace& place, std::size_t bytes) {
  setup_.enter(place);
  MixedBlock block{0, bytes, place.home};
  const CUresult result = setup_.try_alloc(&block.at, bytes);
  setup_.expect(result, "cuMemAlloc");
  if (result != CUDA_SUCCESS) return result;
  block.is_cached = setup_.is_cached(block.at);
  setup_.check_not_exported(block);
  held_.push_back(block);
  return result;
}

void MixedProgram::use() {
  if (held_.empty()) return;
  const MixedBlock& block = held_[dice_.below(held_.size())];
  work_on(block, some_stream(some_user_of(block)));
}

void MixedProgram::work_on(const MixedBlock& block, CUstream stream) {
  setup_.work(stream, block.at, block.bytes, 1 + dice_.below(50000));
}

void MixedProgram::free() {
  if (held_.empty()) return;
  const MixedBlock block = take_out(dice_.below(held_.size()));
  // Often right behind work, which is what a fence is for.
  if (dice_.one_in(2)) work_on(block, some_stream(some_user_of(block)));
  give_back(block);
}

void MixedProgram::give_back(const MixedBlock& block) {
  setup_.enter(*block.home);
  // Only what is cached can be freed without a context.
  if (block.is_cached && dice_.one_in(8))
    setup_.make_current(dice_.one_in(2) ? nullptr : some_place().context);
  CUresult result = setup_.free(block.at);
  for (int tries = 0; result == CUDA_ERROR_NOT_PERMITTED && !block.is_cached && tries < 4; ++tries)
    result = setup_.free(block.at);
  if (result != CUDA_SUCCESS)
    setup_.note_problem("cuMemFree answered " +
                        streams::driver_error_name(setup_.driver(), result));
}

/// On a stream whose work alone may use the block.
void MixedProgram::free_on_stream() {
  if (held_.empty()) return;
  const std::size_t which = dice_.below(held_.size());
  if (held_[which].was_sent || !wait_for_users_of(held_[which])) return;
  const CUstream stream = some_stream(some_user_of(held_[which]));
  const MixedBlock block = take_out(which);
  work_on(block, stream);
  const CUresult result = setup_.free_on(block.at, stream);
  setup_.expect(result, "cuMemFreeAsync");
  if (result != CUDA_SUCCESS) give_back(block);
}

void MixedProgram::exchange() {
  const bool sends = dice_.one_in(2);
  if (sends && !held_.empty()) {
    const std::size_t which = dice_.below(held_.size());
    if (own_ != nullptr && held_[which].home == own_.get()) return;
    setup_.send(take_out(which));
    return;
  }
  for (std::size_t i = 0; i < most_sent_each; ++i)
    if (const std::optional<MixedBlock> block = setup_.receive()) give_back(*block);
}

}  // namespace vramlab::tests
