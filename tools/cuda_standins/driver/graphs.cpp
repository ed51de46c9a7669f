// Graphs: made, filled with nodes, asked about, made executable and launched.
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include "tools/cuda_standins/driver/copies.h"
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/model/driver_graphs.h"

using namespace vramlab::dry_run;
using vramlab::streams::CapturedGraph;
using vramlab::streams::CapturedNode;
using vramlab::streams::StreamAt;
using vramlab::streams::WorkKind;

namespace {

CUresult on_cuGraphLaunch(const CallSite& site, CUgraphExec graph, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    const CapturedGraph* const launched = driver.graphs().find(value_of(graph));
    if (launched == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const StreamAt at = std::get<StreamAt>(found);
    driver.pass_submit_time();
    driver.remembered().forget_all();
    driver.watched().note_write_anywhere();
    driver.keep_up(at, launched->nodes.size());
    return driver.graphs().launch(value_of(graph), at);
  };
  return driver_call(site, body, graph, stream);
}

CUresult on_cuGraphUpload(const CallSite& site, CUgraphExec /*graph*/, CUstream /*stream*/) {
  return accept(site.name);
}

CUresult instantiate(const char* name, CUgraphExec* made, CUgraph graph,
                     unsigned long long flags = 0) {
  constexpr unsigned long long auto_free_on_launch = 1;
  const AutoFree auto_free =
      (flags & auto_free_on_launch) != 0 ? AutoFree::on_launch : AutoFree::no;
  const auto body = [=](StandInDriver& driver) {
    const auto handle = driver.graphs().instantiate(value_of(graph), auto_free);
    if (made == nullptr || !handle) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<CUgraphExec>(*handle);
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, graph);
}

CUresult update(const char* name, CUgraphExec executable, CUgraph graph) {
  const auto body = [=](StandInDriver& driver) {
    return refuse_unless(driver.graphs().update(value_of(executable), value_of(graph)));
  };
  return driver_call({name, context}, body, executable, graph);
}

/// Fills as many as there is room for. Without a place for them, only their number is told.
CUresult give_nodes(CUgraphNode* nodes, std::size_t* count, const std::vector<std::uint64_t>& all) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t place = 0; nodes != nullptr && place < *count; ++place)
    nodes[place] = place < all.size() ? handle_of<CUgraphNode>(all[place]) : nullptr;
  if (nodes == nullptr || *count > all.size()) *count = all.size();
  return CUDA_SUCCESS;
}

