// CUDA's runtime: pools of memory, and what graphs hold.
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

CUDART_FORWARD(cudaDeviceGetDefaultMemPool, default_pool, (cudaMemPool_t * pool, int device), pool,
               device)
CUDART_FORWARD(cudaDeviceGetMemPool, get_pool, (cudaMemPool_t * pool, int device), pool, device)
CUDART_FORWARD(cudaDeviceSetMemPool, set_pool, (int device, cudaMemPool_t pool), device, pool)
CUDART_FORWARD(cudaMemPoolCreate, pool_create,
               (cudaMemPool_t * pool, const cudaMemPoolProps* properties), pool, properties)
CUDART_FORWARD(cudaMemPoolDestroy, pool_destroy, (cudaMemPool_t pool), pool)
CUDART_FORWARD(cudaMemPoolTrimTo, pool_trim, (cudaMemPool_t pool, size_t bytes_to_keep), pool,
               bytes_to_keep)
CUDART_FORWARD(cudaMemPoolGetAttribute, pool_get, (cudaMemPool_t pool, int attribute, void* value),
               pool, attribute, value)
CUDART_FORWARD(cudaMemPoolSetAttribute, pool_set, (cudaMemPool_t pool, int attribute, void* value),
               pool, attribute, value)
CUDART_FORWARD(cudaMemPoolGetAccess, pool_get_access,
               (int* access, cudaMemPool_t pool, cudaMemLocation* location), access, pool, location)
CUDART_FORWARD(cudaMemPoolSetAccess, pool_set_access,
               (cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count), pool, access,
               count)
CUDART_FORWARD(cudaMemPoolExportToShareableHandle, pool_export,
               (void* handle, cudaMemPool_t pool, int kind, unsigned flags), handle, pool, kind,
               static_cast<unsigned long long>(flags))
CUDART_FORWARD(cudaMemPoolImportFromShareableHandle, pool_import,
               (cudaMemPool_t * pool, void* handle, int kind, unsigned flags), pool, handle, kind,
               static_cast<unsigned long long>(flags))
CUDART_FORWARD(cudaMemPoolExportPointer, pool_export_pointer, (void* into, void* memory), into,
               memory)
CUDART_FORWARD(cudaMemPoolImportPointer, pool_import_pointer,
               (void** memory, cudaMemPool_t pool, void* from), memory, pool, from)
CUDART_FORWARD(cudaDeviceGetGraphMemAttribute, get_graph_memory,
               (int device, int attribute, void* value), device, attribute, value)
CUDART_FORWARD(cudaDeviceSetGraphMemAttribute, set_graph_memory,
               (int device, int attribute, void* value), device, attribute, value)
CUDART_FORWARD(cudaDeviceGraphMemTrim, trim_graph_memory, (int device), device)
