// vramlab_benchmarks trace: how fast the events of a binary native trace are read.
#include <algorithm>
#include <limits>

#include "tests/benchmarks/benchmarks.h"
#include "tests/benchmarks/yardstick.h"
#include "traces/native/mapped_trace.h"

namespace vramlab::tests {
namespace {

struct TraceFigures {
  std::string file;
  std::uint64_t event_count = 0;
  double open_seconds = 0;
  /// The best of some passes.
  double pass_seconds = std::numeric_limits<double>::infinity();
  /// Found by a pass, so that it can't be left out.
  std::uint64_t bytes_asked_for = 0;
  std::uint64_t frees = 0;
};

double seconds_now() { return steady_nanoseconds() / 1e9; }

bool is_free(const traces::NativeEvent& event) {
  constexpr auto recorded_free = static_cast<std::uint16_t>(
      traces::native::first_entry_kind +
      static_cast<std::uint32_t>(traces::KnownText::free_completed) - traces::native::first_action);
  return event.kind == static_cast<std::uint16_t>(traces::ProgramEventKind::free) ||
         event.kind == recorded_free;
}

bool is_malloc(const traces::NativeEvent& event) {
  return event.kind == static_cast<std::uint16_t>(traces::ProgramEventKind::malloc) ||
         event.kind == traces::native::first_entry_kind;
}

/// As a sweep would: looks at each event's kind, and at the size of each request.
void pass_over(const traces::MappedTrace& trace, TraceFigures& figures) {
  std::uint64_t bytes = 0;
  std::uint64_t frees = 0;
  for (const traces::MappedTrace::Run run : trace.runs()) {
    for (const traces::NativeEvent& event : run) {
      if (is_malloc(event))
        bytes += event.amount;
      else if (is_free(event))
        ++frees;
    }
  }
  figures.bytes_asked_for = bytes;
  figures.frees = frees;
}

TraceFigures measure(const std::string& file) {
  constexpr int passes = 10;
  TraceFigures figures;
  figures.file = file;
  const double opened = seconds_now();
  const traces::MappedTrace trace(file);
  figures.open_seconds = seconds_now() - opened;
  figures.event_count = trace.event_count();
  for (int pass = 0; pass < passes; ++pass) {
    const double begun = seconds_now();
    pass_over(trace, figures);
    figures.pass_seconds = std::min(figures.pass_seconds, seconds_now() - begun);
  }
  return figures;
}

double millions_per_second(const TraceFigures& figures, double seconds) {
  return static_cast<double>(figures.event_count) / 1e6 / std::max(seconds, 1e-9);
}

void print_text(const TraceFigures& figures) {
  std::printf("%s: %llu events, %.1f M/s when iterated, %.1f M/s when opened and checked\n",
              figures.file.c_str(), static_cast<unsigned long long>(figures.event_count),
              millions_per_second(figures, figures.pass_seconds),
              millions_per_second(figures, figures.open_seconds));
}

nlohmann::ordered_json row_json(const TraceFigures& figures) {
  return {{"file", figures.file},
          {"events", figures.event_count},
          {"open_seconds", figures.open_seconds},
          {"pass_seconds", figures.pass_seconds},
          {"requested_bytes", figures.bytes_asked_for},
          {"frees", figures.frees}};
}

struct TraceArguments {
  std::vector<std::string> files;
  bool json = false;
};

void run_trace_benchmark(const TraceArguments& arguments) {
  std::vector<TraceFigures> rows;
  for (const std::string& file : arguments.files) {
    rows.push_back(measure(file));
    if (!arguments.json) print_text(rows.back());
  }
  if (arguments.json) print_json(rows, row_json);
}

}  // namespace

void add_trace_benchmark(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "trace", "Measure how fast the events of a binary native trace are read");
  const auto arguments = std::make_shared<TraceArguments>();
  command->add_option("FILE", arguments->files, "Binary native traces")->required();
  command->add_flag("--json", arguments->json, "Print one JSON document");
  command->callback([arguments] { run_trace_benchmark(*arguments); });
}

}  // namespace vramlab::tests
