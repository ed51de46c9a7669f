#include "tools/cuda_standins/model/graph_memory.h"

#include <memory>

namespace vramlab::dry_run {
namespace {

class GraphBlock {
 public:
  GraphBlock(DeviceMemory& memory, const Allocation& allocation)
      : memory_(memory), allocation_(allocation) {}
  GraphBlock(const GraphBlock&) = delete;
  GraphBlock& operator=(const GraphBlock&) = delete;
  ~GraphBlock() {
    if (taken_) memory_.give_back(allocation_.device, *taken_);
    memory_.release(allocation_.at);
  }

  bool take() {
    if (!taken_) taken_ = memory_.take(allocation_.device, allocation_.bytes);
    return taken_.has_value();
  }

 private:
  DeviceMemory& memory_;
  Allocation allocation_;
  std::optional<std::uint64_t> taken_;
};

}  // namespace

std::optional<NewGraphMemory> new_graph_memory(DeviceMemory& memory, std::uint32_t device,
                                               std::uint64_t bytes) {
  Allocation wish{.bytes = bytes, .kind = MemoryKind::graph, .device = device};
  const auto at = memory.allocate(wish);
  if (!at) return std::nullopt;
  wish.at = *at;
  NewGraphMemory made{*at, {}};
  made.order.work.kind = streams::WorkKind::kernel;
  made.order.before_launch = [block = std::make_shared<GraphBlock>(memory, wish)] {
    return block->take();
  };
  return made;
}

}  // namespace vramlab::dry_run
