#include "replay/conformance/case_run.h"

#include "allocator/pinned/host_pools.h"
#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "replay/conformance/case_differences.h"
#include "replay/conformance/reference_errors.h"
#include "replay/replayer/apply_event.h"
#include "streams/device/simulated_device.h"
#include "streams/device/timed_device.h"

namespace vramlab::replay {
namespace {

using HostKind = traces::HostCallKind;

DeviceSides make_device(Bytes total, const CaseSetup& setup) {
  const streams::MemoryOptions options{.total = total};
  if (setup.make_device) return setup.make_device(options);
  if (setup.streams == CaseStreams::counters)
    return both_sides(std::make_shared<streams::SimulatedDevice>(options));
  return both_sides(std::make_shared<streams::CountedTimedDevice>(options));
}

/// The streams that a scope of pinned memory accepts.
StreamFilter filter_of(const traces::HostCall& call, StreamFilter is_capturing) {
  traces::ProgramEvent scope;
  scope.scope = call.scope;
  scope.stream = call.stream;
  return scope_filter(scope, std::move(is_capturing));
}

}  // namespace

void CaseRun::run_until(std::size_t call_count) {
  while (!stop_ && calls_made_ < call_count) {
    const std::size_t call = calls_made_++;
    try {
      make_call(call);
    } catch (const AllocatorError& error) {
      stop_ = {call, error.what()};
    } catch (const DeviceError& error) {
      stop_ = {call, error.what()};
    }
  }
}

DeviceCaseRun::DeviceCaseRun(const traces::RecordedProgram& program, const CaseSetup& setup)
    : device_(make_device(program.device_total, setup)),
      subject_(setup.factory(*device_.device, *program.version, program.config, config_error_)),
      runner_(program.calls, program.texts, {*subject_, *device_.driven}) {
  if (program.memory_fraction) subject_->set_memory_fraction(*program.memory_fraction);
}

std::string DeviceCaseRun::memory_text(Address around) {
  return segment_map(subject_->take_snapshot(), around);
}

CaseAnswers DeviceCaseRun::finish() {
  CaseAnswers result;
  result.answers = runner_.answers();
  if (config_error_) {
    auto& failures = result.answers.config_failures;
    failures.insert(failures.begin(), {-1, *config_error_});
  }
  // In this order: the last snapshot's own entry is not part of the history.
  result.history = subject_->history();
  result.final_snapshot = subject_->take_snapshot();
  result.final_statistics = subject_->statistics();
  result.device_calls = device_.driven->call_counts();
  result.stop = stop();
  return result;
}

HostCaseRun::HostCaseRun(const traces::HostProgram& program, const HostSubjectFactory& make_subject)
    : program_(program), subject_(make_subject(host_, *program.version)) {
  if (const auto error = subject_->set_options(program.config))
    answers_.failures.push_back({-1, error->message});
}

void HostCaseRun::make_call(std::size_t call) {
  call_ = call;
  const Call& made = program_.calls[call];
  const std::size_t results = answers_.results.size();
  const std::size_t uses = answers_.uses.size();
  try {
    apply(made);
    return;
  } catch (const allocator::HostError& error) {
    note_error(reference_text(error.kind()));
  } catch (const DeviceError& error) {
    note_error(error.what());
  } catch (const AllocatorError& error) {
    note_error(error.what());
  }
  if (made.kind == HostKind::malloc && answers_.results.size() == results)
    answers_.results.push_back({MallocOutcome::out_of_memory, {}, {}});
  const bool is_use = made.kind == HostKind::use || made.kind == HostKind::use_address;
  if (is_use && answers_.uses.size() == uses) answers_.uses.emplace_back(std::nullopt);
}

void HostCaseRun::apply(const Call& call) {
  switch (call.kind) {
    case HostKind::malloc:
      return request(call);
    case HostKind::free:
      if (const auto address = addresses_.take(call.id)) subject_->free(*address, stack());
      return;
    case HostKind::use:
    case HostKind::use_address:
      return use(call);
    case HostKind::background:
      return subject_->run_background_thread();
    case HostKind::empty_cache:
      return subject_->empty_cache();
    case HostKind::options:
      if (const auto error = subject_->set_options(call.text)) note_error(error->message);
      return;
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
      return subject_->begin_pool(
          call.pool, filter_of(call, [this](StreamId asked) { return host_.is_capturing(asked); }));
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

void HostCaseRun::apply_to_host(const Call& call) {
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

void HostCaseRun::request(const Call& call) {
  addresses_.forget(call.id);
  const HostMallocResult result = subject_->malloc(call.bytes, current_stream_, stack());
  answers_.results.push_back(result);
  if (result) addresses_.note(call.id, result.address);
  if (result.outcome == MallocOutcome::out_of_memory) note_error("CUDA error: out of memory");
}

void HostCaseRun::use(const Call& call) {
  const auto held = addresses_.find(call.id);
  answers_.uses.push_back(held ? std::optional(subject_->use(*held + call.bytes, call.stream))
                               : std::nullopt);
}

void HostCaseRun::note_error(const std::string& text) {
  answers_.failures.push_back({static_cast<std::int64_t>(call_), text});
}

std::string HostCaseRun::memory_text(Address) {
  std::string text;
  for (const HostBlockState& block : subject_->snapshot()) text += "  " + text_of(block) + "\n";
  return text;
}

traces::HostAnswers HostCaseRun::finish() const {
  traces::HostAnswers answers = answers_;
  answers.system_calls = host_.calls();
  answers.trace = subject_->history();
  answers.final_snapshot = subject_->snapshot();
  answers.final_statistics = subject_->statistics();
  return answers;
}

}  // namespace vramlab::replay
