// vramlab_soak CALLS SEED: random programs on the engine and its textbook twin, side by side, until
// so many calls were made. Prints the seed of every program that differs; exit code 1 if one did.
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/random_programs.h"
#include "tests/support/side_by_side.h"

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

/// One program in 16 is checked after every call.
bool run_one(std::uint64_t seed, std::uint64_t& calls) {
  const vramlab::traces::RecordedProgram program = make_random_program(seed);
  const RuleChecks checks =
      seed % 16 == 0 ? RuleChecks::after_every_call : RuleChecks::now_and_then;
  running_seed = static_cast<std::sig_atomic_t>(seed);
  calls += program.calls.size();
  const auto difference = first_difference(program, checks);
  if (!difference) return true;
  std::printf("DIFFERENCE: %s\n", difference->c_str());
  std::fflush(stdout);
  return false;
}

int run(const Soak& soak) {
  std::signal(SIGSEGV, name_seed_and_stop);
  std::signal(SIGABRT, name_seed_and_stop);
  std::uint64_t calls = 0;
  std::uint64_t programs = 0;
  std::uint64_t failures = 0;
  std::uint64_t next_report = 0;
  for (std::uint64_t seed = soak.seed; calls < soak.wanted_calls; ++seed) {
    if (!run_one(seed, calls)) ++failures;
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
  Soak soak;
  const auto calls = argc > 1 ? number(argv[1]) : soak.wanted_calls;
  const auto seed = argc > 2 ? number(argv[2]) : soak.seed;
  if (argc > 3 || !calls || !seed) {
    std::fprintf(stderr, "usage: vramlab_soak [CALLS [SEED]]\n");
    return 2;
  }
  soak.wanted_calls = *calls;
  soak.seed = *seed;
  return run(soak);
}
