#include "tests/shim/mix/mixed_round.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>

#include "tests/shim/mix/mixed_program.h"

namespace vramlab::tests {
namespace {

/// Far more than a step takes on a machine that has much else to do.
constexpr int stuck_after_s = 300;

/// Tells when a thread makes no step any more.
class StepWatch {
 public:
  explicit StepWatch(std::size_t threads) : threads_(threads) {}

  void made_step(std::size_t thread) { ++threads_[thread].steps; }
  void ended() {
    const std::lock_guard lock(mutex_);
    ++ended_;
    has_ended_.notify_one();
  }
  void wait_for_all(std::uint64_t seed) {
    std::unique_lock lock(mutex_);
    while (!has_ended_.wait_for(lock, std::chrono::seconds(1),
                                [this] { return ended_ == threads_.size(); }))
      for (std::size_t i = 0; i < threads_.size(); ++i) look_at(threads_[i], i, seed);
  }

 private:
  struct Thread {
    std::atomic<std::uint64_t> steps = 0;
    std::uint64_t seen = 0;
    int seconds = 0;
  };
  static void look_at(Thread& thread, std::size_t number, std::uint64_t seed) {
    const std::uint64_t steps = thread.steps;
    thread.seconds = steps == thread.seen ? thread.seconds + 1 : 0;
    thread.seen = steps;
    if (thread.seconds < stuck_after_s) return;
    std::fprintf(stderr, "seed %llu: thread %zu is stuck after %llu steps\n",
                 static_cast<unsigned long long>(seed), number,
                 static_cast<unsigned long long>(steps));
    std::abort();
  }

  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::size_t ended_ = 0;
  std::deque<Thread> threads_;
};

void run_threads(MixedSetup& setup, const MixedRound& round) {
  StepWatch watch(round.threads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < round.threads; ++i)
    threads.emplace_back([&setup, &round, &watch, i] {
      setup.enter(*setup.places().front());
      {
        MixedProgram program(setup, round.seed * 1000 + i);
        for (std::uint64_t step = 0; step < round.steps_each; ++step) {
          program.step();
          watch.made_step(i);
        }
      }
      watch.ended();
    });
  watch.wait_for_all(round.seed);
  for (std::thread& thread : threads) thread.join();
}

void give_all_back(MixedSetup& setup) {
  setup.fake()->look([](fake::FakeCuda& cuda) { cuda.faults().clear(); });
  while (const std::optional<MixedBlock> block = setup.receive()) {
    setup.enter(*block->home);
    setup.expect(setup.free(block->at), "cuMemFree");
  }
  for (const auto& place : setup.places()) {
    setup.enter(*place);
    setup.expect(setup.driver().context_synchronize(), "cuCtxSynchronize");
  }
}

void check_arenas(MixedSetup& setup) {
  setup.shim().arenas()->for_each([&](shim::Arena& arena) {
    if (arena.context().error() != CUDA_SUCCESS)
      setup.note_problem("a context keeps the error " +
                         streams::driver_error_name(setup.driver(), arena.context().error()));
    arena.look_at([&](shim::BlockCache& cache) {
      if (cache.statistics().allocation.all.current != 0)
        setup.note_problem("the shim holds blocks that the program freed");
    });
  });
  if (setup.shim().arenas()->gate().is_capturing())
    setup.note_problem("the shim waits for the end of a capture that is over");
}

/// Idle memory serves requests of any context: one of them asks for all memory of a device at once.
void check_that_idle_memory_serves_all(MixedSetup& setup) {
  const std::size_t most = setup.fake()->options().memory_bytes;
  for (const auto& place : setup.places()) {
    setup.enter(*place);
    CUdeviceptr at = 0;
    const CUresult result = setup.try_alloc(&at, most);
    if (result != CUDA_SUCCESS)
      setup.note_problem("idle memory does not serve a large request: " +
                         streams::driver_error_name(setup.driver(), result));
    else
      setup.expect(setup.free(at), "cuMemFree");
  }
}

void check_that_nothing_is_left(MixedSetup& setup) {
  setup.shim().trim();
  for (std::uint32_t device = 0; device < 2; ++device) {
    const auto info =
        setup.fake()->look([device](fake::FakeCuda& cuda) { return cuda.memory().info(device); });
    if (info.free != info.total)
      setup.note_problem(std::to_string(info.total.count - info.free.count) + " bytes of device " +
                         std::to_string(device) + " are leaked");
  }
}

/// Each event that was made and not destroyed is kept by somebody who will use it again.
void check_events(MixedSetup& setup) {
  std::size_t kept = 0;
  setup.shim().arenas()->for_each([&kept](shim::Arena& arena) { kept += arena.event_count(); });
  const std::size_t all =
      setup.fake()->look([](fake::FakeCuda& cuda) { return cuda.streams().event_count(); });
  if (all != kept)
    setup.note_problem(std::to_string(all) + " events are there, and the shim knows of " +
                       std::to_string(kept));
}

void check_races(MixedSetup& setup) {
  if (setup.races().all() > 0) setup.note_problem("a race: " + setup.first_race());
}

}  // namespace

MixedOutcome run_mixed(const MixedRound& round, MixedOptions options) {
  MixedSetup setup(std::move(options));
  run_threads(setup, round);
  give_all_back(setup);
  check_that_idle_memory_serves_all(setup);
  check_that_nothing_is_left(setup);
  check_arenas(setup);
  check_events(setup);
  check_races(setup);
  MixedOutcome outcome{setup.problems()};
  outcome.driver_calls =
      setup.fake()->look([](fake::FakeCuda& cuda) { return cuda.log().count(); });
  outcome.driver_allocations = setup.calls("cuMemAlloc_v2") + setup.calls("cuMemCreate");
  return outcome;
}

}  // namespace vramlab::tests