/// Nodes of a graph for which `belongs` holds.
template <class Belongs>
CUresult nodes_of(const char* name, CUgraph graph, std::pair<CUgraphNode*, std::size_t*> outputs,
                  const Belongs& belongs) {
  const auto body = [=](StandInDriver& driver) {
    const CapturedGraph* const known = driver.graphs().find(value_of(graph));
    if (known == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::vector<std::uint64_t> nodes;
    for (std::uint32_t place = 0; place < known->nodes.size(); ++place)
      if (belongs(known->nodes[place]))
        nodes.push_back(DriverGraphs::node_handle({value_of(graph), place}));
    return give_nodes(outputs.first, outputs.second, nodes);
  };
  return driver_call({name, initialised}, body, graph);
}

CUresult edges_of(const char* name, CUgraph graph, std::pair<CUgraphNode*, CUgraphNode*> ends,
                  std::size_t* count) {
  const auto body = [=](StandInDriver& driver) {
    const CapturedGraph* const known = driver.graphs().find(value_of(graph));
    if (known == nullptr || count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::size_t room = *count;
    std::vector<std::uint64_t> from;
    std::vector<std::uint64_t> to;
    for (std::uint32_t place = 0; place < known->nodes.size(); ++place)
      for (const std::uint32_t before : known->nodes[place].after) {
        from.push_back(DriverGraphs::node_handle({value_of(graph), before}));
        to.push_back(DriverGraphs::node_handle({value_of(graph), place}));
      }
    give_nodes(ends.first, &room, from);
    return give_nodes(ends.second, count, to);
  };
  return driver_call({name, initialised}, body, graph);
}

CUresult dependencies(const char* name, CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  const auto body = [=](StandInDriver& driver) {
    std::vector<std::uint64_t> found;
    if (const CapturedNode* const known = driver.graphs().find_node(value_of(node))) {
      for (const std::uint32_t before : known->after)
        found.push_back(
            DriverGraphs::node_handle({DriverGraphs::place_of(value_of(node)).graph, before}));
    } else {
      for (const auto& before : driver.timed().dependencies_of({value_of(node)}))
        found.push_back(before.value);
    }
    return give_nodes(nodes, count, found);
  };
  return driver_call({name, initialised}, body, node);
}

CUgraphNodeType type_of(const CapturedNode& node) {
  using vramlab::streams::EventUse;
  if (node.external.use == EventUse::record) return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  if (node.external.use == EventUse::wait) return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  switch (node.work.kind) {
    case WorkKind::copy_to_device:
    case WorkKind::copy_to_host:
    case WorkKind::copy_on_device:
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    case WorkKind::memset:
      return CU_GRAPH_NODE_TYPE_MEMSET;
    case WorkKind::host_function:
      return CU_GRAPH_NODE_TYPE_HOST;
    default:
      return CU_GRAPH_NODE_TYPE_KERNEL;
  }
}

bool is_any(const CapturedNode& /*node*/) { return true; }
bool is_root(const CapturedNode& node) { return node.after.empty(); }

}  // namespace

STAND_IN_CALL(cuGraphCreate)(CUgraph* made, unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<CUgraph>(driver.graphs().create());
    return CUDA_SUCCESS;
  };
  return driver_call({"cuGraphCreate", initialised}, body);
}
STAND_IN_CALL(cuGraphClone)(CUgraph* made, CUgraph graph) {
  const auto body = [=](StandInDriver& driver) {
    const auto copy = driver.graphs().clone(value_of(graph));
    if (made == nullptr || !copy) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<CUgraph>(*copy);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuGraphClone", initialised}, body, graph);
}
STAND_IN_CALL(cuGraphDestroy)(CUgraph graph) {
  const auto body = [=](StandInDriver& driver) {
    return refuse_unless(driver.graphs().destroy(value_of(graph)));
  };
  return driver_call({"cuGraphDestroy", initialised}, body, graph);
}
STAND_IN_CALL(cuGraphInstantiate)
(CUgraphExec* made, CUgraph graph, CUgraphNode* /*failed*/, char* /*log*/, std::size_t /*room*/) {
  return instantiate("cuGraphInstantiate", made, graph);
}
STAND_IN_CALL(cuGraphInstantiate_v2)
(CUgraphExec* made, CUgraph graph, CUgraphNode* /*failed*/, char* /*log*/, std::size_t /*room*/) {
  return instantiate("cuGraphInstantiate_v2", made, graph);
}
STAND_IN_CALL(cuGraphInstantiateWithFlags)
(CUgraphExec* made, CUgraph graph, unsigned long long flags) {
  return instantiate("cuGraphInstantiateWithFlags", made, graph, flags);
}
namespace {
/// The parameters' first members are inputs; only the last says how it went.
CUresult on_cuGraphInstantiateWithParams(const CallSite& site, CUgraphExec* made, CUgraph graph,
                                         CUDA_GRAPH_INSTANTIATE_PARAMS* how) {
  const CUresult result = instantiate(site.name, made, graph, how == nullptr ? 0 : how->flags);
  if (result == CUDA_SUCCESS && how != nullptr) {
    how->hErrNode_out = nullptr;
    how->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  }
  return result;
}
}  // namespace
STAND_IN_TWINS(cuGraphInstantiateWithParams, _ptsz, context,
               (CUgraphExec * made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* how), made, graph,
               how)
STAND_IN_CALL(cuGraphExecUpdate)
(CUgraphExec executable, CUgraph graph, CUgraphNode* failed, unsigned* result) {
  if (failed != nullptr) *failed = nullptr;
  if (result != nullptr) *result = 0;
  return update("cuGraphExecUpdate", executable, graph);
}
namespace {
struct UpdateResult {
  unsigned result;
  CUgraphNode failed_node;
  CUgraphNode failed_from;
};
}  // namespace
STAND_IN_CALL(cuGraphExecUpdate_v2)(CUgraphExec executable, CUgraph graph, UpdateResult* result) {
  if (result != nullptr) *result = {};
  return update("cuGraphExecUpdate_v2", executable, graph);
}
STAND_IN_CALL(cuGraphExecDestroy)(CUgraphExec graph) {
  const auto body = [=](StandInDriver& driver) {
    if (driver.graphs().find(value_of(graph)) == nullptr) return refuse_unless(false);
    if (const CUresult refused = driver.check_unsafe_call(); refused != CUDA_SUCCESS)
      return refused;
    return refuse_unless(driver.graphs().destroy(value_of(graph)));
  };
  return driver_call({"cuGraphExecDestroy", initialised}, body, graph);
}
STAND_IN_CALL(cuGraphExecGetFlags)(CUgraphExec graph, cuuint64_t* flags) {
  const auto body = [=](StandInDriver& driver) { return give(driver, flags, 0); };
  return driver_call({"cuGraphExecGetFlags", initialised}, body, graph);
}
STAND_IN_TWINS(cuGraphUpload, _ptsz, context, (CUgraphExec graph, CUstream stream), graph, stream)
STAND_IN_TWINS(cuGraphLaunch, _ptsz, context, (CUgraphExec graph, CUstream stream), graph, stream)

STAND_IN_CALL(cuGraphGetNodes)(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return nodes_of("cuGraphGetNodes", graph, {nodes, count}, is_any);
}
STAND_IN_CALL(cuGraphGetRootNodes)(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  return nodes_of("cuGraphGetRootNodes", graph, {nodes, count}, is_root);
}
STAND_IN_CALL(cuGraphGetEdges)
(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  return edges_of("cuGraphGetEdges", graph, {from, to}, count);
}
STAND_IN_CALL(cuGraphGetEdges_v2)
(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, std::size_t* count) {
  const CUresult result = edges_of("cuGraphGetEdges_v2", graph, {from, to}, count);
  for (std::size_t place = 0; result == CUDA_SUCCESS && data != nullptr && place < *count; ++place)
    data[place] = {};
  return result;
}
STAND_IN_CALL(cuGraphNodeGetDependencies)
(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
  return dependencies("cuGraphNodeGetDependencies", node, nodes, count);
}
STAND_IN_CALL(cuGraphNodeGetDependencies_v2)
(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* /*data*/, std::size_t* count) {
  return dependencies("cuGraphNodeGetDependencies_v2", node, nodes, count);
}
STAND_IN_CALL(cuGraphNodeGetType)(CUgraphNode node, CUgraphNodeType* type) {
  const auto body = [=](StandInDriver& driver) {
    const CapturedNode* const known = driver.graphs().find_node(value_of(node));
    return known == nullptr ? CUDA_ERROR_INVALID_VALUE : give(driver, type, type_of(*known));
  };
  return driver_call({"cuGraphNodeGetType", initialised}, body, node);
}
namespace {

const char* name_of(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return "MEMCPY";
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return "MEMSET";
    case CU_GRAPH_NODE_TYPE_HOST:
      return "HOST";
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return "WAIT_EVENT";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return "EVENT_RECORD";
    default:
      return "KERNEL";
  }
}

/// The kinds of its nodes, and what each waits for.
std::string drawing_of(const CapturedGraph& graph) {
  std::string text = "digraph dry_run {\n";
  for (std::size_t place = 0; place < graph.nodes.size(); ++place) {
    const std::string node = "node_" + std::to_string(place);
    text += node + " [shape=box label=\"" + std::to_string(place) + "\\n" +
            name_of(type_of(graph.nodes[place])) + "\"];\n";
    for (const std::uint32_t before : graph.nodes[place].after)
      text += "node_" + std::to_string(before) + " -> " + node + ";\n";
  }
  return text + "}\n";
}

}  // namespace

