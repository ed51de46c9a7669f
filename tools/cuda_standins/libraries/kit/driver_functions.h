// The functions of the stand-in driver that the libraries call. They are weak, so that a library
// can be loaded where there is no driver: then it answers, and puts its work nowhere.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void vramlab_dry_run_note(const char* kind, const char* subject);
[[gnu::weak]] void vramlab_dry_run_work(void* stream);
[[gnu::weak]] int vramlab_dry_run_gpu_count();
[[gnu::weak]] int vramlab_dry_run_runtime();

[[gnu::weak]] int cuInit(unsigned flags);
[[gnu::weak]] int cuDriverGetVersion(int* version);
[[gnu::weak]] int cuCtxGetDevice(int* device);
[[gnu::weak]] int cuDeviceGetCount(int* count);
[[gnu::weak]] int cuDeviceGet(int* device, int ordinal);
[[gnu::weak]] int cuDeviceGetName(char* name, int length, int device);
[[gnu::weak]] int cuDeviceGetAttribute(int* value, int attribute, int device);
[[gnu::weak]] int cuDeviceGetUuid_v2(unsigned char* uuid, int device);
[[gnu::weak]] int cuDeviceGetPCIBusId(char* text, int length, int device);
[[gnu::weak]] int cuDeviceTotalMem_v2(std::size_t* bytes, int device);
[[gnu::weak]] int cuDevicePrimaryCtxRetain(void** context, int device);
[[gnu::weak]] int cuDevicePrimaryCtxRelease_v2(int device);
[[gnu::weak]] int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active);
[[gnu::weak]] int cuCtxPushCurrent_v2(void* context);
[[gnu::weak]] int cuCtxPopCurrent_v2(void** context);
[[gnu::weak]] int cuMemGetInfo_v2(std::size_t* free, std::size_t* total);
[[gnu::weak]] int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes);
[[gnu::weak]] int cuMemFree_v2(unsigned long long address);
[[gnu::weak]] int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                                       std::size_t bytes, void* stream);
}
