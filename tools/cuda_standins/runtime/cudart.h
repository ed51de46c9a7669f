/* CUDA's runtime as programs see it: the types and structs of its binary interface that we use, and
 * the functions that our own programs call. Names, values and layouts are CUDA's; errors and
 * enumerations are plain numbers. Can be included in C.
 */
#ifndef VRAMLAB_CUDART_H
#define VRAMLAB_CUDART_H

#include <stddef.h>

#define VRAMLAB_CUDART_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming, modernize-use-using): CUDA's names, in C. */

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef struct CUfunc_st* cudaFunction_t;
typedef struct CUkern_st* cudaKernel_t;
typedef struct CUlib_st* cudaLibrary_t;
typedef struct CUuserObject_st* cudaUserObject_t;
typedef struct cudaArray* cudaArray_t;
typedef struct cudaMipmappedArray* cudaMipmappedArray_t;
typedef void (*cudaHostFn_t)(void* argument);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, int status, void* argument);

typedef struct {
  unsigned x, y, z;
} dim3;

typedef struct {
  int x, y, z, w;
  int kind;
} cudaChannelFormatDesc;

typedef struct {
  size_t width, height, depth;
} cudaExtent;

typedef struct {
  size_t x, y, z;
} cudaPos;

typedef struct {
  void* ptr;
  size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  int kind;
} cudaMemcpy3DParms;

typedef struct {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
} cudaMemcpy3DPeerParms;

typedef struct {
  int type;
  int id;
} cudaMemLocation;

typedef struct {
  cudaMemLocation location;
  int flags;
} cudaMemAccessDesc;

typedef struct {
  int allocType;
  int handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} cudaMemPoolProps;

typedef struct {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  void* dptr;
} cudaMemAllocNodeParams;

typedef struct {
  char reserved[64];
} cudaIpcMemHandle_t;

typedef struct {
  char reserved[64];
} cudaIpcEventHandle_t;

/* Kinds of memory: 0 not known to CUDA, 1 on the host, 2 on a device, 3 managed. CUDA 13 has eight
 * words more behind it. */
typedef struct {
  int type;
  int device;
  void* devicePointer;
  void* hostPointer;
} cudaPointerAttributes;

typedef struct {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
  int reserved[16];
} cudaFuncAttributes;

typedef struct {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  void* attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

typedef struct {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
} cudaGraphEdgeData;

typedef struct {
  void* func;
  dim3 gridDim;
  dim3 blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
} cudaKernelNodeParams;

typedef struct {
  void* dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width;
  size_t height;
} cudaMemsetParams;

typedef struct {
  cudaHostFn_t fn;
  void* userData;
} cudaHostNodeParams;

typedef struct {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  int result_out;
} cudaGraphInstantiateParams;

typedef struct {
  int result;
  cudaGraphNode_t errorNode;
  cudaGraphNode_t errorFromNode;
} cudaGraphExecUpdateResultInfo;

#ifdef __cplusplus
/* Its fields differ between the versions of CUDA: device_properties.h knows them. */
struct cudaDeviceProp;
#endif

VRAMLAB_CUDART_API int cudaGetDeviceCount(int* count);
VRAMLAB_CUDART_API int cudaSetDevice(int device);
VRAMLAB_CUDART_API int cudaGetDevice(int* device);
VRAMLAB_CUDART_API int cudaDeviceGetAttribute(int* value, int attribute, int device);
VRAMLAB_CUDART_API int cudaDeviceSynchronize(void);
VRAMLAB_CUDART_API int cudaDeviceReset(void);
VRAMLAB_CUDART_API int cudaGetLastError(void);
VRAMLAB_CUDART_API int cudaPeekAtLastError(void);
VRAMLAB_CUDART_API const char* cudaGetErrorName(int error);
VRAMLAB_CUDART_API const char* cudaGetErrorString(int error);
VRAMLAB_CUDART_API int cudaDriverGetVersion(int* version);
VRAMLAB_CUDART_API int cudaRuntimeGetVersion(int* version);

VRAMLAB_CUDART_API int cudaMalloc(void** memory, size_t bytes);
VRAMLAB_CUDART_API int cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height);
VRAMLAB_CUDART_API int cudaFree(void* memory);
VRAMLAB_CUDART_API int cudaMemGetInfo(size_t* free, size_t* total);
VRAMLAB_CUDART_API int cudaMallocManaged(void** memory, size_t bytes, unsigned flags);
VRAMLAB_CUDART_API int cudaHostAlloc(void** memory, size_t bytes, unsigned flags);
VRAMLAB_CUDART_API int cudaMallocHost(void** memory, size_t bytes);
VRAMLAB_CUDART_API int cudaFreeHost(void* memory);
VRAMLAB_CUDART_API int cudaHostRegister(void* memory, size_t bytes, unsigned flags);
VRAMLAB_CUDART_API int cudaHostUnregister(void* memory);
VRAMLAB_CUDART_API int cudaPointerGetAttributes(cudaPointerAttributes* into, const void* at);
VRAMLAB_CUDART_API int cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream);
VRAMLAB_CUDART_API int cudaFreeAsync(void* memory, cudaStream_t stream);
VRAMLAB_CUDART_API int cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
VRAMLAB_CUDART_API int cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
VRAMLAB_CUDART_API int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
VRAMLAB_CUDART_API int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                       cudaStream_t stream);
VRAMLAB_CUDART_API int cudaMemset(void* at, int value, size_t bytes);
VRAMLAB_CUDART_API int cudaMemsetAsync(void* at, int value, size_t bytes, cudaStream_t stream);
VRAMLAB_CUDART_API int cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                                          size_t offset, int kind);
VRAMLAB_CUDART_API int cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes,
                                            size_t offset, int kind);

