// The part of a mixed program that captures: work, requests and frees beside what other threads do,
// joined by streams of other contexts. A capture that nothing of the program disturbed is whole.
#include <algorithm>

#include "tests/shim/mix/mixed_program.h"

namespace vramlab::tests {

void MixedProgram::capture() {
  std::vector<OwnStream> choice;
  for (const OwnStream& own : streams_)
    if (own.flags == CU_STREAM_NON_BLOCKING) choice.push_back(own);
  if (choice.empty()) return add_stream(some_place(), CU_STREAM_NON_BLOCKING);
  const OwnStream began = choice[dice_.below(choice.size())];
  setup_.turns().try_do(CaptureTurns::Kind::capture, [&] { capture_on(began); });
}

void MixedProgram::capture_on(const OwnStream& began) {
  const CUstreamCaptureMode mode =
      dice_.one_in(3) ? CU_STREAM_CAPTURE_MODE_THREAD_LOCAL : CU_STREAM_CAPTURE_MODE_RELAXED;
  setup_.enter(*began.place);
  const CUresult result = setup_.begin_capture(began.stream, mode);
  if (result != CUDA_SUCCESS)
    return setup_.note_problem("a capture could not begin: " +
                               streams::driver_error_name(setup_.driver(), result));
  std::vector<CUdeviceptr> used;
  end_capture(began, in_capture(began, mode, used));
}

auto MixedProgram::in_capture(const OwnStream& began, CUstreamCaptureMode mode,
                              std::vector<CUdeviceptr>& used) -> Whole {
  for (std::uint64_t left = 1 + dice_.below(8); left > 0; --left) {
    const std::uint64_t what = dice_.below(4);
    if (what == 0 && mode == CU_STREAM_CAPTURE_MODE_RELAXED && held_.size() < 64) {
      take(some_place(), some_bytes());
    } else if (what == 1) {
      free_in_capture(used);
    } else if (what == 2 && join(began, used) == Whole::no) {
      return Whole::no;
    } else {
      for (const MixedBlock& block : held_) {
        const auto users = users_of(block);
        if (std::find(users.begin(), users.end(), began.place) == users.end()) continue;
        used.push_back(block.at);
        setup_.enter(*began.place);
        work_on(block, began.stream);
        break;
      }
    }
  }
  return Whole::yes;
}

/// Another thread's capture may be local to it: then this one may call the driver, but not in its
/// own local one. What is cached needs no call.
void MixedProgram::free_in_capture(const std::vector<CUdeviceptr>& used) {
  if (held_.empty()) return;
  const std::size_t which = dice_.below(held_.size());
  const MixedBlock& block = held_[which];
  if (block.is_cached && std::find(used.begin(), used.end(), block.at) == used.end())
    give_back(take_out(which));
}

/// Another stream, of any context, does a part of the capture.
auto MixedProgram::join(const OwnStream& began, std::vector<CUdeviceptr>& used) -> Whole {
  const OwnStream& other = streams_[dice_.below(streams_.size())];
  if (other.flags != CU_STREAM_NON_BLOCKING || other.stream == began.stream) return Whole::yes;
  const streams::CudaDriver& driver = setup_.driver();
  CUevent there = nullptr;
  CUevent back = nullptr;
  setup_.enter(*began.place);
  CUresult result = driver.event_create(&there, CU_EVENT_DISABLE_TIMING);
  if (result == CUDA_SUCCESS) result = driver.event_record(there, began.stream);
  setup_.enter(*other.place);
  if (result == CUDA_SUCCESS) result = driver.event_create(&back, CU_EVENT_DISABLE_TIMING);
  const bool is_joined =
      result == CUDA_SUCCESS && driver.stream_wait_event(other.stream, there, 0) == CUDA_SUCCESS;
  if (is_joined) {
    free_in_capture(used);
    setup_.enter(*other.place);
    result = driver.event_record(back, other.stream);
    setup_.enter(*began.place);
    if (result == CUDA_SUCCESS) result = driver.stream_wait_event(began.stream, back, 0);
  }
  setup_.expect(result, "joining a capture");
  for (const CUevent event : {there, back})
    if (event != nullptr) driver.event_destroy(event);
  setup_.enter(*began.place);
  return !is_joined || result == CUDA_SUCCESS ? Whole::yes : Whole::no;
}

void MixedProgram::end_capture(const OwnStream& began, Whole whole) {
  setup_.enter(*began.place);
  CUgraph graph = nullptr;
  const CUresult result = setup_.end_capture(began.stream, &graph);
  if (result == CUDA_SUCCESS && graph != nullptr) {
    setup_.launch(graph, some_stream(*began.place));
    setup_.driver().graph_destroy(graph);
  } else if (whole == Whole::yes) {
    setup_.note_problem("a capture was broken: " +
                        streams::driver_error_name(setup_.driver(), result));
  }
}

}  // namespace vramlab::tests
