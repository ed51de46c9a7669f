// vramlab_benchmarks streams: the cost of a call on simulated streams, beside the yardstick.
// Kernels and copies, records and waits on streams taken at random, a question now and then, and a
// synchronisation for every thousand calls.
#include <algorithm>
#include <limits>

#include "allocator/types/check.h"
#include "streams/stream_model/timed_streams.h"
#include "tests/benchmarks/benchmarks.h"
#include "tests/benchmarks/yardstick.h"

namespace vramlab::tests {
namespace {

using namespace streams;

constexpr std::size_t yardstick_set_size = 500;
constexpr std::uint64_t events_per_stream = 4;
/// Host and device about keep up with each other.
constexpr StreamModel model{
    .launch_latency = {4000},
    .call_time = {1000},
    .limits = {.kernels = 128, .copy_engines = 2, .host_functions = 0, .hardware_queues = 0}};

struct StreamsMix {
  std::uint64_t operations = 0;
  std::uint32_t streams = 0;
};

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

struct StreamsBenchmarkRow {
  StreamsMix mix;
  /// The best of several runs.
  double ns_per_operation = 0;
  /// The best of several slices, between those runs.
  double yardstick_ns = 0;
  /// When the last work ended, in virtual time: the same on every machine.
  std::uint64_t end_ns = 0;
};

StreamsBenchmarkRow benchmark_streams(const StreamsMix& mix) {
  constexpr int runs_of_each_mix = 3;
  Yardstick yardstick(yardstick_set_size);
  StreamsBenchmarkRow row;
  row.mix = mix;
  row.ns_per_operation = row.yardstick_ns = std::numeric_limits<double>::max();
  for (int run = 0; run < runs_of_each_mix; ++run) {
    row.yardstick_ns = std::min(row.yardstick_ns, yardstick.measure_slice());
    MixedCalls calls(mix);
    const double begin = steady_nanoseconds();
    row.end_ns = calls.make().ns;
    const double ns = steady_nanoseconds() - begin;
    row.ns_per_operation = std::min(row.ns_per_operation, ns / static_cast<double>(mix.operations));
  }
  return row;
}

double millions_per_second(const StreamsBenchmarkRow& row) { return 1e3 / row.ns_per_operation; }

void print_text(const StreamsBenchmarkRow& row) {
  std::printf("%12llu %8u %12.2f %12.1f %14.1f\n",
              static_cast<unsigned long long>(row.mix.operations), row.mix.streams,
              millions_per_second(row), row.ns_per_operation, row.yardstick_ns);
  std::fflush(stdout);
}

nlohmann::ordered_json row_json(const StreamsBenchmarkRow& row) {
  return {{"operations", row.mix.operations},
          {"streams", row.mix.streams},
          {"millions_per_second", millions_per_second(row)},
          {"ns_per_operation", row.ns_per_operation},
          {"yardstick_ns", row.yardstick_ns},
          {"end_ns", row.end_ns}};
}

struct StreamsArguments {
  std::vector<std::uint64_t> operations = {1'000'000, 3'000'000, 10'000'000};
  std::vector<std::uint32_t> streams = {4, 64, 1024};
  bool json = false;
};

void run_streams_benchmark(const StreamsArguments& arguments) {
  std::vector<StreamsBenchmarkRow> rows;
  if (!arguments.json)
    std::printf("%12s %8s %12s %12s %14s\n", "operations", "streams", "M/s", "ns each",
                "yardstick ns");
  for (const std::uint64_t operations : arguments.operations)
    for (const std::uint32_t streams : arguments.streams) {
      rows.push_back(benchmark_streams({operations, streams}));
      if (!arguments.json) print_text(rows.back());
    }
  if (arguments.json) print_json(rows, row_json);
}

}  // namespace

void add_streams_benchmark(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "streams", "Measure the cost of a call on simulated streams, beside a yardstick");
  const auto arguments = std::make_shared<StreamsArguments>();
  command->add_option("--operations", arguments->operations, "How many calls; several are allowed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  command->add_option("--streams", arguments->streams, "On how many streams; several are allowed")
      ->check(CLI::Range(1U, 65'536U));
  command->add_flag("--json", arguments->json, "Print one JSON document");
  command->callback([arguments] { run_streams_benchmark(*arguments); });
}

}  // namespace vramlab::tests