VRAMLAB_CUDART_API int cudaStreamCreate(cudaStream_t* stream);
VRAMLAB_CUDART_API int cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
VRAMLAB_CUDART_API int cudaStreamDestroy(cudaStream_t stream);
VRAMLAB_CUDART_API int cudaStreamQuery(cudaStream_t stream);
VRAMLAB_CUDART_API int cudaStreamSynchronize(cudaStream_t stream);
VRAMLAB_CUDART_API int cudaStreamSynchronize_ptsz(cudaStream_t stream);
VRAMLAB_CUDART_API int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
VRAMLAB_CUDART_API int cudaStreamBeginCapture(cudaStream_t stream, int mode);
VRAMLAB_CUDART_API int cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
VRAMLAB_CUDART_API int cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                            unsigned long long flags);
VRAMLAB_CUDART_API int cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
VRAMLAB_CUDART_API int cudaGraphExecDestroy(cudaGraphExec_t graph);
VRAMLAB_CUDART_API int cudaGraphDestroy(cudaGraph_t graph);

VRAMLAB_CUDART_API int cudaEventCreate(cudaEvent_t* event);
VRAMLAB_CUDART_API int cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
VRAMLAB_CUDART_API int cudaEventDestroy(cudaEvent_t event);
VRAMLAB_CUDART_API int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
VRAMLAB_CUDART_API int cudaEventQuery(cudaEvent_t event);
VRAMLAB_CUDART_API int cudaEventSynchronize(cudaEvent_t event);
VRAMLAB_CUDART_API int cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);

VRAMLAB_CUDART_API int cudaGetDriverEntryPoint(const char* symbol, void** function,
                                               unsigned long long flags, int* status);
VRAMLAB_CUDART_API int cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                    unsigned long long flags, int* status);
VRAMLAB_CUDART_API int cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                        unsigned version, unsigned long long flags,
                                                        int* status);
VRAMLAB_CUDART_API int cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function,
                                                             unsigned version,
                                                             unsigned long long flags, int* status);

/* Functions that nvcc makes calls of. */
VRAMLAB_CUDART_API void** __cudaRegisterFatBinary(void* binary);
VRAMLAB_CUDART_API void __cudaRegisterFatBinaryEnd(void** handle);
VRAMLAB_CUDART_API void __cudaUnregisterFatBinary(void** handle);
VRAMLAB_CUDART_API char __cudaInitModule(void** handle);
VRAMLAB_CUDART_API void __cudaRegisterFunction(void** handle, const char* host, char* device,
                                               const char* name, int threads, void* thread,
                                               void* block, void* block_size, void* grid_size,
                                               int* warp);
VRAMLAB_CUDART_API void __cudaRegisterVar(void** handle, char* host, char* device, const char* name,
                                          int is_external, size_t bytes, int is_constant,
                                          int is_global);
VRAMLAB_CUDART_API int __cudaGetKernel(cudaKernel_t* kernel, const void* host);
VRAMLAB_CUDART_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                        cudaStream_t stream);
VRAMLAB_CUDART_API int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream);
VRAMLAB_CUDART_API int __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t shared_bytes,
                                          cudaStream_t stream);
VRAMLAB_CUDART_API int __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                               void** arguments, size_t shared_bytes,
                                               cudaStream_t stream);
VRAMLAB_CUDART_API int cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream);
VRAMLAB_CUDART_API int cudaFuncGetAttributes(cudaFuncAttributes* into, const void* host);
VRAMLAB_CUDART_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host,
                                                                     int threads,
                                                                     size_t shared_bytes);

/* NOLINTEND(readability-identifier-naming, modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
