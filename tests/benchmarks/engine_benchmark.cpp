// vramlab_benchmarks engine: the cost of malloc and free in the engine on workloads, beside a
// yardstick and beside what PyTorch was measured to cost.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "allocator/caching_allocator.h"
#include "tests/benchmarks/benchmarks.h"
#include "tests/benchmarks/yardstick.h"
#include "tests/support/devices/free_of_charge_device.h"
#include "tools/cli/printers/table.h"
#include "traces/cases/recorded_case.h"
#include "traces/io/input_error.h"
#include "traces/model/call_forms.h"
#include "traces/workloads/workload.h"

namespace vramlab::tests {
namespace {

using namespace allocator;

constexpr int run_count = 7;
constexpr std::size_t common_set_size = 500;

/// The measured cost of a call in the reference (PyTorch 2.6.0, history off, over a device whose
/// calls cost nothing), in yardsticks on a set of the given size.
struct ReferenceFigure {
  std::string_view workload;
  std::string_view conf;
  double yardsticks;
  std::size_t set_size;
};
constexpr std::array<ReferenceFigure, 5> reference_figures = {{
    {"train", "", 1.6, common_set_size},
    {"churn", "", 1.85, common_set_size},
    {"many", "", 2.6, 20000},
    {"train", "expandable_segments:True", 0.85, common_set_size},
    {"churn", "expandable_segments:True", 1.2, common_set_size},
}};

const ReferenceFigure* find_figure(std::string_view workload, std::string_view conf) {
  const auto* found = std::find_if(
      reference_figures.begin(), reference_figures.end(),
      [&](const ReferenceFigure& row) { return row.workload == workload && row.conf == conf; });
  return found == reference_figures.end() ? nullptr : found;
}

/// A call as short as it can be. A free names its block by the place in a row of addresses.
struct DecodedCall {
  Bytes bytes;
  StreamId stream;
  std::uint32_t slot = 0;
  bool is_malloc = false;
};

struct DecodedProgram {
  std::vector<DecodedCall> calls;
  std::size_t slot_count = 0;
};

DecodedProgram decode(const traces::RecordedProgram& program, const std::string& file) {
  DecodedProgram decoded;
  std::unordered_map<std::uint64_t, std::uint32_t> slots;
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const traces::ProgramEvent& call = program.calls[i];
    const bool is_malloc = call.kind == traces::ProgramEventKind::malloc;
    if (!is_malloc && call.kind != traces::ProgramEventKind::free)
      throw traces::InputError({file, "ops[" + std::to_string(i) + "]",
                                "malloc or free, which are what is timed",
                                traces::call_text(call, program.text_of(call))});
    const auto slot = static_cast<std::uint32_t>(slots.size());
    decoded.calls.push_back(
        {call.bytes, call.stream, slots.try_emplace(call.id, slot).first->second, is_malloc});
  }
  decoded.slot_count = slots.size();
  return decoded;
}

/// Runs all calls once on a fresh allocator; returns the nanoseconds they took.
template <class Allocator>
double run_once(const DecodedProgram& program, const Settings& settings) {
  FreeOfChargeDevice device;
  Allocator allocator(device, default_reference_version(), settings);
  if constexpr (std::is_same_v<Allocator, RecordingAllocator>)
    static_cast<History&>(allocator.listeners()).prepare(program.calls.size() * 3);
  std::vector<Address> addresses(program.slot_count);
  const double begin = steady_nanoseconds();
  for (const DecodedCall& call : program.calls) {
    Address& address = addresses[call.slot];
    if (call.is_malloc) {
      address = allocator.malloc(call.bytes, call.stream).address;
    } else if (address != Address{}) {
      allocator.free(address);
      address = {};
    }
  }
  return steady_nanoseconds() - begin;
}

Settings settings_for(const std::string& conf) {
  const ParsedSettings parsed = parse_settings({}, conf, default_reference_version());
  if (parsed.error)
    throw traces::InputError({"--conf", "", "a valid option string", parsed.error->message});
  return parsed.settings;
}

struct EngineRow {
  std::string workload;
  std::string conf;
  bool has_history = false;
  /// The best of several runs.
  double ns_per_call = 0;
  /// The best of several slices, between those runs.
  double yardstick_ns = 0;
  /// The cost as a share of the reference's measured cost, both in yardsticks; empty where the
  /// reference was not measured on this workload.
  std::optional<double> share_of_reference;
};

template <class Allocator>
EngineRow measure(const DecodedProgram& program, const Settings& settings, Yardstick& yardstick) {
  EngineRow row;
  row.ns_per_call = row.yardstick_ns = std::numeric_limits<double>::max();
  for (int run = 0; run < run_count; ++run) {
    row.yardstick_ns = std::min(row.yardstick_ns, yardstick.measure_slice());
    const double ns = run_once<Allocator>(program, settings);
    row.ns_per_call = std::min(row.ns_per_call, ns / static_cast<double>(program.calls.size()));
  }
  return row;
}

/// Measures without and with history. Calls other than malloc and free are refused by an
/// InputError.
std::vector<EngineRow> benchmark_engine(const traces::RecordedProgram& program,
                                        const std::string& file, const std::string& conf) {
  const DecodedProgram decoded = decode(program, file);
  const Settings settings = settings_for(conf);
  const ReferenceFigure* figure = find_figure(program.name, conf);
  Yardstick yardstick(figure == nullptr ? common_set_size : figure->set_size);
  std::vector<EngineRow> rows = {measure<CountingAllocator>(decoded, settings, yardstick),
                                 measure<RecordingAllocator>(decoded, settings, yardstick)};
  rows[1].has_history = true;
  for (EngineRow& row : rows) {
    row.workload = program.name;
    row.conf = conf;
    if (figure != nullptr)
      row.share_of_reference = row.ns_per_call / row.yardstick_ns / figure->yardsticks;
  }
  return rows;
}

struct NamedProgram {
  std::string file;
  traces::RecordedProgram program;
};

/// Workloads that live from malloc and free. Their other calls are left out, as these are not
/// timed.
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

struct EngineArguments {
  std::vector<std::string> files;
  std::vector<std::string> confs = {"", "expandable_segments:True"};
  bool json = false;
};

std::vector<NamedProgram> programs_of(const EngineArguments& arguments) {
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

void print_text(const std::vector<EngineRow>& rows) {
  using tools::left;
  tools::Table table({left("workload"),
                      left("options"),
                      left("history"),
                      {"ns per call"},
                      {"yardstick ns"},
                      {"share of reference"}});
  for (const EngineRow& row : rows) {
    const auto& share = row.share_of_reference;
    table.add({row.workload, row.conf.empty() ? "(none)" : row.conf, row.has_history ? "on" : "off",
               decimals_text(row.ns_per_call, 1), decimals_text(row.yardstick_ns, 1),
               share ? decimals_text(*share, 3) + " = 1/" + decimals_text(1 / *share, 1) : "-"});
  }
  std::fputs(table.text("").c_str(), stdout);
}

nlohmann::ordered_json row_json(const EngineRow& row) {
  return {{"workload", row.workload},
          {"conf", row.conf},
          {"history", row.has_history},
          {"ns_per_call", row.ns_per_call},
          {"yardstick_ns", row.yardstick_ns},
          {"share_of_reference", tools::or_null(row.share_of_reference)}};
}

void run_engine_benchmark(const EngineArguments& arguments) {
  std::vector<EngineRow> rows;
  for (const NamedProgram& named : programs_of(arguments))
    for (const std::string& conf : arguments.confs)
      for (EngineRow& row : benchmark_engine(named.program, named.file, conf))
        rows.push_back(std::move(row));
  if (arguments.json)
    print_json(rows, row_json);
  else
    print_text(rows);
}

}  // namespace

void add_engine_benchmark(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("engine", "Measure the cost of malloc and free, beside a yardstick");
  const auto arguments = std::make_shared<EngineArguments>();
  command->add_option("FILE", arguments->files,
                      "Workloads; without any, built-in ones (see vramlab generate)");
  command->add_option("--conf", arguments->confs, "An option string; give it once for each");
  command->add_flag("--json", arguments->json, "Print one JSON document");
  command->callback([arguments] { run_engine_benchmark(*arguments); });
}

}  // namespace vramlab::tests