STAND_IN_CALL(cuGraphDebugDotPrint)(CUgraph graph, const char* path, unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    const CapturedGraph* const known = driver.graphs().find(value_of(graph));
    if (path == nullptr || known == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const bool is_written = std::fputs(drawing_of(*known).c_str(), file) >= 0;
    return refuse_unless(std::fclose(file) == 0 && is_written);
  };
  return driver_call({"cuGraphDebugDotPrint", initialised}, body, graph);
}

// Objects that graphs keep alive. A graph here keeps none: they live as long as the process.
STAND_IN_CALL(cuUserObjectCreate)
(CUuserObject* made, void* object, CUhostFn /*destroy*/, unsigned /*count*/, unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<CUuserObject>(driver.streams().take_handle());
    return CUDA_SUCCESS;
  };
  return driver_call({"cuUserObjectCreate", initialised}, body, object);
}
STAND_IN_CALL(cuUserObjectRetain)(CUuserObject /*object*/, unsigned /*count*/) {
  return accept("cuUserObjectRetain");
}
STAND_IN_CALL(cuUserObjectRelease)(CUuserObject /*object*/, unsigned /*count*/) {
  return accept("cuUserObjectRelease");
}
STAND_IN_CALL(cuGraphRetainUserObject)
(CUgraph /*graph*/, CUuserObject /*object*/, unsigned /*count*/, unsigned /*flags*/) {
  return accept("cuGraphRetainUserObject");
}
STAND_IN_CALL(cuGraphReleaseUserObject)
(CUgraph /*graph*/, CUuserObject /*object*/, unsigned /*count*/) {
  return accept("cuGraphReleaseUserObject");
}

