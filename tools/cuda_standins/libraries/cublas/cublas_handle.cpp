// cuBLAS: what a handle remembers, and versions. Handles are distinct, because PyTorch keeps a
// workspace for each handle and stream.

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;
constexpr int not_initialized = 1;
constexpr int invalid_value = 7;

struct CublasHandle : Object {
  int math_mode = 0;
  int pointer_mode = 0;
  int atomics_mode = 0;
  int emulation_strategy = 0;
  int sm_count_target = 0;
};

/// Reads or sets one member of a handle.
template <typename T>
int get(void* handle, T CublasHandle::*member, T* value) {
  const auto* const known = object_of<CublasHandle>(handle);
  if (known == nullptr) return not_initialized;
  if (value == nullptr) return invalid_value;
  *value = known->*member;
  return success;
}

template <typename T>
int set(void* handle, T CublasHandle::*member, T value) {
  auto* const known = object_of<CublasHandle>(handle);
  if (known == nullptr) return not_initialized;
  known->*member = value;
  return success;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int cublasCreate_v2(void** handle) {
  return create_object<CublasHandle>(handle) ? success : invalid_value;
}

VRAMLAB_EXPORT int cublasGetMathMode(void* handle, int* mode) {
  return get(handle, &CublasHandle::math_mode, mode);
}
VRAMLAB_EXPORT int cublasSetMathMode(void* handle, int mode) {
  return set(handle, &CublasHandle::math_mode, mode);
}
VRAMLAB_EXPORT int cublasGetPointerMode_v2(void* handle, int* mode) {
  return get(handle, &CublasHandle::pointer_mode, mode);
}
VRAMLAB_EXPORT int cublasSetPointerMode_v2(void* handle, int mode) {
  return set(handle, &CublasHandle::pointer_mode, mode);
}
VRAMLAB_EXPORT int cublasGetAtomicsMode(void* handle, int* mode) {
  return get(handle, &CublasHandle::atomics_mode, mode);
}
VRAMLAB_EXPORT int cublasSetAtomicsMode(void* handle, int mode) {
  return set(handle, &CublasHandle::atomics_mode, mode);
}
VRAMLAB_EXPORT int cublasGetEmulationStrategy(void* handle, int* strategy) {
  return get(handle, &CublasHandle::emulation_strategy, strategy);
}
VRAMLAB_EXPORT int cublasSetEmulationStrategy(void* handle, int strategy) {
  return set(handle, &CublasHandle::emulation_strategy, strategy);
}
VRAMLAB_EXPORT int cublasGetSmCountTarget(void* handle, int* count) {
  return get(handle, &CublasHandle::sm_count_target, count);
}
VRAMLAB_EXPORT int cublasSetSmCountTarget(void* handle, int count) {
  return set(handle, &CublasHandle::sm_count_target, count);
}

VRAMLAB_EXPORT int cublasGetVersion_v2(void*, int* version) {
  put(version, part_of_version(0) * 10000 + part_of_version(1) * 100);
  return success;
}
VRAMLAB_EXPORT int cublasGetProperty(int property, int* value) {
  put(value, part_of_version(property));
  return success;
}
VRAMLAB_EXPORT unsigned long cublasGetCudartVersion() {
  return static_cast<unsigned long>(cuda_version());
}
VRAMLAB_EXPORT const char* cublasGetStatusName(int status) {
  return status == success ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_INVALID_VALUE";
}
VRAMLAB_EXPORT const char* cublasGetStatusString(int status) {
  return status == success ? "success" : "an unsupported value or parameter was passed";
}
