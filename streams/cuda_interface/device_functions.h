// The functions of the driver itself, of its devices and of its errors.
// functions.h says what the columns are.
#pragma once

// clang-format off
#define VRAMLAB_CUDA_DEVICE_FUNCTIONS(One, Two)                                           \
  One(cuInit, cuInit, 2000, (unsigned flags))                                             \
  One(cuDriverGetVersion, cuDriverGetVersion, 2020, (int* version))                       \
  One(cuGetExportTable, cuGetExportTable, 3000, (const void** table, const CUuuid* id))   \
  One(cuGetErrorName, cuGetErrorName, 6000, (CUresult result, const char** text))         \
  One(cuGetErrorString, cuGetErrorString, 6000, (CUresult result, const char** text))     \
  One(cuGetProcAddress, cuGetProcAddress, 11030,                                          \
      (const char* symbol, void** function, int version, cuuint64_t flags))               \
  One(cuGetProcAddress, cuGetProcAddress_v2, 12000,                                       \
      (const char* symbol, void** function, int version, cuuint64_t flags,                \
       CUdriverProcAddressQueryResult* status))                                           \
  One(cuDeviceGetCount, cuDeviceGetCount, 2000, (int* count))                             \
  One(cuDeviceGet, cuDeviceGet, 2000, (CUdevice* device, int ordinal))                    \
  One(cuDeviceGetName, cuDeviceGetName, 2000, (char* name, int room, CUdevice device))    \
  One(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, (CUuuid* uuid, CUdevice device))        \
  One(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, (std::size_t* bytes, CUdevice device)) \
  One(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000,                                   \
      (int* value, CUdevice_attribute attribute, CUdevice device))                        \
  One(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000,                                 \
      (int* can, CUdevice device, CUdevice peer))
// clang-format on
