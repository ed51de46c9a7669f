#include "replay/replayer/program_runner.h"

#include <utility>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "replay/replayer/apply_event.h"

namespace vramlab::replay {

using Kind = traces::ProgramEventKind;

void ProgramRunner::run_all() {
  while (next_call_ < calls_.size()) step(next_call_);
}

void ProgramRunner::step(std::size_t index) {
  check(index == next_call_ && index < calls_.size(), "calls are made in order, each once");
  ++next_call_;
  const Event& call = calls_[index];
  switch (call.kind) {
    case Kind::malloc:
      return request(call);
    case Kind::free:
      if (const auto address = addresses_.take(call.id)) subject_.free(*address);
      return;
    case Kind::use:
      if (const auto address = address_of(call.id)) subject_.record_stream(*address, call.stream);
      return;
    case Kind::options:
      return set_options(call);
    case Kind::memory_fraction:
      return subject_.set_memory_fraction(call.fraction);
    case Kind::external:
      return device_.set_external_memory(call.bytes);
    case Kind::checkpoint:
      checkpoints_[text_of(call)] = subject_.take_checkpoint(call.pool);
      return;
    case Kind::restore:
      return restore(call);
    case Kind::snapshot:
      answers_.snapshots.push_back(subject_.take_snapshot());
      return;
    case Kind::reset_peak_stats:
      return subject_.reset_peak_statistics();
    case Kind::reset_accumulated_stats:
      return subject_.reset_accumulated_statistics();
    default:
      if (!apply_to_pools(subject_, call,
                          [&device = device_](auto asked) { return device.is_capturing(asked); }))
        drive(device_, call);
      if (begins_or_ends_capture(call.kind)) subject_.set_current_stream(call.stream);
  }
}

void ProgramRunner::request(const Event& call) {
  const MallocResult result = subject_.malloc(call.bytes, call.stream);
  answers_.results.push_back(result);
  addresses_.forget(call.id);
  switch (result.outcome) {
    case MallocOutcome::allocated:
      addresses_.note(call.id, result.address);
      return;
    case MallocOutcome::nothing:
      return;
    case MallocOutcome::out_of_memory:
    case MallocOutcome::rejected:
      if (!answers_.first_out_of_memory) answers_.first_out_of_memory = subject_.last_failure();
      return;
    case MallocOutcome::scope_already_open:
      answers_.malloc_failures.push_back({call_number(), result.outcome});
      return;
  }
}

void ProgramRunner::set_options(const Event& call) {
  if (auto error = subject_.set_options(text_of(call)))
    answers_.config_failures.push_back({call_number(), *std::move(error)});
}

void ProgramRunner::restore(const Event& call) {
  const auto found = checkpoints_.find(text_of(call));
  if (found == checkpoints_.end())
    throw AllocatorError("no checkpoint was taken under the name '" + text_of(call) + "'");
  allocator::RestoreResult result = subject_.restore_checkpoint(found->second);
  addresses_.restore(result, call.id);
  answers_.restores.push_back(std::move(result));
}

}  // namespace vramlab::replay
