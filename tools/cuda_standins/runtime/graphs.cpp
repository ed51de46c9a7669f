// CUDA's runtime: graphs as a whole, what hangs on them, and graphs that run.
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
