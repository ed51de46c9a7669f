// vramlab_benchmarks shares: the cost of a call on the textbook twin and on the engine, both with
// statistics and history, over a device whose calls cost nothing. FILE is a workload or a recorded
// case; without one, a random churn, and the other shares. Calls other than malloc and free are
// left out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/replayer/subjects.h"
#include "tests/benchmarks/benchmarks.h"
#include "tests/support/devices/free_of_charge_device.h"
#include "tests/support/kit/calls.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/twin/textbook_twin.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {
namespace {

using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;
using traces::RecordedProgram;

constexpr int runs = 3;

/// About 500 live blocks of mixed sizes on 4 streams.
RecordedProgram random_churn() {
  RecordedProgram program;
  program.name = "random churn";
  program.version = &allocator::default_reference_version();
  RandomNumbers numbers(1);
  std::vector<std::uint64_t> live;
  for (std::uint64_t id = 1; id <= 100'000; ++id) {
    const std::uint64_t most = numbers.one_in(4) ? 32ULL << 20 : 1ULL << 20;
    program.calls.push_back(malloc_call(id, {numbers.between(1, most)}, numbers.below(4)));
    live.push_back(id);
    while (live.size() > 500 || (!live.empty() && numbers.one_in(3))) {
      std::swap(live[static_cast<std::size_t>(numbers.below(live.size()))], live.back());
      program.calls.push_back(free_call(live.back()));
      live.pop_back();
    }
  }
  return program;
}

double run_once(const RecordedProgram& program, const replay::SubjectFactory& make) {
  FreeOfChargeDevice device;
  std::optional<allocator::SettingsError> error;
  const auto subject = make(device, *program.version, program.config, error);
  std::unordered_map<std::uint64_t, allocator::Address> addresses;
  std::uint64_t calls = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const Call& call : program.calls) {
    if (call.kind == Kind::malloc) {
      const auto result = subject->malloc(call.bytes, call.stream);
      if (result) addresses[call.id] = result.address;
      ++calls;
    } else if (call.kind == Kind::free) {
      const auto found = addresses.find(call.id);
      if (found == addresses.end()) continue;
      subject->free(found->second);
      addresses.erase(found);
      ++calls;
    }
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / static_cast<double>(calls);
}

double best_ns_per_call(const RecordedProgram& program, const replay::SubjectFactory& make) {
  double best = run_once(program, make);
  for (int run = 1; run < runs; ++run) best = std::min(best, run_once(program, make));
  return best;
}

void print_row(const RecordedProgram& program) {
  const double engine = best_ns_per_call(program, replay::make_engine_subject);
  const double twin = best_ns_per_call(program, make_twin_subject);
  std::printf("%-24s engine %7.1f ns/call   twin %7.1f ns/call   twin/engine %5.2f\n",
              program.name.c_str(), engine, twin, twin / engine);
}

}  // namespace

void print_shares(const std::vector<std::string>& files) {
  for (const std::string& file : files) print_row(traces::read_recorded_program(file));
  if (!files.empty()) return;
  print_row(random_churn());
  print_hazard_share();
  print_what_if_share();
}

void add_shares(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "shares", "Compare the twin, the hazard checker and what-if replays with the engine");
  const auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "Workloads or recorded cases for the twin alone");
  command->callback([files] { print_shares(*files); });
}

}  // namespace vramlab::tests
