#include "tests/support/programs/random_streams.h"

#include <array>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using namespace streams;
using Kind = StreamCallKind;

struct WeightedCall {
  Kind kind;
  std::uint32_t weight;
};

constexpr std::array<WeightedCall, 13> everyday_calls = {{{Kind::submit, 60},
                                                          {Kind::record_event, 14},
                                                          {Kind::wait_for_event, 12},
                                                          {Kind::query_stream, 3},
                                                          {Kind::synchronize_stream, 3},
                                                          {Kind::synchronize_device, 1},
                                                          {Kind::query_event, 4},
                                                          {Kind::synchronize_event, 4},
                                                          {Kind::elapsed, 5},
                                                          {Kind::create_stream, 3},
                                                          {Kind::destroy_stream, 2},
                                                          {Kind::create_event, 2},
                                                          {Kind::destroy_event, 2}}};
constexpr std::array<WeightedCall, 7> capture_calls = {{{Kind::begin_capture, 5},
                                                        {Kind::end_capture, 10},
                                                        {Kind::launch_graph, 12},
                                                        {Kind::destroy_graph, 1},
                                                        {Kind::exchange_capture_mode, 2},
                                                        {Kind::check_unsafe_call, 2},
                                                        {Kind::capture_of, 3}}};

class StreamProgramWriter {
 public:
  explicit StreamProgramWriter(std::uint64_t seed) : random_(seed) { program_.seed = seed; }

  StreamProgram write() {
    choose_model();
    choose_character();
    create_most();
    const std::uint64_t count = 5 + random_.below(56);
    while (program_.calls.size() < count) {
      if (has_captures_ && one_in(12))
        add_captured_graph();
      else
        add_call();
    }
    return std::move(program_);
  }

 private:
  /// True once in `count` times; never if that is 0.
  bool one_in(std::uint64_t count) { return count > 0 && random_.below(count) == 0; }

  void choose_model() {
    constexpr std::array<std::uint64_t, 6> latencies = {0, 0, 0, 1, 3, 10};
    constexpr std::array<std::uint64_t, 5> call_times = {0, 0, 0, 1, 2};
    constexpr std::array<std::uint32_t, 5> counts = {0, 0, 1, 2, 3};
    constexpr std::array<std::uint32_t, 5> queues = {0, 0, 0, 1, 2};
    StreamModel& model = program_.model;
    model.launch_latency = {random_.pick(latencies)};
    model.call_time = {random_.pick(call_times)};
    model.limits = {random_.pick(counts), random_.pick(counts), random_.pick(counts),
                    random_.pick(queues)};
  }

  void choose_character() {
    thread_count_ = 1 + random_.below(3);
    device_count_ = 1 + random_.below(2);
    stream_count_ = 1 + random_.below(5);
    has_captures_ = one_in(3);
    has_flags_ = one_in(3);
    misuse_ = one_in(4) ? 6 : 0;
    faults_ = one_in(6) ? 6 : 0;
    late_calls_ = one_in(2) ? 5 : 0;
    instants_ = one_in(3) ? 3 : 12;
  }

  void create_most() {
    for (std::uint32_t device = 0; device < device_count_; ++device) {
      for (std::uint64_t stream = 1; stream <= stream_count_; ++stream)
        if (!one_in(8)) add_creation(Kind::create_stream, {device, {stream}}, {});
      for (std::uint64_t event = 0; event < 3; ++event)
        if (!one_in(8)) add_creation(Kind::create_event, {device, {0}}, {3 * device + event});
    }
  }

  void add_creation(Kind kind, StreamAt stream, allocator::EventId event) {
    StreamCall call = new_call(kind);
    call.stream = stream;
    call.event = event;
    program_.calls.push_back(call);
  }

  void add_call() {
    StreamCall call =
        new_call(has_captures_ && one_in(3) ? pick_kind(capture_calls) : pick_kind(everyday_calls));
    if (call.kind == Kind::submit) call.work = new_work(call.tag);
    // A capture mostly ends where it began.
    if (call.kind == Kind::end_capture && !one_in(4)) {
      call.stream = last_capture_.stream;
      call.thread = last_capture_.thread;
    }
    if (call.kind == Kind::begin_capture) last_capture_ = call;
    program_.calls.push_back(call);
  }

