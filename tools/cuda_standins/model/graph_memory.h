// Memory of a graph: the address is fixed when the node that allocates is made, and the memory is
// there from the first launch until graph and executable are gone.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/cuda_standins/model/device_memory.h"
#include "tools/cuda_standins/model/driver_watcher.h"

namespace vramlab::dry_run {

struct NewGraphMemory {
  std::uint64_t at = 0;
  /// What the node does. It keeps the address.
  WorkOrder order;
};

/// Empty where there are no addresses left.
std::optional<NewGraphMemory> new_graph_memory(DeviceMemory& memory, std::uint32_t device,
                                               std::uint64_t bytes);

}  // namespace vramlab::dry_run
