// vramlab_benchmarks [FILE...]: what a call costs on the textbook twin and on the engine, both with
// statistics and history, over a device whose calls cost nothing. FILE is a workload or a recorded
// case; without one, a random churn, and what the hazard checker costs on streams. Calls other than
// malloc and free are left out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/bench/free_of_charge_device.h"
#include "replay/replayer/allocator_subject.h"
#include "tests/benchmarks/hazard_share.h"
#include "tests/benchmarks/what_if_share.h"
#include "tests/support/kit/calls.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/twin/textbook_twin.h"
#include "traces/cases/recorded_case.h"

namespace {

using namespace vramlab;
using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;
using traces::RecordedProgram;

constexpr int runs = 3;

/// About 500 live blocks of mixed sizes on 4 streams.
RecordedProgram random_churn() {
  RecordedProgram program;
  program.name = "random churn";
  program.version = &allocator::default_reference_version();
  tests::RandomNumbers numbers(1);
  std::vector<std::uint64_t> live;
  for (std::uint64_t id = 1; id <= 100'000; ++id) {
    const std::uint64_t most = numbers.one_in(4) ? 32ULL << 20 : 1ULL << 20;
    program.calls.push_back(tests::malloc_call(id, {numbers.between(1, most)}, numbers.below(4)));
    live.push_back(id);
    while (live.size() > 500 || (!live.empty() && numbers.one_in(3))) {
      std::swap(live[static_cast<std::size_t>(numbers.below(live.size()))], live.back());
      program.calls.push_back(tests::free_call(live.back()));
      live.pop_back();
    }
  }
  return program;
}

double run_once(const RecordedProgram& program, const replay::SubjectFactory& make) {
  replay::FreeOfChargeDevice device;
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
  const double twin = best_ns_per_call(program, tests::make_twin_subject);
  std::printf("%-24s engine %7.1f ns/call   twin %7.1f ns/call   twin/engine %5.2f\n",
              program.name.c_str(), engine, twin, twin / engine);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 1) {
      print_row(random_churn());
      tests::print_hazard_share();
      tests::print_what_if_share();
    }
    for (int i = 1; i < argc; ++i) print_row(traces::read_recorded_program(argv[i]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
