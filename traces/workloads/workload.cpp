#include "traces/workloads/workload.h"

#include <algorithm>
#include <array>

#include "traces/io/input_error.h"
#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr Bytes device_memory{80ULL << 30};

const Workload& find_workload(const std::string& name) {
  std::string names;
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return workload;
    names.append(names.empty() ? "" : ", ").append(workload.name);
  }
  throw InputError({"the workload", "", "one of " + names, "'" + name + "'"});
}

const WorkloadOption& find_option(const Workload& workload, const std::string& name) {
  std::string names;
  for (const WorkloadOption& option : workload.options) {
    if (option.name == name) return option;
    names.append(names.empty() ? "--" : ", --").append(option.name);
  }
  throw InputError({"the workload " + std::string(workload.name), "", "one of its options " + names,
                    "--" + name});
}

void refuse_size_out_of_range(const WorkloadOption& option, std::uint64_t size) {
  if (size >= option.least && size <= option.most) return;
  throw InputError(
      {"--" + std::string(option.name), "",
       "a number from " + std::to_string(option.least) + " to " + std::to_string(option.most),
       std::to_string(size)});
}

WorkloadSizes sizes_of(const Workload& workload, const WorkloadRequest& request) {
  WorkloadSizes sizes;
  for (const WorkloadOption& option : workload.options) sizes[option.name] = option.usual;
  for (const auto& [name, size] : request.sizes) {
    const WorkloadOption& option = find_option(workload, name);
    refuse_size_out_of_range(option, size);
    sizes[option.name] = size;
  }
  return sizes;
}

/// The command line that makes the same trace, every option named.
std::string command_line(const Workload& workload, const WorkloadRequest& request,
                         const WorkloadSizes& sizes) {
  std::string line = "vramlab generate " + request.name;
  line += " --seed " + std::to_string(request.seed);
  line += " --events " + std::to_string(request.event_count);
  for (const WorkloadOption& option : workload.options) {
    const std::uint64_t size = sizes.at(option.name);
    if (option.is_switch() && size == 0) continue;
    line.append(" --").append(option.name);
    if (!option.is_switch()) line += " " + std::to_string(size);
  }
  return line;
}

}  // namespace

std::span<const Workload> workloads() {
  static const std::array<Workload, 8> all = {
      training_workload(), serving_workload(), experts_workload(),   diffusion_workload(),
      graphs_workload(),   leak_workload(),    fragments_workload(), dataloader_workload()};
  return all;
}

void generate_workload(const WorkloadRequest& request, SnapshotTables& tables, ProgramSink& sink) {
  const Workload& workload = find_workload(request.name);
  const WorkloadSizes sizes = sizes_of(workload, request);
  TraceHeader header;
  if (workload.memory == WorkloadMemory::device_and_host)
    header.version = trace_version_of(ProgramEventKind::host_malloc);
  header.origin = "workload " + request.name;
  header.devices.push_back({{}, device_memory, ""});
  sink.header(header);

  WorkloadRandom seeds(request.seed);
  WorkloadWriter writer(sink, tables, seeds.next());
  writer.marker(command_line(workload, request, sizes));
  WorkloadRun run{writer, WorkloadRandom(seeds.next()), sizes, request.event_count};
  workload.write(run);
}

}  // namespace vramlab::traces
