// The answers of PyTorch's own functions about its allocator, as JSON in their shape.
#pragma once

#include <map>
#include <string>

#include "tools/pytorch/torch_devices.h"

namespace vramlab::pytorch {

/// As torch.cuda.memory_stats().
std::string statistics_json(const StatisticValues& values, const Settings& settings);
/// As torch.cuda.memory._snapshot().
std::string snapshot_json(const std::map<int, TorchDevice*>& devices);
std::string segment_counts_json(const SegmentCounts& counts);

}  // namespace vramlab::pytorch
