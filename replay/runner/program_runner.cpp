#include "replay/runner/program_runner.h"

#include <utility>

#include "allocator/words/allocator_error.h"
#include "allocator/words/check.h"

namespace vramlab::replay {

using allocator::MallocOutcome;
using allocator::MallocResult;
using allocator::PoolId;
using allocator::StreamId;
using traces::Call;
using traces::CallKind;
using traces::ScopeStreams;

void ProgramRunner::run_all() {
  while (next_call_ < calls_.size()) step(next_call_);
}

void ProgramRunner::step(std::size_t index) {
  check(index == next_call_ && index < calls_.size(), "calls are made in order, each once");
  ++next_call_;
  const Call& call = calls_[index];
  const PoolId pool{0, call.pool};
  switch (call.kind) {
    case CallKind::malloc:
      return do_malloc(call);
    case CallKind::free:
      return do_free(call);
    case CallKind::record_stream:
      return do_record_stream(call);
    case CallKind::work:
      return device_.submit_work(call.stream);
    case CallKind::complete:
      return device_.complete_work(call.stream);
    case CallKind::external:
      return device_.set_external_memory(call.bytes);
    case CallKind::empty_cache:
      return subject_.empty_cache(pool);
    case CallKind::set_config:
      return do_set_config(call);
    case CallKind::set_fraction:
      return subject_.set_memory_fraction(call.fraction);
    case CallKind::begin_pool:
      return do_begin_pool(call);
    case CallKind::end_pool:
      return subject_.end_scope(pool);
    case CallKind::release_pool:
      return subject_.release_pool(pool);
    case CallKind::create_pool:
      return subject_.create_pool(pool, {call.use_on_oom, call.no_split});
    case CallKind::destroy_pool:
      return subject_.destroy_pool(pool);
    case CallKind::checkpoint:
      return do_checkpoint(call);
    case CallKind::restore:
      return do_restore(call);
    case CallKind::capture_begin:
      return do_capture_begin(call);
    case CallKind::capture_end:
      return do_capture_end(call);
    case CallKind::wait:
      return device_.wait_for_other_stream(call.stream, call.waited_stream);
    case CallKind::snapshot:
    case CallKind::reset_peak_stats:
    case CallKind::reset_accumulated_stats:
      return do_statistics_or_snapshot(call);
  }
}

void ProgramRunner::do_malloc(const Call& call) {
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
      answers_.malloc_failures.push_back(
          {static_cast<std::int64_t>(next_call_) - 1, result.outcome});
      return;
  }
}

void ProgramRunner::do_free(const Call& call) {
  if (const auto address = addresses_.take(call.id)) subject_.free(*address);
}

void ProgramRunner::do_record_stream(const Call& call) {
  if (const auto address = address_of(call.id)) subject_.record_stream(*address, call.stream);
}

void ProgramRunner::do_set_config(const Call& call) {
  if (auto error = subject_.set_options(call.text))
    answers_.config_failures.push_back(
        {static_cast<std::int64_t>(next_call_) - 1, *std::move(error)});
}

void ProgramRunner::do_begin_pool(const Call& call) {
  const PoolId pool{0, call.pool};
  switch (call.scope) {
    case ScopeStreams::every_stream:
      return subject_.begin_scope(pool, [](StreamId) { return true; });
    case ScopeStreams::one_stream:
      return subject_.begin_scope(pool,
                                  [own = call.stream](StreamId asked) { return asked == own; });
    case ScopeStreams::capturing_streams:
      return subject_.begin_scope(
          pool, [&device = device_](StreamId asked) { return device.is_capturing(asked); });
  }
}

void ProgramRunner::do_checkpoint(const Call& call) {
  checkpoints_[call.text] = subject_.take_checkpoint({0, call.pool});
}

void ProgramRunner::do_restore(const Call& call) {
  const auto found = checkpoints_.find(call.text);
  if (found == checkpoints_.end())
    throw allocator::AllocatorError("no checkpoint was taken under the name '" + call.text + "'");
  allocator::RestoreResult result = subject_.restore_checkpoint(found->second);
  addresses_.restore(result, call.id);
  answers_.restores.push_back(std::move(result));
}

void ProgramRunner::do_capture_begin(const Call& call) {
  if (device_.is_capturing(call.stream))
    throw allocator::AllocatorError("stream " + std::to_string(call.stream.value) +
                                    " takes part in a capture already");
  device_.begin_capture(call.stream);
}

void ProgramRunner::do_capture_end(const Call& call) {
  if (!device_.is_capturing(call.stream))
    throw allocator::AllocatorError("stream " + std::to_string(call.stream.value) +
                                    " takes part in no capture that could end");
  device_.end_capture(call.stream);
}

void ProgramRunner::do_statistics_or_snapshot(const Call& call) {
  if (call.kind == CallKind::snapshot) answers_.snapshots.push_back(subject_.take_snapshot());
  if (call.kind == CallKind::reset_peak_stats) subject_.reset_peak_statistics();
  if (call.kind == CallKind::reset_accumulated_stats) subject_.reset_accumulated_statistics();
}

}  // namespace vramlab::replay
