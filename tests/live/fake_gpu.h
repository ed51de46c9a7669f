// FakeGpu: the fake driver of a test, as the table of functions that live parts call.
#pragma once

#include <stdexcept>

#include "streams/live/driver_session.h"
#include "tests/fake_cuda/engine/fake_cuda.h"
#include "tools/cuda_standins/driver/driver_functions.h"

namespace vramlab::tests {

class FakeGpu {
 public:
  explicit FakeGpu(std::uint64_t memory_bytes, fake::FreeRule free_rule = {})
      : fake_(options_of(memory_bytes, free_rule)) {
    auto found = streams::find_cuda_driver(
        [](const char* symbol) { return fake::find_symbol(symbol, 13000); });
    driver_ = std::get<streams::CudaDriver>(found);
    if (!std::holds_alternative<streams::GpuFacts>(streams::find_gpu(driver_, 0)))
      throw std::runtime_error("the fake driver has a GPU");
  }

  const streams::CudaDriver& driver() const { return driver_; }
  fake::FakeCuda& fake() { return *fake_; }
  /// The function's next call answers this, then all is well again.
  void fail_once(const char* function, CUresult result) {
    fake_->look([&](fake::FakeCuda& fake) { fake.faults().add({function, result, 0, 1}); });
  }

 private:
  static fake::FakeOptions options_of(std::uint64_t memory_bytes, fake::FreeRule free_rule) {
    fake::FakeOptions options;
    options.memory_bytes = memory_bytes;
    options.free_rule = free_rule;
    return options;
  }

  fake::ChosenDriver fake_;
  streams::CudaDriver driver_;
};

}  // namespace vramlab::tests
