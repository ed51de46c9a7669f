// FakeCuda: the stand-in driver of the product, in tests: with a race oracle, kernels that compute,
// a log of the calls, and calls that are made to fail.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/fake_cuda/engine/call_log.h"
#include "tests/fake_cuda/engine/fake_kernels.h"
#include "tests/fake_cuda/engine/fake_options.h"
#include "tests/fake_cuda/engine/race_oracle.h"
#include "tools/cuda_standins/model/stand_in_driver.h"

namespace vramlab::fake {

/// The watcher of the driver: oracle, log, faults and kernels.
class FakeSurroundings : public DriverWatcher {
 public:
  explicit FakeSurroundings(const FakeOptions& options);

  RaceOracle& oracle() { return oracle_; }
  CallLog& log() { return log_; }
  FaultPlan& faults() { return faults_; }
  FakeKernels& kernel_plans() { return kernels_; }
  void set_call_time(std::uint64_t mean_ns) { mean_call_ns_ = mean_ns; }

 private:
  std::uint64_t time_of_call() override;
  std::optional<CUresult> forced_answer(const char* function) override;
  void answered(const AnsweredCall& call) override;
  void use_begins(std::uint64_t work, const std::vector<MemoryUse>& uses) override;
  void use_ends(std::uint64_t work) override;
  void used_without_memory(const MemoryUse& use) override;
  void released(std::uint64_t at, std::uint64_t bytes, ReleaseKind kind) override;

  std::uint64_t mean_call_ns_;
  std::mt19937_64 random_;
  RaceOracle oracle_;
  CallLog log_;
  FaultPlan faults_;
  FakeKernels kernels_;
};

class FakeCuda final : public FakeSurroundings, public StandInDriver {
 public:
  explicit FakeCuda(const FakeOptions& options);

  template <class Body>
  auto look(const Body& body) {
    return StandInDriver::look([&](StandInDriver&) { return body(*this); });
  }

 private:
  WorkOrder plan_launch(const std::string& kernel, void** arguments,
                        std::uint32_t context) override;
};

/// The driver that the functions call. Where none was chosen, libcuda.so.1 makes one from the
/// environment; it is never destroyed, as calls may come until the process is gone. Elsewhere that
/// is a mistake.
FakeCuda& the_fake();
FakeCuda* chosen_driver();
/// For tests in this process: a driver of one's own for a while.
class ChosenDriver {
 public:
  explicit ChosenDriver(const FakeOptions& options);
  ChosenDriver(const ChosenDriver&) = delete;
  ChosenDriver& operator=(const ChosenDriver&) = delete;
  ~ChosenDriver();

  FakeCuda& operator*() { return driver_; }
  FakeCuda* operator->() { return &driver_; }

 private:
  FakeCuda driver_;
  FakeCuda* before_;
};

}  // namespace vramlab::fake
