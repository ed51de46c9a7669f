#include "replay/bench/streams_benchmark.h"

#include <algorithm>
#include <limits>

#include "allocator/types/check.h"
#include "replay/bench/engine_benchmark.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::replay {
namespace {

using namespace streams;

constexpr std::size_t yardstick_set_size = 500;
constexpr std::uint64_t events_per_stream = 4;
/// Host and device about keep up with each other.
constexpr StreamModel model{
    .launch_latency = {4000},
    .call_time = {1000},
    .limits = {.kernels = 128, .copy_engines = 2, .host_functions = 0, .hardware_queues = 0}};

class MixedCalls {
 public:
  explicit MixedCalls(const StreamsMix& mix) : mix_(mix), timed_(model, watcher_) {
    for (std::uint64_t i = 1; i <= mix.streams; ++i) {
      timed_.create_stream({0, {i}}, {.is_blocking = false, .priority = i % 4 == 0 ? -1 : 0});
      for (std::uint64_t event = 0; event < events_per_stream; ++event)
        timed_.create_event({i * events_per_stream + event}, 0, event != 0);
    }
  }

  /// Returns when the last work ended.
  Time make() {
    for (std::uint64_t i = 0; i < mix_.operations; ++i) {
      const bool is_made = timed_.begin_call({0}, std::nullopt);
      const CudaStatus status = is_made ? make_one(i) : CudaStatus::launch_failure;
      check(status == CudaStatus::success || status == CudaStatus::not_ready,
            "every call of the benchmark is in order");
    }
    timed_.finish();
    return timed_.now();
  }

 private:
  CudaStatus make_one(std::uint64_t number) {
    const std::uint64_t drawn = next_random(random_state_);
    const StreamAt stream{0, {1 + (drawn & 0xffff) % mix_.streams}};
    const EventId event{events_per_stream * (1 + (drawn >> 16 & 0xffff) % mix_.streams) +
                        (drawn >> 32) % events_per_stream};
    if (number % 1000 == 999) return timed_.synchronize_stream(stream);
    const std::uint64_t share = (drawn >> 40) % 100;
    if (share < 60) return timed_.submit(stream, work_of(drawn, number));
    if (share < 78) return timed_.record_event(event, stream, number);
    if (share < 96) return timed_.wait_for_event(stream, event, number);
    return timed_.query_event(event);
  }

  static Work work_of(std::uint64_t drawn, std::uint64_t number) {
    Work work;
    work.kind = drawn >> 50 & 7 ? WorkKind::kernel : WorkKind::copy_to_device;
    work.duration = {1000 + (drawn >> 52)};
    work.tag = number;
    return work;
  }

  StreamsMix mix_;
  StreamWatcher watcher_;
  TimedStreams timed_;
  std::uint64_t random_state_ = 0x9E3779B97F4A7C15ULL;
};

}  // namespace

StreamsBenchmarkRow benchmark_streams(const StreamsMix& mix, const Clock& clock) {
  constexpr int run_count = 3;
  Yardstick yardstick(yardstick_set_size);
  StreamsBenchmarkRow row;
  row.mix = mix;
  row.ns_per_operation = row.yardstick_ns = std::numeric_limits<double>::max();
  for (int run = 0; run < run_count; ++run) {
    row.yardstick_ns = std::min(row.yardstick_ns, yardstick.measure_slice(clock));
    MixedCalls calls(mix);
    const double begin = clock();
    row.end_ns = calls.make().ns;
    const double ns = clock() - begin;
    row.ns_per_operation = std::min(row.ns_per_operation, ns / static_cast<double>(mix.operations));
  }
  return row;
}

}  // namespace vramlab::replay
