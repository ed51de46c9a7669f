#include "tests/support/cases/hazard_program.h"

#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "allocator/types/check.h"
#include "streams/hazards/hazard_checker.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::tests {
namespace {

using namespace streams;

constexpr std::uint64_t bytes_per_unit = 1024;
/// Events of captures, so that they are never taken for others.
constexpr std::uint64_t first_captured_event = 1000;

/// Tells the checker what each step touches.
class StepAccesses final : public AccessSource {
 public:
  explicit StepAccesses(const HazardProgram& program) {
    for (const HazardStep& step : program.steps) by_tag_[step.tag] = step;
    for (const CapturedSteps& graph : program.graphs)
      for (const HazardStep& node : graph) by_tag_[node.tag] = node;
  }
  WorkAccesses accesses_of(std::uint64_t tag) override {
    const HazardStep& step = by_tag_.at(tag);
    return {step.read, step.written, tag};
  }

 private:
  std::map<std::uint64_t, HazardStep> by_tag_;
};

class Run {
 public:
  explicit Run(HazardProgram& program)
      : program_(program), accesses_(program), checker_(accesses_), cuda_({}, checker_) {
    for (const StreamAt stream : program.blocking_streams) create(stream, true);
    for (const StreamAt stream : program.other_streams) create(stream, false);
    for (std::uint64_t graph = 0; graph < program.graphs.size(); ++graph) capture(graph);
    std::erase_if(program.steps, [this](HazardStep& step) {
      const bool is_called = begin_call(step.thread);
      if (is_called) make(step);
      return !is_called;
    });
    cuda_.finish();
    program.is_stuck = !cuda_.stuck_work().empty();
  }

  FoundHazards found() const {
    FoundHazards found;
    for (const Hazard& hazard : checker_.hazards())
      found.emplace(hazard.kind, hazard.first.tag, hazard.second.tag);
    return found;
  }

 private:
  static void expect_success(CudaStatus status) {
    check(status == CudaStatus::success, "random programs make no mistakes that CUDA refuses");
  }
  bool begin_call(std::uint32_t thread) {
    return cuda_.begin_call({thread}, cuda_.now() + Duration{3});
  }
  void create(StreamAt stream, bool is_blocking) {
    expect_success(cuda_.create_stream(stream, {.is_blocking = is_blocking}));
  }

  void capture(std::uint64_t graph) {
    check(begin_call(0), "nothing waits for ever yet");
    const StreamAt origin = program_.graphs[graph].front().stream;
    expect_success(cuda_.begin_capture(origin, CaptureMode::relaxed));
    for (const HazardStep& node : program_.graphs[graph]) {
      const allocator::EventId event{first_captured_event + node.subject};
      if (node.kind == StepKind::work) {
        Work work;
        work.tag = node.tag;
        expect_success(cuda_.submit(node.stream, work));
      } else if (node.kind == StepKind::record) {
        if (!cuda_.has_event(event)) expect_success(cuda_.create_event(event, 0, false));
        expect_success(cuda_.record_event(event, node.stream, node.tag));
      } else {
        expect_success(cuda_.wait_for_event(node.stream, event, node.tag));
      }
    }
    expect_success(cuda_.end_capture(origin, {graph}));
  }

  void make(HazardStep& step) {
    switch (step.kind) {
      case StepKind::work:
      case StepKind::blocking_copy:
      case StepKind::write_flag:
      case StepKind::await_flag:
        return submit(step);
      case StepKind::record:
      case StepKind::wait:
      case StepKind::sync_event:
      case StepKind::query_event:
        return use_event(step);
      case StepKind::hand_out:
      case StepKind::use:
      case StepKind::free:
        return use_memory(step);
      default:
        use_stream(step);
    }
  }

  void submit(const HazardStep& step) {
    Work work{.duration = {1 + step.tag % 7}, .flag = {step.subject}, .value = 1, .tag = step.tag};
    if (step.kind == StepKind::blocking_copy) {
      work.kind = WorkKind::copy_to_host;
      work.blocks_host = true;
    }
    if (step.kind == StepKind::write_flag) work.kind = WorkKind::write_flag;
    if (step.kind == StepKind::await_flag) work.kind = WorkKind::await_flag;
    expect_success(cuda_.submit(step.stream, work));
  }

