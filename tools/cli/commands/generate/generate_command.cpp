// `vramlab generate`: a synthetic workload as a native trace.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/workloads/workload.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using traces::Workload;
using traces::WorkloadOption;

ordered_json option_json(const WorkloadOption& option) {
  return {{"name", option.name},
          {"meaning", option.meaning},
          {"default", option.usual},
          {"least", option.least},
          {"most", option.most}};
}

std::string workload_list_text() {
  std::string text;
  for (const Workload& workload : traces::workloads()) {
    text += padded(std::string(workload.name), 12) + std::string(workload.description) + "\n";
    Table options({left("", 14), left("", 6), left("")});
    for (const WorkloadOption& option : workload.options)
      options.add({"--" + std::string(option.name),
                   option.is_switch() ? "off" : std::to_string(option.usual),
                   std::string(option.meaning)});
    text += options.text();
  }
  return text;
}

ordered_json workload_json(const Workload& workload) {
  return {{"name", workload.name},
          {"description", workload.description},
          {"options", json_list(workload.options, option_json)}};
}

std::string workload_list_json() {
  return json_text(
      {{"schema_version", 1}, {"workloads", json_list(traces::workloads(), workload_json)}});
}

struct GenerateArguments {
  traces::WorkloadRequest request;
  OutputArguments output;
  std::string format;
  bool lists = false;
  CommonFlags flags;
};

/// Shows on a progress bar how much was written.
class WatchedSink : public traces::ByteSink {
 public:
  WatchedSink(traces::ByteSink& sink, traces::ProgressListener listener)
      : sink_(sink), listener_(std::move(listener)) {}

  void write(std::string_view bytes) override {
    sink_.write(bytes);
    written_.bytes_read += bytes.size();
    if (listener_) listener_(written_);
  }

 private:
  traces::ByteSink& sink_;
  traces::ProgressListener listener_;
  traces::ReadProgress written_;
};

void write_trace(const GenerateArguments& arguments) {
  const auto format =
      traces::output_format(arguments.output.path, arguments.format, traces::native_formats);
  ProgressBar bar(arguments.output.path, arguments.flags);
  OpenOutput output(arguments.output, {});
  WatchedSink watched(output, bar.listener());
  traces::SnapshotTables tables;
  const auto writer = make_trace_writer(format, watched, tables);
  traces::generate_workload(arguments.request, tables, writer->sinks().program);
  writer->finish();
  output.finish();
}

ExitStatus generate(const GenerateArguments& arguments) {
  if (!arguments.lists)
    for (const auto& [option, given] : {std::pair("NAME", &arguments.request.name),
                                        std::pair("--output", &arguments.output.path)})
      if (given->empty()) throw CLI::RequiredError(option);
  if (arguments.lists)
    print(arguments.flags.json ? workload_list_json() : workload_list_text());
  else
    write_trace(arguments);
  return ExitStatus::done;
}

/// Each option is declared once for all workloads; whether the chosen one has it is checked later.
void add_size_options(CLI::App& command, GenerateArguments& arguments) {
  std::set<std::string_view> added;
  for (const Workload& workload : traces::workloads()) {
    for (const WorkloadOption& option : workload.options) {
      if (!added.insert(option.name).second) continue;
      const std::string name(option.name);
      const std::string meaning(option.meaning);
      if (option.is_switch())
        command.add_flag_callback(
            "--" + name, [&arguments, name] { arguments.request.sizes[name] = 1; }, meaning);
      else
        command.add_option_function<std::uint64_t>(
            "--" + name,
            [&arguments, name](std::uint64_t size) { arguments.request.sizes[name] = size; },
            meaning);
    }
  }
}

void add_options(CLI::App& command, GenerateArguments& arguments) {
  constexpr std::uint64_t most_events = 10'000'000'000;
  command.add_option("NAME", arguments.request.name, "The workload");
  add_output(command, arguments.output, "The file to write (- is standard output, with --format)");
  command
      .add_option("--format", arguments.format,
                  traces::listed(traces::format_options(traces::native_formats)) +
                      "; without it, the output's ending says")
      ->check(CLI::IsMember(traces::format_options(traces::native_formats)));
  command.add_flag("--list", arguments.lists,
                   "Show all workloads, with their options and defaults");
  command.add_option("--seed", arguments.request.seed, "Seed of the random numbers")
      ->capture_default_str();
  command
      .add_option("--events", arguments.request.event_count,
                  "Number of events, rounded up to whole iterations")
      ->check(CLI::Range(std::uint64_t{1}, most_events))
      ->capture_default_str();
  add_size_options(command, arguments);
  add_force(command, arguments.output);
  add_common_flags(command, arguments.flags);
  command.get_option("--json")->description("With --list, print one JSON document");
}

}  // namespace

Command generate_command() {
  return {"generate", "Write a synthetic workload, such as training or serving, as a native trace",
          "Example: vramlab generate training --layers 12 --sequence 1024 -o training.vtrace",
          with<GenerateArguments>(add_options, generate)};
}

}  // namespace vramlab::tools
