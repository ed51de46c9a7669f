// Nodes that are added to a graph one by one.
#include <cstring>

#include "tools/cuda_standins/driver/copy_work.h"
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/model/graph_memory.h"

using namespace vramlab::dry_run;
using vramlab::streams::WorkKind;

namespace {

struct NodeWish {
  CUgraphNode* node;
  CUgraph graph;
  const CUgraphNode* after;
  std::size_t count;
};

WorkOrder order_of(WorkKind kind, std::uint64_t ns) {
  WorkOrder order;
  order.work.kind = kind;
  order.work.duration = {ns};
  return order;
}

CUresult add(StandInDriver& driver, const NodeWish& wish, WorkOrder order) {
  if (wish.node == nullptr || (wish.after == nullptr && wish.count > 0))
    return CUDA_ERROR_INVALID_VALUE;
  const auto made =
      driver.graphs().add_node(value_of(wish.graph), std::move(order), {wish.after, wish.count});
  if (!made) return CUDA_ERROR_INVALID_VALUE;
  *wish.node = handle_of<CUgraphNode>(*made);
  return CUDA_SUCCESS;
}

CUresult add_plain(const char* name, const NodeWish& wish, WorkKind kind, std::uint64_t ns) {
  const auto body = [=](StandInDriver& driver) { return add(driver, wish, order_of(kind, ns)); };
  return driver_call({name, initialised}, body, wish.graph);
}

CUresult add_allocation(StandInDriver& driver, const NodeWish& wish,
                        CUDA_MEM_ALLOC_NODE_PARAMS* what) {
  if (what == nullptr || what->bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!has_device(driver, what->poolProps.location.id)) return CUDA_ERROR_INVALID_DEVICE;
  const auto device = static_cast<std::uint32_t>(what->poolProps.location.id);
  auto made = new_graph_memory(driver.memory(), device, what->bytesize);
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = add(driver, wish, std::move(made->order));
  if (result == CUDA_SUCCESS) what->dptr = made->at;
  return result;
}

CUresult add_free(StandInDriver& driver, const NodeWish& wish, CUdeviceptr at) {
  const Allocation* const found = driver.memory().find(at);
  if (found == nullptr || found->at != at || found->kind != MemoryKind::graph)
    return CUDA_ERROR_INVALID_VALUE;
  return add(driver, wish, order_of(WorkKind::kernel, 0));
}

/// Those that own a union's place in `reserved1`.
CUresult add_any(StandInDriver& driver, const NodeWish& wish, CUgraphNodeParams* what) {
  if (what == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr at = 0;
  switch (what->type) {
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return add_allocation(driver, wish,
                            reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS*>(what->reserved1));
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      std::memcpy(&at, what->reserved1, sizeof at);
      return add_free(driver, wish, at);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return add(driver, wish, order_of(WorkKind::kernel, 0));
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult call_add_any(const char* name, const NodeWish& wish, CUgraphNodeParams* what) {
  const auto body = [=](StandInDriver& driver) { return add_any(driver, wish, what); };
  return driver_call({name, context}, body, wish.graph);
}

CUresult add_kernel(const char* name, const NodeWish& wish) {
  const auto body = [=](StandInDriver& driver) {
    return add(driver, wish, driver.plan_launch("a graph's kernel", nullptr));
  };
  return driver_call({name, context}, body, wish.graph);
}

}  // namespace

STAND_IN_CALL(cuGraphAddKernelNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 const void* /*parameters*/) {
  return add_kernel("cuGraphAddKernelNode", {node, graph, after, count});
}
STAND_IN_CALL(cuGraphAddKernelNode_v2)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 const void* /*parameters*/) {
  return add_kernel("cuGraphAddKernelNode_v2", {node, graph, after, count});
}
STAND_IN_CALL(cuGraphAddMemcpyNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 const CUDA_MEMCPY3D* /*copy*/, CUcontext /*of*/) {
  return add_plain("cuGraphAddMemcpyNode", {node, graph, after, count}, WorkKind::copy_on_device,
                   copy_start_ns);
}
STAND_IN_CALL(cuGraphAddMemsetNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 const void* /*parameters*/, CUcontext /*of*/) {
  return add_plain("cuGraphAddMemsetNode", {node, graph, after, count}, WorkKind::memset,
                   copy_start_ns);
}
STAND_IN_CALL(cuGraphAddEmptyNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count) {
  return add_plain("cuGraphAddEmptyNode", {node, graph, after, count}, WorkKind::kernel, 0);
}
STAND_IN_CALL(cuGraphAddMemAllocNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 CUDA_MEM_ALLOC_NODE_PARAMS* what) {
  const auto body = [=](StandInDriver& driver) {
    return add_allocation(driver, {node, graph, after, count}, what);
  };
  return driver_call({"cuGraphAddMemAllocNode", context}, body, graph);
}
STAND_IN_CALL(cuGraphAddMemFreeNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    return add_free(driver, {node, graph, after, count}, at);
  };
  return driver_call({"cuGraphAddMemFreeNode", context}, body, graph, at);
}
STAND_IN_CALL(cuGraphAddNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 CUgraphNodeParams* what) {
  return call_add_any("cuGraphAddNode", {node, graph, after, count}, what);
}
STAND_IN_CALL(cuGraphAddNode_v2)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* /*edges*/,
 std::size_t count, CUgraphNodeParams* what) {
  return call_add_any("cuGraphAddNode_v2", {node, graph, after, count}, what);
}
STAND_IN_CALL(cuGraphAddNode_v3)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, const CUgraphEdgeData* /*edges*/,
 std::size_t count, CUgraphNodeParams* what) {
  return call_add_any("cuGraphAddNode_v3", {node, graph, after, count}, what);
}
namespace {
struct HostNode {
  CUhostFn function;
  void* argument;
};
}  // namespace
STAND_IN_CALL(cuGraphAddHostNode)
(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t count,
 const HostNode* host) {
  const auto body = [=](StandInDriver& driver) {
    if (host == nullptr || host->function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    WorkOrder order = order_of(WorkKind::host_function, 0);
    order.body = [wanted = *host] { wanted.function(wanted.argument); };
    return add(driver, {node, graph, after, count}, std::move(order));
  };
  return driver_call({"cuGraphAddHostNode", initialised}, body, graph);
}
