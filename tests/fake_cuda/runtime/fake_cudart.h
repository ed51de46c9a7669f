/* What programs call of the stand-ins for CUDA's runtime: the names and the binary interface
 * of 13.0 without its headers. Errors are numbers, streams and events are the driver's.
 */
#ifndef VRAMLAB_FAKE_CUDART_H
#define VRAMLAB_FAKE_CUDART_H

#include <stddef.h>

#ifdef FAKE_CUDART_IS_STATIC
#define FAKE_CUDART_API __attribute__((visibility("hidden")))
#else
#define FAKE_CUDART_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned x, y, z;
} fake_dim3;

FAKE_CUDART_API int cudaGetDeviceCount(int* count);
FAKE_CUDART_API int cudaSetDevice(int device);
FAKE_CUDART_API int cudaGetDevice(int* device);
FAKE_CUDART_API int cudaDeviceSynchronize(void);
FAKE_CUDART_API int cudaDeviceReset(void);
FAKE_CUDART_API int cudaGetLastError(void);
FAKE_CUDART_API int cudaPeekAtLastError(void);
FAKE_CUDART_API const char* cudaGetErrorName(int error);
FAKE_CUDART_API const char* cudaGetErrorString(int error);
FAKE_CUDART_API int cudaDriverGetVersion(int* version);
FAKE_CUDART_API int cudaRuntimeGetVersion(int* version);

FAKE_CUDART_API int cudaMalloc(void** memory, size_t bytes);
FAKE_CUDART_API int cudaFree(void* memory);
FAKE_CUDART_API int cudaMemGetInfo(size_t* free, size_t* total);
FAKE_CUDART_API int cudaMallocManaged(void** memory, size_t bytes, unsigned flags);
FAKE_CUDART_API int cudaHostAlloc(void** memory, size_t bytes, unsigned flags);
FAKE_CUDART_API int cudaMallocHost(void** memory, size_t bytes);
FAKE_CUDART_API int cudaFreeHost(void* memory);
FAKE_CUDART_API int cudaMallocAsync(void** memory, size_t bytes, void* stream);
FAKE_CUDART_API int cudaMallocAsync_ptsz(void** memory, size_t bytes, void* stream);
FAKE_CUDART_API int cudaFreeAsync(void* memory, void* stream);
FAKE_CUDART_API int cudaFreeAsync_ptsz(void* memory, void* stream);
FAKE_CUDART_API int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
FAKE_CUDART_API int cudaMemcpy_ptds(void* to, const void* from, size_t bytes, int kind);
FAKE_CUDART_API int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                    void* stream);
FAKE_CUDART_API int cudaMemset(void* at, int value, size_t bytes);
FAKE_CUDART_API int cudaMemsetAsync(void* at, int value, size_t bytes, void* stream);

FAKE_CUDART_API int cudaStreamCreate(void** stream);
FAKE_CUDART_API int cudaStreamCreateWithFlags(void** stream, unsigned flags);
FAKE_CUDART_API int cudaStreamDestroy(void* stream);
FAKE_CUDART_API int cudaStreamQuery(void* stream);
FAKE_CUDART_API int cudaStreamSynchronize(void* stream);
FAKE_CUDART_API int cudaStreamSynchronize_ptsz(void* stream);
FAKE_CUDART_API int cudaStreamWaitEvent(void* stream, void* event, unsigned flags);
FAKE_CUDART_API int cudaStreamBeginCapture(void* stream, int mode);
FAKE_CUDART_API int cudaStreamEndCapture(void* stream, void** graph);
FAKE_CUDART_API int cudaGraphInstantiate(void** made, void* graph, unsigned long long flags);
FAKE_CUDART_API int cudaGraphLaunch(void* graph, void* stream);
FAKE_CUDART_API int cudaEventCreate(void** event);
FAKE_CUDART_API int cudaEventCreateWithFlags(void** event, unsigned flags);
FAKE_CUDART_API int cudaEventDestroy(void* event);
FAKE_CUDART_API int cudaEventRecord(void* event, void* stream);
FAKE_CUDART_API int cudaEventRecord_ptsz(void* event, void* stream);
FAKE_CUDART_API int cudaEventQuery(void* event);
FAKE_CUDART_API int cudaEventSynchronize(void* event);
FAKE_CUDART_API int cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                     unsigned version, unsigned long long flags,
                                                     int* status);
FAKE_CUDART_API int cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** function,
                                                          unsigned version,
                                                          unsigned long long flags, int* status);
FAKE_CUDART_API int cudaGetDriverEntryPoint(const char* symbol, void** function,
                                            unsigned long long flags, int* status);
FAKE_CUDART_API int cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                 unsigned long long flags, int* status);

/* What nvcc makes of kernels and launches. A kernel's name on the device is that of the fake
 * driver's kernel. */
FAKE_CUDART_API void** __cudaRegisterFatBinary(void* binary);
FAKE_CUDART_API void __cudaRegisterFatBinaryEnd(void** handle);
FAKE_CUDART_API void __cudaUnregisterFatBinary(void** handle);
FAKE_CUDART_API char __cudaInitModule(void** handle);
FAKE_CUDART_API void __cudaRegisterFunction(void** handle, const char* host, char* device,
                                            const char* name, int threads, void* thread,
                                            void* block, void* block_size, void* grid_size,
                                            int* warp);
FAKE_CUDART_API int __cudaGetKernel(void** kernel, const void* host);
FAKE_CUDART_API int __cudaLaunchKernel(void* kernel, fake_dim3 grid, fake_dim3 block,
                                       void** arguments, size_t shared_bytes, void* stream);
FAKE_CUDART_API int __cudaLaunchKernel_ptsz(void* kernel, fake_dim3 grid, fake_dim3 block,
                                            void** arguments, size_t shared_bytes, void* stream);
FAKE_CUDART_API int cudaLaunchKernel(const void* host, fake_dim3 grid, fake_dim3 block,
                                     void** arguments, size_t shared_bytes, void* stream);
FAKE_CUDART_API unsigned __cudaPushCallConfiguration(fake_dim3 grid, fake_dim3 block,
                                                     size_t shared_bytes, void* stream);
FAKE_CUDART_API int __cudaPopCallConfiguration(fake_dim3* grid, fake_dim3* block,
                                               size_t* shared_bytes, void* stream);

#ifdef __cplusplus
}
#endif

#endif
