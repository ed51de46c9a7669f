// The long random run of the shim: vramlab_shim_soak [STEPS [SEED [THREADS]]]. Programs run beside
// each other in rounds, in every mode in turns, with expandable segments and without, under the
// race oracle. Ends with 1 at the first race, and says which round it was.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/shim/setup/shim_program.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

struct Round {
  std::uint64_t steps_each = 0;
  std::uint64_t seed = 0;
  std::size_t threads = 0;
};

struct Outcome {
  std::uint64_t races = 0;
  std::uint64_t freed_under_work = 0;
  std::uint64_t segments = 0;
  std::string first;
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

Outcome run(const Round& round) {
  ShimSetup setup(options_of(round.seed));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < round.threads; ++i)
    threads.emplace_back([&setup, &round, i] {
      setup.make_current(setup.context());
      ShimProgram(setup, round.seed * 1000 + i).run(round.steps_each);
    });
  for (std::thread& thread : threads) thread.join();
  const fake::RaceCounts races = setup.races();
  return {races.all(), races.freed_in_use_but_waited,
          setup.calls("cuMemAlloc_v2") + setup.calls("cuMemCreate"), setup.first_race()};
}

int soak(std::uint64_t steps, std::uint64_t seed, std::size_t threads) {
  constexpr std::uint64_t steps_of_a_round = 40000;
  std::uint64_t done = 0;
  std::uint64_t segments = 0;
  std::uint64_t rounds = 0;
  for (; done < steps; ++seed, ++rounds) {
    const Outcome outcome = run({steps_of_a_round / threads, seed, threads});
    if (outcome.races > 0) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), outcome.first.c_str());
      return 1;
    }
    done += steps_of_a_round;
    segments += outcome.segments;
  }
  std::printf("%llu steps in %llu rounds of %zu threads, %llu driver allocations: no race\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(rounds),
              threads, static_cast<unsigned long long>(segments));
  return 0;
}

}  // namespace
}  // namespace vramlab::tests

int main(int count, char** words) {
  const auto number = [&](int at, std::uint64_t otherwise) {
    return count > at ? std::strtoull(words[at], nullptr, 10) : otherwise;
  };
  return vramlab::tests::soak(number(1, 1000000), number(2, 1), number(3, 4));
}