// Nodes that are added to a graph one by one.

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

bool is_possible(StandInDriver& driver, const NodeWish& wish) {
  if (wish.node == nullptr || (wish.after == nullptr && wish.count > 0)) return false;
  return driver.graphs().takes_node(value_of(wish.graph), {wish.after, wish.count});
}

CUresult add(StandInDriver& driver, const NodeWish& wish, WorkOrder order) {
  if (!is_possible(driver, wish)) return CUDA_ERROR_INVALID_VALUE;
  *wish.node = handle_of<CUgraphNode>(
      driver.graphs().add_node(value_of(wish.graph), std::move(order), {wish.after, wish.count}));
  return CUDA_SUCCESS;
}

CUresult add_launch(StandInDriver& driver, const NodeWish& wish) {
  return add(driver, wish, driver.plan_launch("a graph's kernel", nullptr));
}

CUresult add_plain(const char* name, const NodeWish& wish, WorkKind kind, std::uint64_t ns) {
  const auto body = [=](StandInDriver& driver) { return add(driver, wish, order_of(kind, ns)); };
  return driver_call({name, initialised}, body, wish.graph);
}

CUresult add_allocation(StandInDriver& driver, const NodeWish& wish,
                        CUDA_MEM_ALLOC_NODE_PARAMS* what) {
  if (what == nullptr || what->bytesize == 0 || !is_possible(driver, wish))
    return CUDA_ERROR_INVALID_VALUE;
  if (!has_device(driver, what->poolProps.location.id)) return CUDA_ERROR_INVALID_DEVICE;
  const auto device = static_cast<std::uint32_t>(what->poolProps.location.id);
  const std::uint64_t graph = value_of(wish.graph);
  const auto behind = driver.graphs().places_before(graph, {wish.after, wish.count});
  auto made = driver.graph_memory().allocate(driver.graphs().next_place(graph), behind,
                                             {device, what->bytesize});
  if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = add(driver, wish, std::move(made->order));
  if (result == CUDA_SUCCESS) what->dptr = made->at;
  return result;
}

