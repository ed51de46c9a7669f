#include "streams/gpu_models.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace vramlab::streams {
namespace {

constexpr allocator::Bytes mebibytes(std::uint64_t count) { return {count << 20}; }

/// Totals as PyTorch's out-of-memory messages name them in public reports.
constexpr std::array<GpuModel, 14> models = {{
    {"t4", mebibytes(14930)},
    {"v100-16gb", mebibytes(16150)},
    {"l4", mebibytes(22560)},
    {"a10g", mebibytes(22720)},
    {"rtx4090", mebibytes(24210)},
    {"rtx3090", mebibytes(24260)},
    {"v100-32gb", mebibytes(32500)},
    {"a100-40gb", mebibytes(40330)},
    {"l40s", mebibytes(45450)},
    {"a6000", mebibytes(48670)},
    {"h100-80gb", mebibytes(81000)},
    {"a100-80gb", mebibytes(81050)},
    {"h200", mebibytes(143160)},
    {"b200", mebibytes(182630)},
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
