#include "tools/cli/kit/moment_argument.h"

#include <array>
#include <charconv>
#include <cmath>

#include "allocator/types/real_numbers.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::tools {
namespace {

using replay::Moment;
using replay::MomentKind;

constexpr std::string_view time_prefix = "time:";

/// Empty if there is no such unit.
std::optional<std::uint64_t> nanoseconds_in(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> units = {
      {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  for (const auto& [name, nanoseconds] : units)
    if (unit == name) return nanoseconds;
  return std::nullopt;
}

/// The number that the text begins with, and in nanoseconds what follows it.
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

/// Whole numbers exactly, others to the nanosecond.
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

}  // namespace

std::optional<Moment> moment_of(const std::string& text) {
  if (text == "peak") return Moment{MomentKind::peak};
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
  return command.add_option(name, text, description)->check([](const std::string& given) {
    if (moment_of(given)) return std::string();
    return "expected peak, oom, end, an event's number or a time such as 20ms, found '" + given +
           "'";
  });
}

void write_snapshot_file(traces::OutputFile& output, const replay::StatesAtMoment& at,
                         const traces::GenericPointer& settings,
                         const traces::SnapshotTables& tables) {
  const auto writer =
      make_trace_writer(output.name().ends_with(".json") ? traces::TraceFormat::snapshot_json
                                                         : traces::TraceFormat::snapshot_pickle,
                        output, tables);
  write_states(at.states, settings, writer->sinks().recorded);
  writer->finish();
  output.finish();
}

}  // namespace vramlab::tools