CUresult add_free(StandInDriver& driver, const NodeWish& wish, CUdeviceptr at) {
  const Allocation* const found = driver.memory().find(at);
  if (found == nullptr || found->at != at || found->kind != MemoryKind::graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (!is_possible(driver, wish)) return CUDA_ERROR_INVALID_VALUE;
  auto freed = driver.graph_memory().free_in(driver.graphs().next_place(value_of(wish.graph)), at);
  return freed ? add(driver, wish, std::move(*freed)) : CUDA_ERROR_INVALID_VALUE;
}

/// Adds a node of the kinds whose parameters lie in the union `reserved1`.
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
    // The same as the functions for one kind of node make.
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return add_launch(driver, wish);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return add(driver, wish, order_of(WorkKind::copy_on_device, copy_start_ns));
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return add(driver, wish, order_of(WorkKind::memset, copy_start_ns));
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult call_add_any(const char* name, const NodeWish& wish, CUgraphNodeParams* what) {
  const auto body = [=](StandInDriver& driver) { return add_any(driver, wish, what); };
  return driver_call({name, context}, body, wish.graph);
}

CUresult add_kernel(const char* name, const NodeWish& wish) {
  const auto body = [=](StandInDriver& driver) { return add_launch(driver, wish); };
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
    return add(driver, {node, graph, after, count},
               driver.host_function([wanted = *host] { wanted.function(wanted.argument); }));
  };
  return driver_call({"cuGraphAddHostNode", initialised}, body, graph);
}

// The memory that a device keeps for its graphs.

namespace {

/// In CUgraphMem_attribute's order.
constexpr std::uint64_t GraphMemoryFigures::* graph_figures[] = {
    &GraphMemoryFigures::used, &GraphMemoryFigures::most_used, &GraphMemoryFigures::reserved,
    &GraphMemoryFigures::most_reserved};

/// `body` gets the driver's memory of graphs and the device's number.
template <class Body>
CUresult graph_memory_call(const char* name, CUdevice device, const Body& body) {
  const auto checked = [&](StandInDriver& driver) {
    if (!has_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
    return body(driver.graph_memory(), static_cast<std::uint32_t>(device));
  };
  return driver_call({name, initialised}, checked, device);
}

}  // namespace

STAND_IN_CALL(cuDeviceGraphMemTrim)(CUdevice device) {
  return graph_memory_call("cuDeviceGraphMemTrim", device,
                           [](GraphMemory& memory, std::uint32_t of) {
                             memory.trim(of);
                             return CUDA_SUCCESS;
                           });
}
STAND_IN_CALL(cuDeviceGetGraphMemAttribute)
(CUdevice device, unsigned attribute, void* value) {
  return graph_memory_call("cuDeviceGetGraphMemAttribute", device,
                           [=](GraphMemory& memory, std::uint32_t of) {
                             if (value == nullptr || attribute >= std::size(graph_figures))
                               return CUDA_ERROR_INVALID_VALUE;
                             return put(value, memory.figures(of).*graph_figures[attribute]);
                           });
}
/// Only the peaks can be set, and only to what is there now.
STAND_IN_CALL(cuDeviceSetGraphMemAttribute)
(CUdevice device, unsigned attribute, void* /*value*/) {
  return graph_memory_call(
      "cuDeviceSetGraphMemAttribute", device, [=](GraphMemory& memory, std::uint32_t of) {
        if (attribute != 1 && attribute != 3) return CUDA_ERROR_INVALID_VALUE;
        GraphMemoryFigures& figures = memory.figures(of);
        figures.*graph_figures[attribute] = figures.*graph_figures[attribute - 1];
        return CUDA_SUCCESS;
      });
}
