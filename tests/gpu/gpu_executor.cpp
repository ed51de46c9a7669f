#include "tests/gpu/gpu_executor.h"

#include <algorithm>
#include <chrono>

#include "tests/gpu/gpu_program_run.h"
#include "tests/gpu/watchdog.h"

namespace vramlab::tests {
namespace {

constexpr std::chrono::seconds program_limit{20};

StreamCall submission(streams::WorkKind kind, std::uint64_t tag) {
  StreamCall call;
  call.work.kind = kind;
  call.work.tag = call.tag = tag;
  return call;
}

/// Code that CUDA loads at its first use is loaded here, while no capture is under way.
StreamProgram first_uses() {
  StreamProgram program;
  for (const auto kind : {streams::WorkKind::kernel, streams::WorkKind::copy_to_device,
                          streams::WorkKind::copy_to_host, streams::WorkKind::copy_on_device,
                          streams::WorkKind::memset, streams::WorkKind::host_function})
    program.calls.push_back(submission(kind, program.calls.size() + 1));
  return program;
}

bool has_fault(const StreamProgram& program) {
  return std::ranges::any_of(program.calls, [](const StreamCall& call) {
    return call.work.fault != streams::CudaStatus::success;
  });
}

}  // namespace

GpuExecutor::GpuExecutor(std::uint64_t ns_per_step) : ns_per_step_(ns_per_step) {
  run(first_uses());
}

DeviceAnswers GpuExecutor::run(const StreamProgram& program) {
  const Watchdog watchdog(program_limit, stream_program_text(program));
  std::vector<std::uint64_t> tags;
  for (const StreamCall& call : program.calls)
    if (call.kind == StreamCallKind::submit) tags.push_back(call.work.tag);
  board_.begin_program(std::move(tags));
  GpuProgramRun run(board_, buffers_, ns_per_step_);
  DeviceAnswers answers;
  for (const StreamCall& call : program.calls) answers.calls.push_back(run.make(call));
  const cudaError_t end = run.finish();
  if (!has_fault(program)) require_success(end, "when the program had been run");
  answers.runs = board_.run_answers();
  run.clear_up();
  return answers;
}

}  // namespace vramlab::tests
