#include "streams/device/gpu_models.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vramlab::streams {
namespace {

constexpr std::string_view from_reports = "public out-of-memory reports of PyTorch, which name it";
constexpr std::string_view estimate = "estimate";
/// For cuMemGetAllocationGranularity, and for how cudaMalloc rounds.
constexpr std::string_view from_guide = "CUDA documentation";

constexpr GpuModel model(std::string_view name, std::uint64_t total_mib,
                         std::uint64_t context_mib) {
  return {name,         mebibytes(total_mib), mebibytes(context_mib),
          mebibytes(2), from_reports,         estimate,
          from_guide};
}

constexpr std::array<GpuModel, 14> models = {{
    model("t4", 14930, 300),
    model("v100-16gb", 16150, 400),
    model("l4", 22560, 400),
    model("a10g", 22720, 400),
    model("rtx4090", 24210, 400),
    model("rtx3090", 24260, 400),
    model("v100-32gb", 32500, 400),
    model("a100-40gb", 40330, 500),
    model("l40s", 45450, 500),
    model("a6000", 48670, 400),
    model("h100-80gb", 81000, 600),
    model("a100-80gb", 81050, 500),
    model("h200", 143160, 600),
    model("b200", 182630, 700),
}};

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::span<const GpuModel> gpu_models() { return models; }

const GpuModel* find_gpu(std::string_view name) {
  const auto found =
      std::ranges::find_if(models, [name](const GpuModel& gpu) { return is_same(gpu.name, name); });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace vramlab::streams
