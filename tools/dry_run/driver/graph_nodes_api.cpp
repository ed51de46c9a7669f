// Nodes that are added to a graph one by one.
#include "tools/dry_run/driver/copy_work.h"
#include "tools/dry_run/driver/driver_call.h"
#include "tools/dry_run/driver/driver_types.h"

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