  /// A fork and a join, captured by one thread without a fault, and launched.
  void add_captured_graph() {
    const streams::StreamAt origin = some_stream();
    const streams::StreamAt other{origin.device, {1 + random_.below(stream_count_)}};
    const allocator::EventId fork = some_event(origin.device);
    const allocator::EventId joined = some_event(origin.device);
    const streams::ThreadId thread{static_cast<std::uint32_t>(random_.below(thread_count_))};
    const streams::GraphId graph{random_.below(2)};
    const auto add = [&](Kind kind, StreamAt stream, allocator::EventId event) {
      StreamCall call = new_call(kind);
      if (kind == Kind::submit) call.work = new_work(call.tag);
      if (call.work.blocks_host) call.work.blocks_host = one_in(misuse_);
      if (!one_in(misuse_)) call.thread = thread;
      call.stream = stream;
      call.event = event;
      call.graph = graph;
      program_.calls.push_back(call);
    };
    add(Kind::begin_capture, origin, {});
    for (std::uint64_t i = random_.below(3); i > 0; --i) add(Kind::submit, origin, {});
    if (one_in(2)) {
      add(Kind::record_event, origin, fork);
      add(Kind::wait_for_event, other, fork);
      for (std::uint64_t i = random_.below(3); i > 0; --i) add(Kind::submit, other, {});
      for (std::uint64_t i = random_.below(3); i > 0; --i) add(Kind::submit, origin, {});
      add(Kind::record_event, other, joined);
      add(Kind::wait_for_event, origin, joined);
      if (one_in(2)) add(Kind::submit, origin, {});
    }
    add(Kind::capture_of, origin, {});
    add(Kind::end_capture, origin, {});
    for (std::uint64_t i = random_.below(3); i > 0; --i) add(Kind::launch_graph, some_stream(), {});
  }

  template <std::size_t count>
  Kind pick_kind(const std::array<WeightedCall, count>& calls) {
    std::uint64_t total = 0;
    for (const WeightedCall& call : calls) total += call.weight;
    std::uint64_t drawn = random_.below(total);
    for (const WeightedCall& call : calls) {
      if (drawn < call.weight) return call.kind;
      drawn -= call.weight;
    }
    return calls.back().kind;
  }

  StreamCall new_call(Kind kind) {
    constexpr std::array<std::int32_t, 6> priorities = {0, 0, -1, -5, -9, 4};
    StreamCall call;
    call.kind = kind;
    call.thread = {static_cast<std::uint32_t>(random_.below(thread_count_))};
    now_ += random_.below(instants_);
    if (one_in(late_calls_)) call.not_before = Time{now_};
    call.stream = some_stream();
    call.traits = {.is_blocking = !one_in(3), .priority = random_.pick(priorities)};
    call.event = some_event(call.stream.device);
    call.other_event = some_event(call.stream.device);
    call.has_timing = !one_in(8);
    call.graph = {random_.below(one_in(misuse_) ? 5 : 2)};
    call.mode = static_cast<CaptureMode>(random_.below(3));
    call.tag = program_.calls.size() + 1;
    return call;
  }

  /// The legacy stream now and then; with misuse, streams that nobody made.
  StreamAt some_stream() {
    const auto device = static_cast<std::uint32_t>(random_.below(device_count_));
    if (one_in(misuse_)) return {device + 1, {random_.below(stream_count_ + 2)}};
    if (one_in(has_captures_ ? 12 : 6)) return {device, {0}};
    return {device, {1 + random_.below(stream_count_)}};
  }

  allocator::EventId some_event(std::uint32_t device) {
    if (one_in(misuse_) || one_in(8)) return {random_.below(8)};
    return {3ULL * device + random_.below(3)};
  }

  Work new_work(std::uint64_t tag) {
    Work work;
    work.tag = tag;
    work.kind = static_cast<WorkKind>(random_.below(has_flags_ ? 8 : 6));
    if (one_in(2) && work.kind < WorkKind::write_flag) work.kind = WorkKind::kernel;
    work.duration = {one_in(5) ? 0 : random_.below(instants_ * 3)};
    work.flag = {random_.below(3)};
    work.value = random_.below(4);
    const bool is_copy =
        work.kind == WorkKind::copy_to_device || work.kind == WorkKind::copy_to_host;
    work.blocks_host = is_copy && one_in(3);
    if (work.kind == WorkKind::kernel && one_in(faults_)) work.fault = some_fault();
    return work;
  }

  CudaStatus some_fault() {
    constexpr std::array<CudaStatus, 3> faults = {
        CudaStatus::illegal_address, CudaStatus::launch_failure, CudaStatus::invalid_value};
    return random_.pick(faults);
  }

  RandomNumbers random_;
  StreamProgram program_;
  StreamCall last_capture_;
  std::uint64_t now_ = 0;
  std::uint64_t thread_count_ = 1;
  std::uint64_t device_count_ = 1;
  std::uint64_t stream_count_ = 1;
  bool has_captures_ = false;
  bool has_flags_ = false;
  std::uint64_t misuse_ = 0;
  std::uint64_t faults_ = 0;
  std::uint64_t late_calls_ = 0;
  std::uint64_t instants_ = 1;
};

}  // namespace

StreamProgram make_random_stream_program(std::uint64_t seed) {
  return StreamProgramWriter(seed).write();
}

}  // namespace vramlab::tests
