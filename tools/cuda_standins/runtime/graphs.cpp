// CUDA's runtime: graphs, their nodes, the objects that they keep, and graphs that run.
#include "tools/cuda_standins/runtime/copies.h"
#include "tools/cuda_standins/runtime/kernels.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

CUDART_FORWARD(cudaGraphCreate, graph_create, (cudaGraph_t * graph, unsigned flags), graph, flags)
CUDART_FORWARD(cudaGraphDestroy, graph_destroy, (cudaGraph_t graph), graph)
CUDART_FORWARD(cudaGraphClone, graph_clone, (cudaGraph_t * clone, cudaGraph_t graph), clone, graph)
CUDART_FORWARD(cudaGraphNodeFindInClone, find_in_clone,
               (cudaGraphNode_t * node, cudaGraphNode_t original, cudaGraph_t clone), node,
               original, clone)
CUDART_FORWARD(cudaGraphDebugDotPrint, graph_print,
               (cudaGraph_t graph, const char* path, unsigned flags), graph, path, flags)
CUDART_FORWARD(cudaGraphGetNodes, graph_nodes,
               (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count), graph, nodes, count)
CUDART_FORWARD(cudaGraphGetRootNodes, graph_roots,
               (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count), graph, nodes, count)
CUDART_FORWARD(cudaGraphGetEdges_v2, graph_edges_with_data,
               (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                cudaGraphEdgeData* edges, size_t* count),
               graph, from, to, edges, count)
CUDART_FORWARD(cudaGraphAddDependencies_v2, add_dependencies_with_data,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edges, size_t count),
               graph, from, to, edges, count)
CUDART_FORWARD(cudaGraphRemoveDependencies_v2, remove_dependencies_with_data,
               (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                const cudaGraphEdgeData* edges, size_t count),
               graph, from, to, edges, count)
CUDART_FORWARD(cudaGraphNodeGetDependencies_v2, node_dependencies_with_data,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                size_t* count),
               node, nodes, edges, count)
CUDART_FORWARD(cudaGraphNodeGetDependentNodes_v2, node_dependents_with_data,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
                size_t* count),
               node, nodes, edges, count)
CUDART_FORWARD(cudaGraphNodeGetType, node_type, (cudaGraphNode_t node, int* type), node, type)
CUDART_FORWARD(cudaGraphDestroyNode, node_destroy, (cudaGraphNode_t node), node)

// Objects that live as long as a graph.
CUDART_FORWARD(cudaUserObjectCreate, object_create,
               (cudaUserObject_t * object, void* argument, cudaHostFn_t destroy, unsigned count,
                unsigned flags),
               object, argument, destroy, count, flags)
CUDART_FORWARD(cudaUserObjectRetain, object_retain, (cudaUserObject_t object, unsigned count),
               object, count)
CUDART_FORWARD(cudaUserObjectRelease, object_release, (cudaUserObject_t object, unsigned count),
               object, count)
CUDART_FORWARD(cudaGraphRetainUserObject, graph_retain_object,
               (cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags), graph,
               object, count, flags)
CUDART_FORWARD(cudaGraphReleaseUserObject, graph_release_object,
               (cudaGraph_t graph, cudaUserObject_t object, unsigned count), graph, object, count)

// Graphs that run.
CUDART_FORWARD(cudaGraphInstantiate, instantiate,
               (cudaGraphExec_t * made, cudaGraph_t graph, unsigned long long flags), made, graph,
               flags)
CUDART_FORWARD(cudaGraphInstantiateWithFlags, instantiate,
               (cudaGraphExec_t * made, cudaGraph_t graph, unsigned long long flags), made, graph,
               flags)
CUDART_FORWARD_TWINS(cudaGraphInstantiateWithParams, _ptsz, instantiate_with,
                     (cudaGraphExec_t * made, cudaGraph_t graph,
                      cudaGraphInstantiateParams* parameters),
                     made, graph, parameters)
CUDART_FORWARD(cudaGraphExecGetFlags, exec_flags,
               (cudaGraphExec_t graph, unsigned long long* flags), graph, flags)
CUDART_FORWARD(cudaGraphExecDestroy, exec_destroy, (cudaGraphExec_t graph), graph)
CUDART_FORWARD(cudaGraphExecUpdate, exec_update,
               (cudaGraphExec_t made, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* told), made,
               graph, told)
CUDART_FORWARD_TWINS(cudaGraphLaunch, _ptsz, graph_launch,
                     (cudaGraphExec_t graph, cudaStream_t stream), graph, stream)
