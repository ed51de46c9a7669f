#include "tests/fake_cuda/engine/fake_cuda.h"

#include <algorithm>
#include <atomic>

namespace vramlab::fake {
namespace {

std::atomic<FakeCuda*> chosen = nullptr;

std::vector<MemoryUse> uses_of(const fake_cuda_kernel& kernel) {
  std::vector<MemoryUse> uses;
  const std::uint32_t count = std::min<std::uint32_t>(kernel.use_count, FAKE_CUDA_MOST_USES);
  for (std::uint32_t use = 0; use < count; ++use)
    uses.push_back({kernel.uses[use].at, kernel.uses[use].bytes,
                    kernel.uses[use].writes != 0 ? UseMode::writes : UseMode::reads});
  return uses;
}

}  // namespace

FakeSurroundings::FakeSurroundings(const FakeOptions& options)
    : mean_call_ns_(options.mean_call_ns),
      random_(options.seed),
      log_(options.log_file),
      faults_(options.faults) {}

std::uint64_t FakeSurroundings::time_of_call() {
  return mean_call_ns_ == 0 ? 0 : random_() % (2 * mean_call_ns_ + 1);
}

std::optional<CUresult> FakeSurroundings::forced_answer(const char* function) {
  return faults_.next(function);
}

void FakeSurroundings::answered(const AnsweredCall& call) { log_.add(call); }

void FakeSurroundings::use_begins(std::uint64_t work, const std::vector<MemoryUse>& uses) {
  oracle_.use_begins(work, uses);
}

void FakeSurroundings::use_ends(std::uint64_t work) { oracle_.use_ends(work); }

void FakeSurroundings::used_without_memory(const MemoryUse& use) {
  oracle_.note_use_without_memory(use);
}

void FakeSurroundings::released(std::uint64_t at, std::uint64_t bytes, ReleaseKind kind) {
  oracle_.released(at, bytes, kind);
}

FakeCuda::FakeCuda(const FakeOptions& options)
    : FakeSurroundings(options), StandInDriver(options, this) {}

WorkOrder FakeCuda::plan_launch(const std::string& name, void** arguments, std::uint32_t owner) {
  fake_cuda_kernel kernel{};
  kernel_plans().plan_of(name)(arguments, &kernel);
  WorkOrder order;
  order.work.duration = {kernel.duration_ns};
  order.uses = uses_of(kernel);
  const bool runs = kernel.run != nullptr && memory().is_backed();
  if (runs || kernel.fault != 0)
    order.body = [this, kernel, owner, runs] {
      if (runs) kernel.run(kernel.storage);
      Context* const context_of_it = contexts().find_number(owner);
      if (kernel.fault != 0 && context_of_it != nullptr)
        context_of_it->sticky = static_cast<CUresult>(kernel.fault);
    };
  return order;
}

// The chosen one.

FakeCuda* chosen_driver() { return chosen.load(); }

ChosenDriver::ChosenDriver(const FakeOptions& options)
    : driver_(options), before_(chosen.exchange(&driver_)) {}

ChosenDriver::~ChosenDriver() { chosen.store(before_); }

}  // namespace vramlab::fake
