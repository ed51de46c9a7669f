// The exports that may take memory of the device for code, graphs and kernels' stacks. Nothing else
// is to be known of them.
#include "tools/preload/exports/front.h"

using namespace vramlab::preload;

// The driver's names, and as many arguments as it has.
// NOLINTBEGIN(readability-identifier-naming,readability-function-size)
extern "C" {

// clang-format off
VRAMLAB_EXPORT(cuModuleLoad, (CUmodule* module, const char* file), with_room<hook>(module, file))
VRAMLAB_EXPORT_BOTH(cuModuleLoadData, cuModuleLoadFatBinary,
                    (CUmodule* module, const void* image), with_room<hook>(module, image))
VRAMLAB_EXPORT(cuModuleLoadDataEx,
               (CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                void** values),
               with_room<hook>(module, image, count, options, values))
VRAMLAB_EXPORT(cuLibraryLoadData,
               (CUlibrary* library, const void* image, CUjit_option* options, void** values,
                unsigned count, CUlibraryOption* library_options, void** library_values,
                unsigned library_count),
               with_room<hook>(library, image, options, values, count, library_options,
                               library_values, library_count))
VRAMLAB_EXPORT(cuLibraryLoadFromFile,
               (CUlibrary* library, const char* file, CUjit_option* options, void** values,
                unsigned count, CUlibraryOption* library_options, void** library_values,
                unsigned library_count),
               with_room<hook>(library, file, options, values, count, library_options,
                               library_values, library_count))
// Code is often loaded by the first of these that needs it.
VRAMLAB_EXPORT(cuLibraryGetModule, (CUmodule* module, CUlibrary library),
               with_room<hook>(module, library))
VRAMLAB_EXPORT(cuModuleGetFunction, (CUfunction* function, CUmodule module, const char* name),
               with_room<hook>(function, module, name))
VRAMLAB_EXPORT(cuKernelGetFunction, (CUfunction* function, CUkernel kernel),
               with_room<hook>(function, kernel))

VRAMLAB_EXPORT_BOTH(cuGraphInstantiate, cuGraphInstantiate_v2,
                    (CUgraphExec* made, CUgraph graph, CUgraphNode* failed, char* log,
                     std::size_t room),
                    with_room<hook>(made, graph, failed, log, room))
VRAMLAB_EXPORT(cuGraphInstantiateWithFlags,
               (CUgraphExec* made, CUgraph graph, unsigned long long flags),
               with_room<hook>(made, graph, flags))
VRAMLAB_EXPORT_BOTH(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz,
                    (CUgraphExec* made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* how),
                    with_room<hook>(made, graph, how))
VRAMLAB_EXPORT_BOTH(cuGraphUpload, cuGraphUpload_ptsz, (CUgraphExec graph, CUstream stream),
                    with_room<hook>(graph, stream))
VRAMLAB_EXPORT_BOTH(cuGraphLaunch, cuGraphLaunch_ptsz, (CUgraphExec graph, CUstream stream),
                    with_room<hook>(graph, stream))

VRAMLAB_EXPORT_BOTH(cuLaunchKernel, cuLaunchKernel_ptsz,
                    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     CUstream stream, void** arguments, void** extra),
                    with_room<hook>(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                    shared_bytes, stream, arguments, extra))
VRAMLAB_EXPORT_BOTH(cuLaunchKernelEx, cuLaunchKernelEx_ptsz,
                    (const CUlaunchConfig* how, CUfunction function, void** arguments,
                     void** extra),
                    with_room<hook>(how, function, arguments, extra))
VRAMLAB_EXPORT_BOTH(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz,
                    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                     CUstream stream, void** arguments),
                    with_room<hook>(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                    shared_bytes, stream, arguments))
// clang-format on

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