CUDART_FORWARD_TWINS(cudaGraphUpload, _ptsz, graph_upload,
                     (cudaGraphExec_t graph, cudaStream_t stream), graph, stream)

// The nodes of graphs. A node of a kernel names it by its host function, which the driver knows as
// a function of its own.

namespace {

int as_driver(const cudaKernelNodeParams* node, DriverKernelNode& order) {
  if (node == nullptr) return error::invalid_value;
  order = {nullptr,     node->gridDim, node->blockDim, node->sharedMemBytes, node->kernelParams,
           node->extra, nullptr,       nullptr};
  return kernels().function_of(node->func, runtime_thread().used_device, &order.function);
}

CudaContext current_context(const RuntimeDriver& driver) {
  CudaContext context = nullptr;
  driver.get_current(&context);
  return context;
}

}  // namespace

CUDART_CALL(cudaGraphAddKernelNode)
(cudaGraphNode_t* added, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
 const cudaKernelNodeParams* node) {
  return runtime_call([=](const RuntimeDriver& driver) {
    DriverKernelNode order{};
    const int result = as_driver(node, order);
    return result == error::success ? driver.add_kernel_node(added, graph, after, count, &order)
                                    : result;
  });
}
CUDART_CALL(cudaGraphKernelNodeGetParams)(cudaGraphNode_t node, cudaKernelNodeParams* into) {
  return runtime_call([=](const RuntimeDriver& driver) {
    DriverKernelNode told{};
    if (into == nullptr) return error::invalid_value;
    const int result = driver.get_kernel_node(node, &told);
    if (result != error::success) return result;
    kernels().add_handle(told.function, told.function);
    *into = {told.function, told.grid, told.block, told.shared_bytes, told.arguments, told.extra};
    return result;
  });
}
CUDART_CALL(cudaGraphKernelNodeSetParams)
(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return runtime_call([=](const RuntimeDriver& driver) {
    DriverKernelNode order{};
    const int result = as_driver(parameters, order);
    return result == error::success ? driver.set_kernel_node(node, &order) : result;
  });
}
CUDART_CALL(cudaGraphExecKernelNodeSetParams)
(cudaGraphExec_t made, cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return runtime_call([=](const RuntimeDriver& driver) {
    DriverKernelNode order{};
    const int result = as_driver(parameters, order);
    return result == error::success ? driver.exec_set_kernel_node(made, node, &order) : result;
  });
}
CUDART_FORWARD(cudaGraphKernelNodeGetAttribute, get_kernel_node_attribute,
               (cudaGraphNode_t node, int attribute, void* value), node, attribute, value)
CUDART_FORWARD(cudaGraphKernelNodeSetAttribute, set_kernel_node_attribute,
               (cudaGraphNode_t node, int attribute, const void* value), node, attribute, value)
CUDART_FORWARD(cudaGraphKernelNodeCopyAttributes, copy_kernel_node_attributes,
               (cudaGraphNode_t to, cudaGraphNode_t from), to, from)

// Copies and settings.
CUDART_CALL(cudaGraphAddMemcpyNode)
(cudaGraphNode_t* added, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
 const cudaMemcpy3DParms* copy) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (copy == nullptr) return error::invalid_value;
    const DriverCopy3D order = vramlab::dry_run::as_driver(driver, *copy);
    return driver.add_copy_node(added, graph, after, count, &order, current_context(driver));
  });
}
CUDART_CALL(cudaGraphAddMemcpyNode1D)
(cudaGraphNode_t* added, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count, void* to,
 const void* from, size_t bytes, int kind) {
  const cudaPitchedPtr source = {const_cast<void*>(from), bytes, bytes, 1};
  const cudaMemcpy3DParms copy = {nullptr,       {},  source, nullptr, {}, {to, bytes, bytes, 1},
                                  {bytes, 1, 1}, kind};
  return cudaGraphAddMemcpyNode(added, graph, after, count, &copy);
}
CUDART_CALL(cudaGraphExecMemcpyNodeSetParams)
(cudaGraphExec_t made, cudaGraphNode_t node, const cudaMemcpy3DParms* copy) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (copy == nullptr) return error::invalid_value;
    const DriverCopy3D order = vramlab::dry_run::as_driver(driver, *copy);
    return driver.exec_set_copy_node(made, node, &order, current_context(driver));
  });
}
CUDART_CALL(cudaGraphAddMemsetNode)
(cudaGraphNode_t* added, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
 const cudaMemsetParams* node) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.add_set_node(added, graph, after, count, node, current_context(driver));
  });
}
CUDART_FORWARD(cudaGraphMemsetNodeGetParams, get_set_node,
               (cudaGraphNode_t node, cudaMemsetParams* into), node, into)
