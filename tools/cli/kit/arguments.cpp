#include "tools/cli/kit/arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "allocator/types/real_numbers.h"
#include "allocator/types/reference_version.h"
#include "replay/replayer/read_device_costs.h"
#include "streams/device/gpu_models.h"
#include "tools/cli/kit/gpu_names.h"
#include "tools/cli/kit/outputs.h"

namespace vramlab::tools {
namespace {

using replay::FreeTiming;
using replay::Moment;
using replay::MomentKind;
using replay::OnOutOfMemory;

constexpr std::size_t most_decimals = 9;

/// Throws CLI's error if the text is no number.
std::uint64_t whole_units(std::string text) {
  const CLI::AsSizeValue units(true);
  units(text);
  std::uint64_t bytes = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, bytes);
      read.ec != std::errc() || read.ptr != end)
    throw CLI::ValidationError(text);
  return bytes;
}

/// `decimals` behind the point of a unit of so many bytes: each product fits, as both factors of
/// the second one are below a power of ten that does.
std::uint64_t bytes_behind_the_point(const std::string& decimals, std::uint64_t unit) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < decimals.size(); ++i) power *= 10;
  const std::uint64_t digits = std::stoull(decimals);
  return digits * (unit / power) + digits * (unit % power) / power;
}

/// `1.5GiB` is 1610612736. Empty if the text is no size.
std::optional<std::uint64_t> bytes_of(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) == 0) return std::nullopt;
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return whole_units(text);
  const std::size_t rest = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  const std::string decimals = text.substr(point + 1, rest - point - 1);
  const std::string unit = text.substr(rest);
  if (decimals.empty() || decimals.size() > most_decimals) return std::nullopt;
  return whole_units(text.substr(0, point) + unit) +
         bytes_behind_the_point(decimals, whole_units("1" + unit));
}

std::string convert(std::string& text) {
  std::string refusal = "expected a size such as 80GiB or 23.69GiB, found " + text;
  try {
    const auto bytes = bytes_of(text);
    if (!bytes) return refusal;
    text = std::to_string(*bytes);
    return "";
  } catch (const CLI::ValidationError&) {
    return refusal;
  }
}

FreeTiming timing_of(const std::string& name) {
  if (name == "eager") return FreeTiming::eager;
  return name == "recorded" ? FreeTiming::recorded : FreeTiming::modelled;
}

OnOutOfMemory on_out_of_memory_of(const std::string& name) {
  if (name == "recorded") return OnOutOfMemory::as_recorded;
  return name == "stop" ? OnOutOfMemory::stop : OnOutOfMemory::skip;
}

/// A number of bytes that a device can have.
std::optional<std::uint64_t> bytes_of_device(const std::string& text) {
  constexpr std::uint64_t most = 1ULL << 40;
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error == std::errc() && end == text.data() + text.size() && bytes <= most) return bytes;
  return std::nullopt;
}

void add_memory_shares(CLI::App& command, ReplayArguments& arguments) {
  command
      .add_option("--device-costs", arguments.device_costs,
                  "A file with the cost of device calls (docs/guide/sweep.md; default: estimates)")
      ->type_name("FILE");
  command
      .add_option("--memory-fraction", arguments.memory_fraction,
                  "Share of the device that may be used, from 0 to 1")
      ->check(CLI::Range(0.0, 1.0));
  add_held_by_others(command, arguments.held_by_others, "as in the file");
  command
      .add_option(
          "--cudagraph-initial-mempool", arguments.cudagraph_initial_mempool,
          "Let each private pool begin with a block of this size, which is freed at once, as "
          "cudagraph_initial_mempool_allocation_gb does (default: none)")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
}

constexpr std::string_view time_prefix = "time:";

