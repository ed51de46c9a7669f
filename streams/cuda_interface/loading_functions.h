// The functions that load code and make graphs executable.
// functions.h says what the columns are.
#pragma once

// clang-format off
#define VRAMLAB_CUDA_LOADING_FUNCTIONS(One, Two)                                                  \
  One(cuModuleLoad, cuModuleLoad, 2000, (CUmodule* module, const char* file))                     \
  One(cuModuleLoadData, cuModuleLoadData, 2000, (CUmodule* module, const void* image))            \
  One(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010,                                               \
      (CUmodule* module, const void* image, unsigned count, CUjit_option* options,                \
       void** values))                                                                            \
  One(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, (CUmodule* module, const void* image))  \
  One(cuModuleUnload, cuModuleUnload, 2000, (CUmodule module))                                    \
  One(cuModuleGetFunction, cuModuleGetFunction, 2000,                                             \
      (CUfunction* function, CUmodule module, const char* name))                                  \
  One(cuLibraryLoadData, cuLibraryLoadData, 12000,                                                \
      (CUlibrary* library, const void* image, CUjit_option* options, void** values,               \
       unsigned count, CUlibraryOption* library_options, void** library_values,                   \
       unsigned library_count))                                                                   \
  One(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000,                                        \
      (CUlibrary* library, const char* file, CUjit_option* options, void** values,                \
       unsigned count, CUlibraryOption* library_options, void** library_values,                   \
       unsigned library_count))                                                                   \
  One(cuLibraryGetModule, cuLibraryGetModule, 12000, (CUmodule* module, CUlibrary library))       \
  One(cuKernelGetFunction, cuKernelGetFunction, 12000, (CUfunction* function, CUkernel kernel))   \
  One(cuGraphInstantiate, cuGraphInstantiate, 10000,                                              \
      (CUgraphExec* made, CUgraph graph, CUgraphNode* failed, char* log, std::size_t room))       \
  One(cuGraphInstantiate, cuGraphInstantiate_v2, 11000,                                           \
      (CUgraphExec* made, CUgraph graph, CUgraphNode* failed, char* log, std::size_t room))       \
  One(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040,                            \
      (CUgraphExec* made, CUgraph graph, unsigned long long flags))                               \
  Two(cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000, _ptsz, 12000,            \
      (CUgraphExec* made, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* how))                     \
  Two(cuGraphUpload, cuGraphUpload, 11010, _ptsz, 11010, (CUgraphExec graph, CUstream stream))
// clang-format on
