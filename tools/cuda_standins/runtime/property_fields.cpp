// The numbers in the struct of a device's properties: the driver's attributes in the order of the
// struct, behind name, identity and memory.
#include "tools/cuda_standins/runtime/device_properties.h"
#include "tools/cuda_standins/runtime/version.h"

namespace vramlab::dry_run {

std::span<const PropertyField> property_fields() {
  using enum PropertyWidth;
  using enum PropertyVersions;
  static constexpr PropertyField fields[] = {
      {wide, 8},              // sharedMemPerBlock
      {plain, 12},            // regsPerBlock
      {plain, 10},            // warpSize
      {wide, 11},             // memPitch
      {plain, 1},             // maxThreadsPerBlock
      {plain, 2},             // maxThreadsDim
      {plain, 3},             // maxThreadsDim
      {plain, 4},             // maxThreadsDim
      {plain, 5},             // maxGridSize
      {plain, 6},             // maxGridSize
      {plain, 7},             // maxGridSize
      {plain, 13, only_12},   // clockRate
      {wide, 9},              // totalConstMem
      {plain, 75},            // major
      {plain, 76},            // minor
      {wide, 14},             // textureAlignment
      {wide, 51},             // texturePitchAlignment
      {plain, 15, only_12},   // deviceOverlap
      {plain, 16},            // multiProcessorCount
      {plain, 17, only_12},   // kernelExecTimeoutEnabled
      {plain, 18},            // integrated
      {plain, 19},            // canMapHostMemory
      {plain, 20, only_12},   // computeMode
      {plain, 21},            // maxTexture1D
      {plain, 77},            // maxTexture1DMipmap
      {plain, 69, only_12},   // maxTexture1DLinear
      {plain, 22},            // maxTexture2D
      {plain, 23},            // maxTexture2D
      {plain, 73},            // maxTexture2DMipmap
      {plain, 74},            // maxTexture2DMipmap
      {plain, 70},            // maxTexture2DLinear
      {plain, 71},            // maxTexture2DLinear
      {plain, 72},            // maxTexture2DLinear
      {plain, 45},            // maxTexture2DGather
      {plain, 46},            // maxTexture2DGather
      {plain, 24},            // maxTexture3D
      {plain, 25},            // maxTexture3D
      {plain, 26},            // maxTexture3D
      {plain, 47},            // maxTexture3DAlt
      {plain, 48},            // maxTexture3DAlt
      {plain, 49},            // maxTexture3DAlt
      {plain, 52},            // maxTextureCubemap
      {plain, 42},            // maxTexture1DLayered
      {plain, 43},            // maxTexture1DLayered
      {plain, 27},            // maxTexture2DLayered
      {plain, 28},            // maxTexture2DLayered
      {plain, 29},            // maxTexture2DLayered
      {plain, 53},            // maxTextureCubemapLayered
      {plain, 54},            // maxTextureCubemapLayered
      {plain, 55},            // maxSurface1D
      {plain, 56},            // maxSurface2D
      {plain, 57},            // maxSurface2D
      {plain, 58},            // maxSurface3D
      {plain, 59},            // maxSurface3D
      {plain, 60},            // maxSurface3D
      {plain, 61},            // maxSurface1DLayered
      {plain, 62},            // maxSurface1DLayered
      {plain, 63},            // maxSurface2DLayered
      {plain, 64},            // maxSurface2DLayered
      {plain, 65},            // maxSurface2DLayered
      {plain, 66},            // maxSurfaceCubemap
      {plain, 67},            // maxSurfaceCubemapLayered
      {plain, 68},            // maxSurfaceCubemapLayered
      {wide, 30},             // surfaceAlignment
      {plain, 31},            // concurrentKernels
      {plain, 32},            // ECCEnabled
      {plain, 33},            // pciBusID
      {plain, 34},            // pciDeviceID
      {plain, 50},            // pciDomainID
      {plain, 35},            // tccDriver
      {plain, 40},            // asyncEngineCount
      {plain, 41},            // unifiedAddressing
      {plain, 36, only_12},   // memoryClockRate
      {plain, 37},            // memoryBusWidth
      {plain, 38},            // l2CacheSize
      {plain, 108},           // persistingL2CacheMaxSize
      {plain, 39},            // maxThreadsPerMultiProcessor
      {plain, 78},            // streamPrioritiesSupported
      {plain, 79},            // globalL1CacheSupported
      {plain, 80},            // localL1CacheSupported
      {wide, 81},             // sharedMemPerMultiprocessor
      {plain, 82},            // regsPerMultiprocessor
      {plain, 83},            // managedMemory
      {plain, 84},            // isMultiGpuBoard
      {plain, 85},            // multiGpuBoardGroupID
      {plain, 86},            // hostNativeAtomicSupported
      {plain, 87, only_12},   // singleToDoublePrecisionPerfRatio
      {plain, 88},            // pageableMemoryAccess
      {plain, 89},            // concurrentManagedAccess
      {plain, 90},            // computePreemptionSupported
      {plain, 91},            // canUseHostPointerForRegisteredMem
      {plain, 95},            // cooperativeLaunch
      {plain, 96, only_12},   // cooperativeMultiDeviceLaunch
      {wide, 97},             // sharedMemPerBlockOptin
      {plain, 100},           // pageableMemoryAccessUsesHostPageTables
      {plain, 101},           // directManagedMemAccessFromHost
      {plain, 106},           // maxBlocksPerMultiProcessor
      {plain, 109},           // accessPolicyMaxWindowSize
      {wide, 111},            // reservedSharedMemPerBlock
      {plain, 99},            // hostRegisterSupported
      {plain, 112},           // sparseCudaArraySupported
      {plain, 113},           // hostRegisterReadOnlySupported
      {plain, 114},           // timelineSemaphoreInteropSupported
      {plain, 115},           // memoryPoolsSupported
      {plain, 116},           // gpuDirectRDMASupported
      {plain, 117},           // gpuDirectRDMAFlushWritesOptions
      {plain, 118},           // gpuDirectRDMAWritesOrdering
      {plain, 119},           // memoryPoolSupportedHandleTypes
      {plain, 121},           // deferredMappingCudaArraySupported
      {plain, 125},           // ipcEventSupported
      {plain, 120},           // clusterLaunch
      {plain, 129},           // unifiedFunctionPointers
      {plain, 130, only_13},  // deviceNumaConfig
      {plain, 131, only_13},  // deviceNumaId
      {plain, 133, only_13},  // mpsEnabled
      {plain, 134, only_13},  // hostNumaId
      {plain, 139, only_13},  // gpuPciDeviceID
      {plain, 140, only_13},  // gpuPciSubsystemID
      {plain, 143, only_13},  // hostNumaMultinodeIpcSupported
  };
  return fields;
}

bool is_of_this_version(const PropertyField& field) {
  const bool is_13 = runtime_version() >= first_version_13;
  return field.versions != (is_13 ? PropertyVersions::only_12 : PropertyVersions::only_13);
}

}  // namespace vramlab::dry_run
