// LiveGpu through the CUDA driver, which is looked for at run time.
#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "streams/live/calibration.h"
#include "streams/live/driven_live_device.h"
#include "tools/live_gpu/live_gpu.h"

namespace vramlab::tools {
namespace {

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

class CudaGpu final : public LiveGpu {
 public:
  CudaGpu(const streams::CudaDriver& driver, streams::GpuFacts facts)
      : driver_(driver), facts_(std::move(facts)), idle_(driver_, {.device = facts_.index}) {
    const allocator::MemoryInfo now = idle_.driver_memory();
    memory_ = {now.total, now.free, now.free, now.free};
  }

  const streams::GpuFacts& facts() const override { return facts_; }
  const streams::DriverCallTimings& timings() const override { return timings_; }

  replay::DeviceSides make_device(const streams::MemoryOptions& memory) override {
    streams::LiveOptions options{.device = facts_.index, .memory_limit = memory.total};
    options.timing = {[this](const streams::DriverCall& call) { timings_.add(call); }, steady_ns};
    const auto note_and_delete = [this](const streams::DrivenLiveDevice* device) {
      memory_.least_free = std::min(memory_.least_free, device->least_free());
      delete device;
    };
    return replay::both_sides(std::shared_ptr<streams::DrivenLiveDevice>(
        std::make_unique<streams::DrivenLiveDevice>(driver_, std::move(options)).release(),
        note_and_delete));
  }

  DriverMemory memory() override {
    memory_.free_at_end = idle_.driver_memory().free;
    return memory_;
  }

  std::vector<streams::CalibratedCall> calibrate(unsigned repeats) override {
    return streams::calibrate(driver_,
                              {.device = facts_.index, .repeats = repeats, .now = steady_ns});
  }

 private:
  streams::CudaDriver driver_;
  streams::GpuFacts facts_;
  streams::DriverCallTimings timings_;
  /// Keeps the GPU's context, so that making one is no part of what is measured.
  streams::LiveDevice idle_;
  DriverMemory memory_;
};

}  // namespace

std::unique_ptr<LiveGpu> open_live_gpu(int index) {
  const auto driver = streams::open_cuda_driver();
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&driver))
    throw std::runtime_error(missing->reason);
  const auto& found = std::get<streams::CudaDriver>(driver);
  auto gpu = streams::find_gpu(found, index);
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&gpu))
    throw std::runtime_error("there is no GPU to run on: " + missing->reason);
  return std::make_unique<CudaGpu>(found, std::get<streams::GpuFacts>(std::move(gpu)));
}

}  // namespace vramlab::tools
