// vramlab_soak CALLS SEED: random programs on the engine and its textbook twin, side by side, until
// so many calls were made. Prints the seed of every program that differs; exit code 1 if one did.
// vramlab_soak host CALLS SEED: the same for pinned host memory.
// vramlab_soak streams PROGRAMS SEED: the same for streams and their naive twin.
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tests/soak/streams_soak.h"
#include "tests/support/programs/random_host_programs.h"
#include "tests/support/programs/random_programs.h"
#include "tests/support/twin/host_side_by_side.h"
#include "tests/support/twin/side_by_side.h"

namespace {

using namespace vramlab::tests;

struct Soak {
  std::uint64_t wanted_calls = 10'000'000;
  std::uint64_t seed = 1;
};

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// For the last words of a run that crashes.
volatile std::sig_atomic_t running_seed = 0;

void name_seed_and_stop(int signal) {
  std::fprintf(stderr, "CRASH: seed %lld\n", static_cast<long long>(running_seed));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool report(const std::optional<std::string>& difference) {
  if (!difference) return true;
  std::printf("DIFFERENCE: %s\n", difference->c_str());
  std::fflush(stdout);
  return false;
}

bool run_one_of_host(std::uint64_t seed, std::uint64_t& calls) {
  const vramlab::traces::HostProgram program = make_random_host_program(seed);
  running_seed = static_cast<std::sig_atomic_t>(seed);
  calls += program.calls.size();
  return report(first_host_difference(program));
}

/// One program in 16 is checked after every call.
bool run_one(std::uint64_t seed, std::uint64_t& calls) {
  const vramlab::traces::RecordedProgram program = make_random_program(seed);
  const RuleChecks checks =
      seed % 16 == 0 ? RuleChecks::after_every_call : RuleChecks::now_and_then;
  running_seed = static_cast<std::sig_atomic_t>(seed);
  calls += program.calls.size();
  return report(first_difference(program, checks));
}

using RunOne = bool (*)(std::uint64_t seed, std::uint64_t& calls);

int run(const Soak& soak, RunOne run_program) {
  std::signal(SIGSEGV, name_seed_and_stop);
  std::signal(SIGABRT, name_seed_and_stop);
  std::uint64_t calls = 0;
  std::uint64_t programs = 0;
  std::uint64_t failures = 0;
  std::uint64_t next_report = 0;
  for (std::uint64_t seed = soak.seed; calls < soak.wanted_calls; ++seed) {
    if (!run_program(seed, calls)) ++failures;
    ++programs;
    if (calls < next_report) continue;
    next_report += soak.wanted_calls / 20;
    std::printf("%llu calls, %llu programs, seed %llu, %llu differences\n",
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(programs),
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(failures));
    std::fflush(stdout);
  }
  std::printf("%llu calls in %llu programs, %llu differences\n",
              static_cast<unsigned long long>(calls), static_cast<unsigned long long>(programs),
              static_cast<unsigned long long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  const bool is_of_streams = word == "streams";
  const bool is_of_host = word == "host";
  const int first = is_of_streams || is_of_host ? 2 : 1;
  const auto amount = argc > first
                          ? number(argv[first])
                          : (is_of_streams ? StreamsSoak{}.wanted_programs : Soak{}.wanted_calls);
  const auto seed = argc > first + 1 ? number(argv[first + 1]) : 1;
  if (argc > first + 2 || !amount || !seed) {
    std::fprintf(stderr, "usage: vramlab_soak [host] [CALLS [SEED]] | streams [PROGRAMS [SEED]]\n");
    return 2;
  }
  if (is_of_streams) return soak_streams({*amount, *seed}) == 0 ? 0 : 1;
  return run({*amount, *seed}, is_of_host ? run_one_of_host : run_one);
}
