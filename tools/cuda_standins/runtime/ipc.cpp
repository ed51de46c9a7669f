// CUDA's runtime: handles for other processes.
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

CUDART_FORWARD(cudaIpcGetMemHandle, ipc_get_memory, (cudaIpcMemHandle_t * handle, void* memory),
               handle, memory)
CUDART_FORWARD(cudaIpcOpenMemHandle, ipc_open_memory,
               (void** memory, cudaIpcMemHandle_t handle, unsigned flags), memory, handle, flags)
CUDART_FORWARD(cudaIpcCloseMemHandle, ipc_close_memory, (void* memory), memory)
CUDART_FORWARD(cudaIpcGetEventHandle, ipc_get_event,
               (cudaIpcEventHandle_t * handle, cudaEvent_t event), handle, event)
CUDART_FORWARD(cudaIpcOpenEventHandle, ipc_open_event,
               (cudaEvent_t * event, cudaIpcEventHandle_t handle), event, handle)