  void use_event(HazardStep& step) {
    const allocator::EventId event{step.subject};
    if (!cuda_.has_event(event)) expect_success(cuda_.create_event(event, 0, false));
    if (step.kind == StepKind::record)
      expect_success(cuda_.record_event(event, step.stream, step.tag));
    else if (step.kind == StepKind::wait)
      expect_success(cuda_.wait_for_event(step.stream, event, step.tag));
    else if (step.kind == StepKind::sync_event)
      expect_success(cuda_.synchronize_event(event));
    else
      step.is_successful = cuda_.query_event(event) == CudaStatus::success;
  }

  void use_stream(HazardStep& step) {
    if (step.kind == StepKind::sync_stream)
      expect_success(cuda_.synchronize_stream(step.stream));
    else if (step.kind == StepKind::sync_device)
      expect_success(cuda_.synchronize_device(step.stream.device));
    else if (step.kind == StepKind::query_stream)
      step.is_successful = cuda_.query_stream(step.stream) == CudaStatus::success;
    else if (step.kind == StepKind::launch)
      expect_success(cuda_.launch_graph({step.subject}, step.stream, step.tag));
    else if (step.kind == StepKind::create_stream)
      create(step.stream, step.is_blocking);
    else
      expect_success(cuda_.destroy_stream(step.stream));
  }

  void use_memory(const HazardStep& step) {
    const BlockNumber block{step.subject};
    if (step.kind == StepKind::use) return checker_.stream_uses(block, step.stream);
    if (step.kind == StepKind::free) return checker_.freed(block, {step.thread}, step.tag);
    const std::uint64_t begin = step.first_unit * bytes_per_unit;
    checker_.handed_out({.block = block,
                         .range = {{begin}, {begin + step.unit_count * bytes_per_unit}},
                         .stream = step.stream,
                         .thread = {step.thread},
                         .tag = step.tag});
  }

  HazardProgram& program_;
  StepAccesses accesses_;
  HazardChecker checker_;
  TimedStreams cuda_;
};

constexpr std::string_view step_names[] = {
    "work",        "blocking_copy", "write_flag",  "await_flag",    "record",        "wait",
    "sync_stream", "sync_event",    "sync_device", "query_stream",  "query_event",   "hand_out",
    "use",         "free",          "launch",      "create_stream", "destroy_stream"};

std::string text_of(const HazardStep& step) {
  std::string text = "  #" + std::to_string(step.tag) + " thread " + std::to_string(step.thread) +
                     " stream " + std::to_string(step.stream.stream.value) + ": " +
                     std::string(step_names[static_cast<std::size_t>(step.kind)]) + " " +
                     std::to_string(step.subject);
  for (const BlockNumber block : step.read) text += " reads " + std::to_string(block.value);
  for (const BlockNumber block : step.written) text += " writes " + std::to_string(block.value);
  if (step.kind == StepKind::hand_out)
    text += " at " + std::to_string(step.first_unit) + " of " + std::to_string(step.unit_count);
  if (step.is_successful) text += " (successful)";
  return text + "\n";
}

constexpr std::string_view kind_names[] = {
    "use_after_free",    "reused_too_early",   "read_before_write", "write_before_write",
    "write_before_read", "used_after_destroy", "waits_for_ever"};

}  // namespace

std::string text_of(const HazardProgram& program) {
  std::string text = "blocking streams:";
  for (const StreamAt stream : program.blocking_streams)
    text += " " + std::to_string(stream.stream.value);
  text += "\n";
  for (const CapturedSteps& graph : program.graphs) {
    text += "graph\n";
    for (const HazardStep& node : graph) text += text_of(node);
  }
  text += "program\n";
  for (const HazardStep& step : program.steps) text += text_of(step);
  return text;
}

std::string text_of(const FoundHazards& found) {
  std::string text;
  for (const auto& [kind, first, second] : found)
    text += "  " + std::string(kind_names[static_cast<std::size_t>(kind)]) + " #" +
            std::to_string(first) + " #" + std::to_string(second) + "\n";
  return text;
}

FoundHazards hazards_by_checker(HazardProgram& program) { return Run(program).found(); }

}  // namespace vramlab::tests