/// Empty if there is no such unit.
std::optional<std::uint64_t> nanoseconds_in(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> units = {
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  for (const auto& [name, nanoseconds] : units)
    if (unit == name) return nanoseconds;
  return std::nullopt;
}

/// The number at the beginning of the text, and the unit behind it in nanoseconds.
template <class Number>
std::optional<std::pair<Number, std::uint64_t>> amount_of(std::string_view text) {
  Number amount{};
  const char* end = text.data() + text.size();
  const auto [at, error] = read_number(text.data(), end, amount);
  if (error != std::errc() || amount < Number{}) return std::nullopt;
  const auto unit = nanoseconds_in({at, static_cast<std::size_t>(end - at)});
  if (!unit) return std::nullopt;
  return std::pair(amount, *unit);
}

/// Whole numbers are exact, others are rounded to the nanosecond.
std::optional<std::uint64_t> time_ns_of(std::string_view text) {
  if (text.starts_with(time_prefix)) text.remove_prefix(time_prefix.size());
  constexpr double most_ns = 1e18;
  if (const auto whole = amount_of<std::uint64_t>(text)) {
    if (whole->first > static_cast<std::uint64_t>(most_ns) / whole->second) return std::nullopt;
    return whole->first * whole->second;
  }
  const auto amount = amount_of<double>(text);
  if (!amount) return std::nullopt;
  const double time_ns = amount->first * static_cast<double>(amount->second);
  if (!(time_ns < most_ns)) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(time_ns));
}

struct NamedOrder {
  std::string_view name;
  streams::SegmentOrder order;
};
constexpr std::array segment_orders = {
    NamedOrder{"upwards", streams::SegmentOrder::upwards},
    NamedOrder{"downwards", streams::SegmentOrder::downwards},
    NamedOrder{"by-size", streams::SegmentOrder::by_size},
    NamedOrder{"driver", streams::SegmentOrder::driver},
};

std::vector<std::string> segment_order_names() {
  std::vector<std::string> names;
  for (const NamedOrder& order : segment_orders) names.emplace_back(order.name);
  return names;
}

std::optional<streams::SegmentOrder> segment_order_of(const std::string& name) {
  const auto found = std::ranges::find(segment_orders, name, &NamedOrder::name);
  return found == segment_orders.end() ? std::nullopt : std::optional(found->order);
}

}  // namespace

void add_reference(CLI::App& command, std::string& name, const std::string& usual) {
  add_version(
      command,
      {"--reference", "The version of PyTorch whose allocator is simulated (" + usual + ")"}, name);
}

void add_version(CLI::App& command, const VersionOption& option, std::string& name) {
  command.add_option(option.name, name, option.text)
      ->check([](const std::string& given) {
        return allocator::find_reference_version(given)
                   ? std::string()
                   : "the allocator of PyTorch " + given +
                         " is not known here (vramlab --version lists those that are)";
      })
      ->type_name("VERSION");
}

void add_common_flags(CLI::App& command, CommonFlags& flags) {
  command.add_flag("--json", flags.json, "Print one JSON document");
  CLI::Option* quiet = command.add_flag("-q,--quiet", flags.quiet, "Print the result only");
  command.add_flag("-v,--verbose", flags.verbose, "Print more, also on standard error")
      ->excludes(quiet);
}

void add_jobs(CLI::App& command, std::size_t& threads) {
  command.add_option("-j,--jobs", threads, "Threads to use (default: one per core)")
      ->check(CLI::Range(1, 1024));
}

void add_several_confs(CLI::App& command, std::vector<std::string>& options,
                       const std::string& description) {
  command.add_option("--conf", options, description + "; may be given several times")
      ->expected(1)
      // Otherwise the option would take the -- in front of a program.
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("OPTIONS");
}

std::string refusal_of_nothing(const std::string& number) {
  return number.find_first_not_of('0') == std::string::npos
             ? "expected a number above 0, found " + number
             : std::string();
}

CLI::Validator size_in_bytes() {
  return CLI::Validator(convert, CLI::AsSizeValue(true).get_description());
}

