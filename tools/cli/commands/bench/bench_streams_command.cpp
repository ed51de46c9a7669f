// `vramlab bench streams`: what a call on simulated streams costs, beside a yardstick.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "replay/bench/streams_benchmark.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

struct BenchStreamsArguments {
  std::vector<std::uint64_t> operations = {1'000'000, 3'000'000, 10'000'000};
  std::vector<std::uint32_t> streams = {4, 64, 1024};
  CommonFlags flags;
};

double nanoseconds_now() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double millions_per_second(const replay::StreamsBenchmarkRow& row) {
  return 1e3 / row.ns_per_operation;
}

void print_text(const replay::StreamsBenchmarkRow& row) {
  std::printf("%12llu %8u %12.2f %12.1f %14.1f\n",
              static_cast<unsigned long long>(row.mix.operations), row.mix.streams,
              millions_per_second(row), row.ns_per_operation, row.yardstick_ns);
  std::fflush(stdout);
}

nlohmann::ordered_json row_json(const replay::StreamsBenchmarkRow& row) {
  return {{"operations", row.mix.operations},
          {"streams", row.mix.streams},
          {"millions_per_second", millions_per_second(row)},
          {"ns_per_operation", row.ns_per_operation},
          {"yardstick_ns", row.yardstick_ns},
          {"end_ns", row.end_ns}};
}

ExitStatus bench_streams(const BenchStreamsArguments& arguments) {
  std::vector<replay::StreamsBenchmarkRow> rows;
  if (!arguments.flags.json)
    std::printf("%12s %8s %12s %12s %14s\n", "operations", "streams", "M/s", "ns each",
                "yardstick ns");
  for (const std::uint64_t operations : arguments.operations)
    for (const std::uint32_t streams : arguments.streams) {
      rows.push_back(replay::benchmark_streams({operations, streams}, nanoseconds_now));
      if (!arguments.flags.json) print_text(rows.back());
    }
  if (arguments.flags.json)
    print(json_text({{"schema_version", 1}, {"rows", json_list(rows, row_json)}}));
  return ExitStatus::done;
}

void add_options(CLI::App& command, BenchStreamsArguments& arguments) {
  command.add_option("--operations", arguments.operations, "How many calls; several are allowed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  command.add_option("--streams", arguments.streams, "On how many streams; several are allowed")
      ->check(CLI::Range(1U, 65'536U));
}

}  // namespace

Command bench_streams_command() {
  return {"bench streams", "Measure the cost of a call on simulated streams, beside a yardstick",
          "Example: vramlab bench streams --operations 1000000 --streams 64",
          with<BenchStreamsArguments>(add_options, bench_streams)};
}

}  // namespace vramlab::tools