CUDART_FORWARD(cudaGraphMemsetNodeSetParams, set_set_node,
               (cudaGraphNode_t node, const cudaMemsetParams* parameters), node, parameters)
CUDART_CALL(cudaGraphExecMemsetNodeSetParams)
(cudaGraphExec_t made, cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return driver.exec_set_set_node(made, node, parameters, current_context(driver));
  });
}

// Nodes that the driver describes as the runtime does.
CUDART_FORWARD(cudaGraphAddHostNode, add_host_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, const cudaHostNodeParams* node),
               added, graph, after, count, node)
CUDART_FORWARD(cudaGraphHostNodeGetParams, get_host_node,
               (cudaGraphNode_t node, cudaHostNodeParams* into), node, into)
CUDART_FORWARD(cudaGraphHostNodeSetParams, set_host_node,
               (cudaGraphNode_t node, const cudaHostNodeParams* parameters), node, parameters)
CUDART_FORWARD(cudaGraphExecHostNodeSetParams, exec_set_host_node,
               (cudaGraphExec_t made, cudaGraphNode_t node, const cudaHostNodeParams* parameters),
               made, node, parameters)
CUDART_FORWARD(cudaGraphAddChildGraphNode, add_child_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, cudaGraph_t child),
               added, graph, after, count, child)
CUDART_FORWARD(cudaGraphChildGraphNodeGetGraph, get_child_node,
               (cudaGraphNode_t node, cudaGraph_t* graph), node, graph)
CUDART_FORWARD(cudaGraphExecChildGraphNodeSetParams, exec_set_child_node,
               (cudaGraphExec_t made, cudaGraphNode_t node, cudaGraph_t child), made, node, child)
CUDART_FORWARD(cudaGraphAddEmptyNode, add_empty_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count),
               added, graph, after, count)
CUDART_FORWARD(cudaGraphAddEventRecordNode, add_record_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, cudaEvent_t event),
               added, graph, after, count, event)
CUDART_FORWARD(cudaGraphEventRecordNodeGetEvent, get_record_node,
               (cudaGraphNode_t node, cudaEvent_t* event), node, event)
CUDART_FORWARD(cudaGraphEventRecordNodeSetEvent, set_record_node,
               (cudaGraphNode_t node, cudaEvent_t event), node, event)
CUDART_FORWARD(cudaGraphExecEventRecordNodeSetEvent, exec_set_record_node,
               (cudaGraphExec_t made, cudaGraphNode_t node, cudaEvent_t event), made, node, event)
CUDART_FORWARD(cudaGraphAddEventWaitNode, add_wait_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, cudaEvent_t event),
               added, graph, after, count, event)
CUDART_FORWARD(cudaGraphEventWaitNodeGetEvent, get_wait_node,
               (cudaGraphNode_t node, cudaEvent_t* event), node, event)
CUDART_FORWARD(cudaGraphEventWaitNodeSetEvent, set_wait_node,
               (cudaGraphNode_t node, cudaEvent_t event), node, event)
CUDART_FORWARD(cudaGraphExecEventWaitNodeSetEvent, exec_set_wait_node,
               (cudaGraphExec_t made, cudaGraphNode_t node, cudaEvent_t event), made, node, event)
CUDART_FORWARD(cudaGraphAddMemAllocNode, add_alloc_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, cudaMemAllocNodeParams* node),
               added, graph, after, count, node)
CUDART_FORWARD(cudaGraphMemAllocNodeGetParams, get_alloc_node,
               (cudaGraphNode_t node, cudaMemAllocNodeParams* into), node, into)
CUDART_FORWARD(cudaGraphAddMemFreeNode, add_free_node,
               (cudaGraphNode_t * added, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, void* memory),
               added, graph, after, count, memory)
CUDART_FORWARD(cudaGraphMemFreeNodeGetParams, get_free_node, (cudaGraphNode_t node, void* into),
               node, into)
CUDART_FORWARD(cudaGraphNodeSetEnabled, set_node_enabled,
               (cudaGraphExec_t made, cudaGraphNode_t node, unsigned is_enabled), made, node,
               is_enabled)
CUDART_FORWARD(cudaGraphNodeGetEnabled, get_node_enabled,
               (cudaGraphExec_t made, cudaGraphNode_t node, unsigned* is_enabled), made, node,
               is_enabled)
