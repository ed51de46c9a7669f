// `vramlab sample`: the recordings that come with the program.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "replay/metrics/nearest_name.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/shared_files.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

/// The bytes of tools/web/page/tour/stations.json.
std::string_view tour_stations();

namespace {

using nlohmann::ordered_json;

struct Sample {
  std::string name;
  std::string file;
  std::string description;
  /// The command to ask first.
  std::string question;
};

/// The files that cmake/Samples.cmake installs: recordings, then the programs of the tour's
/// stations.
std::vector<Sample> all_samples() {
  std::vector<Sample> samples = {
      {"gpt_training", "gpt_training.pickle.gz",
       "a snapshot of PyTorch 2.6.0: 14 steps of a GPT, with stacks; three quarters are free",
       "advise"},
      {"out_of_memory", "out_of_memory.pickle.gz",
       "a snapshot of a training that runs out of memory, as its cache is in pieces", "explain"},
      {"leak", "leak.vtrace", "a native trace of a training that holds more with each iteration",
       "top --growth"},
      {"missing_record_stream", "missing_record_stream.vtrace.jsonl",
       "a program in text: a block is used again while another stream still reads it", "streams"}};
  int number = 0;
  for (const auto& station : ordered_json::parse(tour_stations())) {
    const auto file = station.at("file").get<std::string>();
    samples.push_back({file.substr(0, file.find('.')), file,
                       "station " + std::to_string(++number) +
                           " of the tour: " + station.at("title").get<std::string>(),
                       "steps"});
  }
  return samples;
}

struct SampleArguments {
  std::string name;
  OutputArguments output;
  CommonFlags flags;
};

ordered_json sample_json(const Sample& sample, const std::optional<std::string>& output) {
  return {{"name", sample.name},
          {"file", sample.file},
          {"description", sample.description},
          {"question", sample.question},
          {"output", output ? ordered_json(*output) : ordered_json(nullptr)}};
}

std::string samples_json(const std::vector<ordered_json>& rows) {
  return json_text({{"schema_version", 1}, {"samples", rows}});
}

void list_samples(const CommonFlags& flags) {
  std::vector<ordered_json> rows;
  Table table({left("", 22), left("")});
  for (const Sample& sample : all_samples()) {
    rows.push_back(sample_json(sample, {}));
    table.add({sample.name, sample.description});
  }
  print(flags.json ? samples_json(rows)
                   : table.text() + "vramlab sample NAME writes one into the current folder\n");
}

Sample sample_of(const std::string& name) {
  const std::vector<Sample> samples = all_samples();
  const auto found = std::ranges::find(samples, name, &Sample::name);
  if (found != samples.end()) return *found;
  std::vector<std::string_view> names;
  for (const Sample& sample : samples) names.push_back(sample.name);
  throw traces::InputError({"NAME", "", "a sample that vramlab sample lists",
                            "'" + name + "'" + replay::nearest_hint(name, names)});
}

void write_sample(const Sample& sample, const SampleArguments& arguments) {
  const auto path = find_shared_file(std::filesystem::path("samples") / sample.file);
  if (!path)
    throw std::runtime_error("this installation has no samples: expected share/vramlab/samples/" +
                             sample.file);
  OutputArguments to = arguments.output;
  if (to.path.empty()) to.path = sample.file;
  OpenOutput output(to, {path->string()});
  output.write(shared_file_bytes(*path));
  output.finish();
  if (!to.is_file()) return;
  print(arguments.flags.json ? samples_json({sample_json(sample, to.path)})
                             : to.path + ": " + sample.description + "\nask next: vramlab " +
                                   sample.question + " " + to.path + "\n");
}

ExitStatus give_sample(const SampleArguments& arguments) {
  if (!arguments.name.empty())
    write_sample(sample_of(arguments.name), arguments);
  else if (!arguments.output.path.empty())
    throw traces::InputError({"--output", "", "the name of a sample with it", "none"});
  else
    list_samples(arguments.flags);
  return ExitStatus::done;
}

void add_options(CLI::App& command, SampleArguments& arguments) {
  command.add_option("NAME", arguments.name, "The sample; without it, all are listed");
  add_output(command, arguments.output,
             "The file to write (default: the sample's own name; - is standard output)");
  add_force(command, arguments.output);
}

}  // namespace

Command sample_command() {
  return {"sample", "Write a recording that comes with vramlab, to try it on, or list these",
          "Example: vramlab sample out_of_memory", with<SampleArguments>(add_options, give_sample)};
}

}  // namespace vramlab::tools
