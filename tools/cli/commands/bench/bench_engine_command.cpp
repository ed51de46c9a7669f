// `vramlab bench engine`: what the engine costs per call, beside a yardstick and the reference.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "replay/bench/engine_benchmark.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "traces/workloads/workload.h"

namespace vramlab::tools {
namespace {

struct BenchArguments {
  std::vector<std::string> files;
  std::vector<std::string> confs = {"", "expandable_segments:True"};
  CommonFlags flags;
};

double steady_nanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct NamedProgram {
  std::string file;
  traces::RecordedProgram program;
};

/// Those that live from malloc and free: what else they do is left out, as it is not timed.
constexpr std::string_view timed_workloads[] = {"training", "serving", "experts", "diffusion",
                                                "fragments"};

class RequestsAndFrees final : public traces::ProgramSink {
 public:
  explicit RequestsAndFrees(std::vector<traces::ProgramEvent>& calls) : calls_(calls) {}
  void program_event(const traces::ProgramEvent& event) override {
    if (event.kind == traces::ProgramEventKind::malloc ||
        event.kind == traces::ProgramEventKind::free)
      calls_.push_back(event);
  }

 private:
  std::vector<traces::ProgramEvent>& calls_;
};

traces::RecordedProgram timed_workload(std::string_view name) {
  traces::RecordedProgram program;
  program.name = name;
  traces::SnapshotTables tables;
  RequestsAndFrees calls(program.calls);
  traces::WorkloadRequest request;
  request.name = name;
  traces::generate_workload(request, tables, calls);
  return program;
}

std::vector<NamedProgram> programs_of(const BenchArguments& arguments) {
  std::vector<NamedProgram> programs;
  for (const std::string& file : arguments.files)
    programs.push_back({file, traces::read_recorded_program(file)});
  if (!programs.empty()) return programs;
  for (const std::string_view name : timed_workloads)
    programs.push_back({std::string(name), timed_workload(name)});
  return programs;
}

std::string decimals_text(double number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

void print_text(const std::vector<replay::BenchmarkRow>& rows) {
  Table table({left("workload"),
               left("options"),
               left("history"),
               {"ns per call"},
               {"yardstick ns"},
               {"share of reference"}});
  for (const replay::BenchmarkRow& row : rows) {
    const auto& share = row.share_of_reference;
    table.add({row.workload, row.conf.empty() ? "(none)" : row.conf,
               row.history == replay::HistoryKept::yes ? "on" : "off",
               decimals_text(row.ns_per_call, 1), decimals_text(row.yardstick_ns, 1),
               share ? decimals_text(*share, 3) + " = 1/" + decimals_text(1 / *share, 1) : "-"});
  }
  print(table.text(""));
}

nlohmann::ordered_json row_json(const replay::BenchmarkRow& row) {
  return {{"workload", row.workload},
          {"conf", row.conf},
          {"history", row.history == replay::HistoryKept::yes},
          {"ns_per_call", row.ns_per_call},
          {"yardstick_ns", row.yardstick_ns},
          {"share_of_reference", or_null(row.share_of_reference)}};
}

ExitStatus bench_engine(const BenchArguments& arguments) {
  std::vector<replay::BenchmarkRow> rows;
  for (const NamedProgram& named : programs_of(arguments))
    for (const std::string& conf : arguments.confs)
      for (replay::BenchmarkRow& row :
           replay::benchmark_engine(named.program, named.file, conf, steady_nanoseconds))
        rows.push_back(std::move(row));
  if (arguments.flags.json)
    print(json_text({{"schema_version", 1}, {"rows", json_list(rows, row_json)}}));
  else
    print_text(rows);
  return ExitStatus::done;
}

void add_options(CLI::App& command, BenchArguments& arguments) {
  command.add_option("FILE", arguments.files,
                     "Workloads; without any, built-in ones (see vramlab generate)");
  command.add_option("--conf", arguments.confs, "An option string; give it once for each");
}

}  // namespace

Command bench_engine_command() {
  return {"bench engine", "Measure the cost of malloc and free, beside a yardstick",
          "Example: vramlab bench engine --conf max_split_size_mb:64 workload.json.gz",
          with<BenchArguments>(add_options, bench_engine)};
}

}  // namespace vramlab::tools
