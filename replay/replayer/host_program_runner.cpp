#include "replay/replayer/host_program_runner.h"

#include "allocator/pinned/host_pools.h"
#include "allocator/types/check.h"

namespace vramlab::replay {
namespace {

using namespace allocator;
using traces::HostCall;
using HostKind = traces::HostCallKind;

/// As recorded cases say it.
std::string reference_text(const HostError& error) {
  switch (error.kind()) {
    case HostErrorKind::internal:
      return "internal assert";
    case HostErrorKind::unknown_pool:
      return "unknown pool";
    case HostErrorKind::already_recording:
      return "beginAllocateToPool: already recording to mempool_id";
    case HostErrorKind::not_recording:
      return "endAllocatePool: not currently recording to mempool_id";
  }
  check_failed("an error is of a known kind", __FILE__, __LINE__);
}

}  // namespace

HostProgramRunner::HostProgramRunner(const traces::HostProgram& program,
                                     const HostSubjectFactory& make_subject)
    : program_(program), subject_(make_subject(host_, *program.version)) {
  if (const auto error = subject_->set_options(program.config))
    answers_.failures.push_back({-1, error->message});
}

void HostProgramRunner::run_until(std::size_t call_count) {
  for (; calls_made_ < call_count; ++calls_made_) step(program_.calls[calls_made_]);
}

void HostProgramRunner::step(const HostCall& call) {
  const auto failed = [this](const std::string& text) {
    answers_.failures.push_back({static_cast<std::int64_t>(calls_made_), text});
  };
  const std::size_t results = answers_.results.size();
  const std::size_t uses = answers_.uses.size();
  try {
    apply(call);
    return;
  } catch (const HostError& error) {
    failed(reference_text(error));
  } catch (const DeviceError& error) {
    failed(error.what());
  } catch (const AllocatorError& error) {
    failed(error.what());
  }
  if (call.kind == HostKind::malloc && answers_.results.size() == results)
    answers_.results.push_back({MallocOutcome::out_of_memory, {}, {}});
  const bool is_use = call.kind == HostKind::use || call.kind == HostKind::use_address;
  if (is_use && answers_.uses.size() == uses) answers_.uses.emplace_back(std::nullopt);
}

void HostProgramRunner::apply(const HostCall& call) {
  switch (call.kind) {
    case HostKind::malloc:
      return request(call);
    case HostKind::free:
      return free(call);
    case HostKind::use:
    case HostKind::use_address:
      return use(call);
    case HostKind::background:
      return subject_->run_background_thread();
    case HostKind::empty_cache:
      return subject_->empty_cache();
    case HostKind::options:
      return set_options(call);
    case HostKind::statistics:
      answers_.statistics.push_back(subject_->statistics());
      return;
    case HostKind::snapshot:
      answers_.snapshots.push_back(subject_->snapshot());
      return;
    case HostKind::reset_peak:
      return subject_->reset_peak_statistics();
    case HostKind::reset_accumulated:
      return subject_->reset_accumulated_statistics();
    case HostKind::pool_begin:
      return subject_->begin_pool(call.pool, filter_of(call));
    case HostKind::pool_end:
      return subject_->end_pool(call.pool);
    case HostKind::pool_release:
      return subject_->release_pool(call.pool);
    case HostKind::record_history:
      return subject_->record_history({call.on, call.level, call.limit, call.clear});
    case HostKind::register_external:
      return subject_->register_external(call.address, call.bytes, stack());
    case HostKind::unregister_external:
      return subject_->unregister_external(call.address, stack());
    default:
      return apply_to_host(call);
  }
}

void HostProgramRunner::apply_to_host(const HostCall& call) {
  switch (call.kind) {
    case HostKind::work:
      return host_.streams().submit_work(call.stream);
    case HostKind::complete:
      return host_.streams().complete(call.stream);
    case HostKind::host_limit:
      return host_.set_limit(call.bytes);
    case HostKind::poison:
      return host_.set_failing(call.stream, call.on);
    case HostKind::capture:
      return host_.set_capturing(call.stream, call.on);
    case HostKind::current_stream:
      current_stream_ = call.stream;
      return;
    default:
      check_failed("every call is the allocator's or the host's", __FILE__, __LINE__);
  }
}

void HostProgramRunner::request(const HostCall& call) {
  addresses_.erase(call.id);
  const HostMallocResult result = subject_->malloc(call.bytes, current_stream_, stack());
  answers_.results.push_back(result);
  if (result) addresses_[call.id] = result.address;
  if (result.outcome == MallocOutcome::out_of_memory)
    answers_.failures.push_back(
        {static_cast<std::int64_t>(calls_made_), "CUDA error: out of memory"});
}

void HostProgramRunner::free(const HostCall& call) {
  const auto held = addresses_.extract(call.id);
  if (!held.empty()) subject_->free(held.mapped(), stack());
}

void HostProgramRunner::use(const HostCall& call) {
  const auto held = addresses_.find(call.id);
  if (held == addresses_.end()) {
    answers_.uses.emplace_back(std::nullopt);
    return;
  }
  answers_.uses.emplace_back(subject_->use(held->second + call.bytes, call.stream));
}

void HostProgramRunner::set_options(const HostCall& call) {
  if (const auto error = subject_->set_options(call.text))
    answers_.failures.push_back({static_cast<std::int64_t>(calls_made_), error->message});
}

StreamFilter HostProgramRunner::filter_of(const HostCall& call) const {
  switch (call.scope) {
    case traces::ScopeStreams::every_stream:
      return [](StreamId) { return true; };
    case traces::ScopeStreams::one_stream:
      return [stream = call.stream](StreamId asked) { return asked == stream; };
    case traces::ScopeStreams::capturing_streams:
      return [this](StreamId asked) { return host_.is_capturing(asked); };
  }
  check_failed("a scope is of one of three kinds", __FILE__, __LINE__);
}

traces::HostAnswers HostProgramRunner::finish() const {
  traces::HostAnswers answers = answers_;
  answers.system_calls = host_.calls();
  answers.trace = subject_->history();
  answers.final_snapshot = subject_->snapshot();
  answers.final_statistics = subject_->statistics();
  return answers;
}

}  // namespace vramlab::replay
