#include "replay/bench/engine_benchmark.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <unordered_map>

#include "allocator/caching_allocator.h"
#include "replay/bench/free_of_charge_device.h"
#include "traces/io/input_error.h"
#include "traces/model/call_forms.h"

namespace vramlab::replay {

Yardstick::Yardstick(std::size_t set_size) {
  while (elements_.size() < set_size) elements_.insert(random_element());
}

std::size_t Yardstick::random_size() {
  return (next_random(random_state_) >> 32) % 4000 * 512 + 512;
}

Yardstick::Element Yardstick::random_element() {
  const std::size_t size = random_size();
  return {0, size, next_random(random_state_) >> 16};
}

double Yardstick::measure_slice(const std::function<double()>& clock) {
  constexpr int operations = 2'000'000 / 7;
  const double begin = clock();
  for (int i = 0; i < operations; ++i) {
    auto found = elements_.lower_bound({0, random_size(), 0});
    if (found == elements_.end()) found = elements_.begin();
    elements_.erase(found);
    elements_.insert(random_element());
  }
  return (clock() - begin) / operations;
}

namespace {

using namespace allocator;

constexpr int run_count = 7;
constexpr std::size_t common_set_size = 500;

/// What the reference (PyTorch 2.6.0, history off, over a device whose calls cost nothing) was
/// measured to take per call, in yardsticks on a set of the given size.
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

/// A call as short as it can be: what is to be freed is known by its place in a row of addresses.
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
double run_once(const DecodedProgram& program, const Settings& settings, const Clock& clock) {
  FreeOfChargeDevice device;
  Allocator allocator(device, default_reference_version(), settings);
  if constexpr (std::is_same_v<Allocator, RecordingAllocator>)
    static_cast<History&>(allocator.listeners()).prepare(program.calls.size() * 3);
  std::vector<Address> addresses(program.slot_count);
  const double begin = clock();
  for (const DecodedCall& call : program.calls) {
    Address& address = addresses[call.slot];
    if (call.is_malloc) {
      address = allocator.malloc(call.bytes, call.stream).address;
    } else if (address != Address{}) {
      allocator.free(address);
      address = {};
    }
  }
  return clock() - begin;
}

Settings settings_for(const std::string& conf) {
  const ParsedSettings parsed = parse_settings({}, conf, default_reference_version());
  if (parsed.error)
    throw traces::InputError({"--conf", "", "a valid option string", parsed.error->message});
  return parsed.settings;
}

template <class Allocator>
BenchmarkRow measure(const DecodedProgram& program, const Settings& settings, Yardstick& yardstick,
                     const Clock& clock) {
  BenchmarkRow row;
  row.ns_per_call = row.yardstick_ns = std::numeric_limits<double>::max();
  for (int run = 0; run < run_count; ++run) {
    row.yardstick_ns = std::min(row.yardstick_ns, yardstick.measure_slice(clock));
    const double ns = run_once<Allocator>(program, settings, clock);
    row.ns_per_call = std::min(row.ns_per_call, ns / static_cast<double>(program.calls.size()));
  }
  return row;
}

}  // namespace

std::vector<BenchmarkRow> benchmark_engine(const traces::RecordedProgram& program,
                                           const std::string& file, const std::string& conf,
                                           const Clock& clock) {
  const DecodedProgram decoded = decode(program, file);
  const Settings settings = settings_for(conf);
  const ReferenceFigure* figure = find_figure(program.name, conf);
  Yardstick yardstick(figure == nullptr ? common_set_size : figure->set_size);
  std::vector<BenchmarkRow> rows = {
      measure<CountingAllocator>(decoded, settings, yardstick, clock),
      measure<RecordingAllocator>(decoded, settings, yardstick, clock)};
  rows[1].history = HistoryKept::yes;
  for (BenchmarkRow& row : rows) {
    row.workload = program.name;
    row.conf = conf;
    if (figure != nullptr)
      row.share_of_reference = row.ns_per_call / row.yardstick_ns / figure->yardsticks;
  }
  return rows;
}

}  // namespace vramlab::replay