std::string typed_size(std::uint64_t bytes) {
  constexpr std::uint64_t gibibyte = 1ULL << 30;
  constexpr std::array<std::pair<std::uint64_t, const char*>, 4> units = {
      {{gibibyte, "GiB"}, {1ULL << 20, "MiB"}, {1'000'000'000, "GB"}, {1'000'000, "MB"}}};
  for (const auto& [size, name] : units)
    if (bytes >= size && bytes % size == 0) return std::to_string(bytes / size) + name;
  constexpr std::uint64_t hundred = 100;
  // Typed sizes leave out parts of a byte.
  const std::uint64_t hundredths = (bytes % gibibyte * hundred + gibibyte - 1) / gibibyte;
  const std::string decimals = std::to_string(hundred + hundredths).substr(1);
  const std::string typed = std::to_string(bytes / gibibyte) + "." + decimals + "GiB";
  return hundredths < hundred && bytes_of(typed) == bytes ? typed : std::to_string(bytes);
}

CLI::Validator time_in_nanoseconds() {
  const std::map<std::string, std::uint64_t> units = {
      {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  return CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME");
}

traces::ScratchPlace scratch_place() {
  // No thread of ours changes the environment.
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return {folder == nullptr || *folder == '\0' ? "/tmp" : folder};
}

std::string refusal_of_memory(const std::string& text) {
  constexpr std::uint64_t least = 2ULL << 20;
  if (bytes_of_device(text).value_or(0) >= least) return "";
  return "no device has " + text + " bytes: from 2 MiB, of which its memory is made, to 1 TiB";
}

namespace {

template <class Names>
CLI::Option* add_gpu_names(CLI::App& command, Names& names, const std::string& description) {
  command
      .add_flag_callback(
          "--list-gpus",
          [] {
            print(gpu_list_text());
            throw CLI::Success();
          },
          "List the GPUs that --gpu knows, with their memory")
      ->trigger_on_parse();
  return command.add_option("--gpu", names, description)->check(refusal_of_gpu)->type_name("NAME");
}

}  // namespace

CLI::Option* add_gpu(CLI::App& command, std::string& gpu, const std::string& description) {
  return add_gpu_names(command, gpu, description);
}

void add_several_gpus(CLI::App& command, std::vector<std::string>& gpus,
                      const std::string& description) {
  add_gpu_names(command, gpus, description + "; may be given several times")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

CLI::Option* add_device_memory(CLI::App& command, std::optional<std::uint64_t>& memory,
                               const std::string& without) {
  return command
      .add_option("--device-memory", memory,
                  "Memory of each device, such as 80GiB (default: " + without + ")")
      ->transform(size_in_bytes())
      ->check(refusal_of_memory);
}

void add_held_by_others(CLI::App& command, std::optional<std::uint64_t>& bytes,
                        const std::string& without) {
  command
      .add_option("--held-by-others", bytes,
                  "Memory of each device that other processes hold all the time, such as 4GiB "
                  "(default: " +
                      without + ")")
      ->transform(size_in_bytes())
      ->check([](const std::string& text) {
        return bytes_of_device(text) ? std::string()
                                     : "others cannot hold " + text +
                                           " bytes: no device has more "
                                           "than 1 TiB";
      });
}

void add_replay_arguments(CLI::App& command, ReplayArguments& arguments) {
  add_file(command, arguments.file,
           "A recording or a program, in any format that vramlab info knows (- is standard "
           "input)");
  add_replay_options(command, arguments);
}

void add_replay_options(CLI::App& command, ReplayArguments& arguments) {
  add_conf(command, arguments);
  add_replay_conditions(command, arguments);
}

void add_segment_order(CLI::App& command, ReplayArguments& arguments) {
  command
      .add_option(
          "--segments", arguments.segment_order,
          "Where the driver puts new segments: each above those before (upwards), below "
          "them (downwards), larger ones above smaller ones (by-size), or as NVIDIA's driver "
          "for Linux (driver) (default: as recorded, for other settings of a dry run as its driver "
          "did, else upwards)")
      ->check(CLI::IsMember(segment_order_names()));
}

void add_conf(CLI::App& command, ReplayArguments& arguments) {
  command
      .add_option("--conf", arguments.options,
                  "Options (PYTORCH_CUDA_ALLOC_CONF) instead of those in the file")
      ->type_name("OPTIONS");
}

void add_memory_limit(CLI::App& command, ReplayArguments& arguments) {
  CLI::Option* memory =
      add_device_memory(command, arguments.device_memory, "as in the file, otherwise no limit");
  add_gpu(command, arguments.gpu, "Memory of a known GPU, such as a100-80gb")->excludes(memory);
}

void add_replay_conditions(CLI::App& command, ReplayArguments& arguments) {
  add_memory_limit(command, arguments);
  add_limitless_conditions(command, arguments);
  command
      .add_option("--on-oom", arguments.on_out_of_memory,
                  "At an out-of-memory: go on where the recorded run did and stop elsewhere "
                  "(recorded, the default), stop, skip the request, or skip and report each")
      ->check(CLI::IsMember({"recorded", "stop", "skip", "report"}));
}

void add_limitless_conditions(CLI::App& command, ReplayArguments& arguments) {
  add_memory_shares(command, arguments);
  add_reference(command, arguments.reference, "default: as in the file, or guessed from it");
  command
      .add_option("--frees", arguments.frees,
                  "When memory that other streams used is free again: recorded (default of a "
                  "recording), eager (at once), modelled (default of a program: by the durations "
                  "of its work)")
      ->check(CLI::IsMember({"recorded", "eager", "modelled"}));
}

std::vector<std::string> notes_on(const ReplayArguments& arguments) {
  if (arguments.gpu.empty()) return {};
  const streams::GpuModel& gpu = *streams::find_gpu(arguments.gpu);
  return {std::string(gpu.name) + ": " + format_bytes(gpu.available()) +
          " for the allocator, which is " + format_bytes(gpu.total) + " in all (" +
          std::string(gpu.total_source) + ") less " + format_bytes(gpu.context) +
          " for the process (" + std::string(gpu.context_source) + ")"};
}

replay::ReplayConditions conditions_of(const ReplayArguments& arguments) {
  replay::ReplayConditions conditions;
  conditions.scratch = scratch_place();
  if (!arguments.reference.empty())
    conditions.version = allocator::find_reference_version(arguments.reference);
  conditions.options = arguments.options;
  if (arguments.device_memory) conditions.memory = Bytes{*arguments.device_memory};
  if (!arguments.gpu.empty()) conditions.memory = streams::find_gpu(arguments.gpu)->available();
  if (!arguments.device_costs.empty())
    conditions.costs = std::make_shared<const streams::DeviceCosts>(
        replay::read_device_costs(arguments.device_costs));
  conditions.memory_fraction = arguments.memory_fraction;
  if (arguments.held_by_others) conditions.held_by_others = Bytes{*arguments.held_by_others};
  if (arguments.cudagraph_initial_mempool.value_or(0) > 0)
    conditions.first_of_private_pools = Bytes{*arguments.cudagraph_initial_mempool};
  if (conditions.memory) refuse_full_device(conditions, *conditions.memory);
  if (!arguments.frees.empty()) conditions.timing = timing_of(arguments.frees);
  conditions.segment_order = segment_order_of(arguments.segment_order);
  conditions.on_out_of_memory = on_out_of_memory_of(arguments.on_out_of_memory);
  return conditions;
}

std::optional<Moment> moment_of(const std::string& text) {
  if (text == "peak") return Moment{MomentKind::peak};
  if (text == "peak_reserved") return Moment{MomentKind::peak_reserved};
  if (text == "oom") return Moment{MomentKind::out_of_memory};
  if (text == "end") return Moment{MomentKind::end};
  if (const auto time_ns = time_ns_of(text)) return Moment{MomentKind::time, 0, *time_ns};
  Moment moment{MomentKind::event};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, moment.event);
  if (error != std::errc() || at != end) return std::nullopt;
  return moment;
}

std::string shown_moment(const std::string& text) {
  return text.starts_with(time_prefix) ? text.substr(time_prefix.size()) : text;
}

CLI::Option* add_moment(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& description) {
  const auto check = [](const std::string& given) {
    if (moment_of(given)) return std::string();
    return "expected peak, peak_reserved, oom, end, an event's number or a time such as 20ms, "
           "found '" +
           given + "'";
  };
  return command.add_option(name, text, description)->check(check)->type_name("WHEN");
}

void add_kinds_option(CLI::App& command, std::string& kinds) {
  command
      .add_option("--kinds", kinds,
                  "What blocks hold: recorded (as the recording says, the default), or guess (from "
                  "call stacks, where it does not)")
      ->check(CLI::IsMember({"recorded", "guess"}));
}

replay::KindsFrom kinds_source(const std::string& kinds) {
  return kinds == "guess" ? replay::KindsFrom::stacks : replay::KindsFrom::notes;
}

}  // namespace vramlab::tools
