// The long random run of the shim: vramlab_shim_soak [--mix all] [STEPS [SEED [THREADS]]]. Programs
// run beside each other in rounds, in every mode in turns, with expandable segments and without,
// under the race oracle. With `--mix all` they mix contexts, peers, captures, pools, arrays,
// handles and calls that fail, and each round also looks for leaks and stuck threads. Ends with 1
// at the first problem, and says which round it was.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/shim/mix/mixed_round.h"
#include "tests/shim/setup/shim_program.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

struct Round {
  std::uint64_t steps_each = 0;
  std::uint64_t seed = 0;
  std::size_t threads = 0;
};

ShimSetupOptions options_of(std::uint64_t seed) {
  const PreloadMode modes[] = {PreloadMode::deferred, PreloadMode::deferred, PreloadMode::nosplit,
                               PreloadMode::sync};
  // In every other turn of the modes; `nosplit` has no segments that could expand.
  const PreloadMode mode = modes[seed % 4];
  const bool expands = seed / 4 % 2 == 1 && mode != PreloadMode::nosplit;
  ShimSetupOptions options = in_mode(mode, expands ? "expandable_segments:True" : "");
  options.shim.fence = seed % 8 == 1 ? shim::FenceKind::stream_events : shim::FenceKind::automatic;
  options.fake.memory_bytes = seed % 3 == 0 ? 768 * mib : 8ULL << 30;
  options.fake.mean_call_ns = 300;
  return options;
}

std::pair<std::vector<std::string>, std::uint64_t> run_plain(const Round& round) {
  ShimSetup setup(options_of(round.seed));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < round.threads; ++i)
    threads.emplace_back([&setup, &round, i] {
      setup.make_current(setup.context());
      ShimProgram(setup, round.seed * 1000 + i).run(round.steps_each);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> problems;
  if (setup.races().all() > 0) problems.push_back(setup.first_race());
  return {problems, setup.calls("cuMemAlloc_v2") + setup.calls("cuMemCreate")};
}

struct Soak {
  std::uint64_t steps_of_a_round = 40000;
  std::uint64_t steps = 1000000;
  std::uint64_t seed = 1;
  std::size_t threads = 4;
};

/// `run_round(round)` gives its problems, and how often the driver was asked for memory.
template <class RunRound>
int soak(const Soak& what, const RunRound& run_round) {
  const std::uint64_t steps = std::min(what.steps, what.steps_of_a_round);
  std::uint64_t done = 0;
  std::uint64_t segments = 0;
  std::uint64_t rounds = 0;
  for (; done < what.steps; done += steps, ++rounds) {
    const std::uint64_t seed = what.seed + rounds;
    const auto [problems, allocations] = run_round(Round{steps / what.threads, seed, what.threads});
    for (const std::string& problem : problems)
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), problem.c_str());
    if (!problems.empty()) return 1;
    segments += allocations;
  }
  std::printf("%llu steps in %llu rounds of %zu threads, %llu driver allocations: no race\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(rounds),
              what.threads, static_cast<unsigned long long>(segments));
  return 0;
}

}  // namespace
}  // namespace vramlab::tests

int main(int count, char** words) {
  using namespace vramlab::tests;
  const bool is_mixed = count > 2 && std::string_view(words[1]) == "--mix";
  if (is_mixed && std::string_view(words[2]) != "all") {
    std::fprintf(stderr, "usage: vramlab_shim_soak [--mix all] [STEPS [SEED [THREADS]]]\n");
    return 2;
  }
  const int first = is_mixed ? 3 : 1;
  const auto number = [&](int at, std::uint64_t otherwise) {
    return count > first + at ? std::strtoull(words[first + at], nullptr, 10) : otherwise;
  };
  // The mix has more set-ups, one a round.
  const Soak what{is_mixed ? 10000U : 40000U, number(0, 1000000), number(1, 1), number(2, 4)};
  if (!is_mixed) return soak(what, run_plain);
  return soak(what, [](const Round& round) {
    MixedOutcome outcome = run_mixed({round.seed, round.steps_each, round.threads});
    return std::pair(std::move(outcome.problems), outcome.driver_allocations);
  });
}
