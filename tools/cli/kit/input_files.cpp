#include "tools/cli/kit/input_files.h"

#include <utility>

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/logging.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

traces::OpenTrace open_input(const std::string& path, traces::ProgressListener listener) {
  return open_input(traces::open_bytes(path, std::move(listener)));
}

traces::OpenTrace open_input(traces::OpenBytes bytes) {
  log_detail("reads " + bytes.file);
  return traces::open_trace(std::move(bytes));
}

std::unique_ptr<replay::Recording> open_recording(const std::string& path,
                                                  traces::ProgressListener listener,
                                                  replay::OpenConditions conditions,
                                                  traces::ShownMemory memory) {
  traces::OpenTrace trace = open_input(path, std::move(listener));
  trace.memory = memory;
  return open_recording(std::move(trace), std::move(conditions));
}

std::unique_ptr<replay::Recording> open_recording(traces::OpenTrace trace,
                                                  replay::OpenConditions conditions) {
  conditions.scratch = scratch_place();
  conditions.explained = [file = trace.file](std::int64_t device) {
    log_detail("explains device " + std::to_string(device) + " of " + file);
  };
  return std::make_unique<replay::Recording>(std::move(trace), std::move(conditions));
}

ReplayedFile open_replayed(const std::string& path, traces::ProgressListener listener,
                           replay::OpenConditions conditions) {
  std::unique_ptr<replay::Recording> recording =
      open_recording(path, std::move(listener), std::move(conditions));
  replay::Replayer replayer(*recording);
  return {std::move(recording), std::move(replayer)};
}

void refuse_program(const replay::Recording& recording, const std::string& taker) {
  if (recording.is_program())
    throw traces::InputError({recording.file(), "",
                              "a recording of PyTorch's allocator, for " + taker,
                              "a program, which says nothing of what an allocator did"});
}

}  // namespace vramlab::tools
