#include "tools/cli/commands/live/live_gpu.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "streams/live/calibration.h"

namespace vramlab::tools {
namespace {

std::uint64_t steady_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

streams::CudaDriver open_driver() {
  const auto driver = streams::open_cuda_driver();
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&driver))
    throw std::runtime_error(missing->reason);
  return std::get<streams::CudaDriver>(driver);
}

streams::GpuFacts facts_of_gpu(const streams::CudaDriver& driver, int index) {
  auto gpu = streams::find_gpu(driver, index);
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&gpu))
    throw std::runtime_error("there is no GPU to run on: " + missing->reason);
  return std::get<streams::GpuFacts>(std::move(gpu));
}

}  // namespace

LiveGpu::LiveGpu(int index)
    : driver_(open_driver()),
      facts_(facts_of_gpu(driver_, index)),
      idle_(driver_, {.device = index}) {
  const allocator::MemoryInfo now = idle_.driver_memory();
  memory_ = {now.total, now.free, now.free, now.free};
}

replay::DeviceSides LiveGpu::make_device(const streams::MemoryOptions& memory) {
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

DriverMemory LiveGpu::memory() {
  memory_.free_at_end = idle_.driver_memory().free;
  return memory_;
}

std::vector<streams::DriverCallRow> LiveGpu::calibrate(unsigned repeats) const {
  return streams::calibrate(driver_,
                            {.device = facts_.index, .repeats = repeats, .now = steady_ns});
}

}  // namespace vramlab::tools
