// cuBLAS: the settings of handles, versions, and the functions that give results to the host.
// Handles are distinct, because PyTorch keeps a workspace for each handle and stream.
#include <cstdint>

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
int get(void* handle, T CublasHandle::* member, T* value) {
  const auto* const known = object_of<CublasHandle>(handle);
  if (known == nullptr) return not_initialized;
  if (value == nullptr) return invalid_value;
  *value = known->*member;
  return success;
}

template <typename T>
int set(void* handle, T CublasHandle::* member, T value) {
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

// Functions that give results to the host. Sums and norms do if the handle's pointers are the
// host's; the result is zero, as all values of the device are. Batched solvers answer that their
// arguments were right.

VRAMLAB_EXPORT int cublasGetPointerMode_v2(void* handle, int* mode);

namespace vramlab::dry_run {
namespace {

/// Puts the work on the handle's stream, and writes a zero if the host waits for the result.
template <typename T>
int reduce(void* handle, T* result) {
  put_work_of(handle);
  int mode = 1;
  cublasGetPointerMode_v2(handle, &mode);
  if (mode == 0) put(result, T{});
  return 0;
}

int solve(void* handle, int* info) {
  put_work_of(handle);
  put(info, 0);
  return 0;
}

struct Complex64 {
  float real;
  float imaginary;
};
struct Complex128 {
  double real;
  double imaginary;
};

}  // namespace
}  // namespace vramlab::dry_run

#define VRAMLAB_DOT(name, type)                                                                 \
  VRAMLAB_EXPORT int name(void* handle, int, const void*, int, const void*, int, type result) { \
    return reduce(handle, result);                                                              \
  }
VRAMLAB_DOT(cublasSdot_v2, float*)
VRAMLAB_DOT(cublasDdot_v2, double*)
VRAMLAB_DOT(cublasCdotu_v2, Complex64*)
VRAMLAB_DOT(cublasCdotc_v2, Complex64*)
VRAMLAB_DOT(cublasZdotu_v2, Complex128*)
VRAMLAB_DOT(cublasZdotc_v2, Complex128*)

#define VRAMLAB_NORM(name, type)                                              \
  VRAMLAB_EXPORT int name(void* handle, int, const void*, int, type result) { \
    return reduce(handle, result);                                            \
  }
VRAMLAB_NORM(cublasSnrm2_v2, float*)
VRAMLAB_NORM(cublasDnrm2_v2, double*)
VRAMLAB_NORM(cublasScnrm2_v2, float*)
VRAMLAB_NORM(cublasDznrm2_v2, double*)
VRAMLAB_NORM(cublasSasum_v2, float*)
VRAMLAB_NORM(cublasDasum_v2, double*)
VRAMLAB_NORM(cublasScasum_v2, float*)
VRAMLAB_NORM(cublasDzasum_v2, double*)
VRAMLAB_NORM(cublasIsamax_v2, int*)
VRAMLAB_NORM(cublasIdamax_v2, int*)
VRAMLAB_NORM(cublasIcamax_v2, int*)
VRAMLAB_NORM(cublasIzamax_v2, int*)
VRAMLAB_NORM(cublasIsamin_v2, int*)
VRAMLAB_NORM(cublasIdamin_v2, int*)
VRAMLAB_NORM(cublasIcamin_v2, int*)
VRAMLAB_NORM(cublasIzamin_v2, int*)

#define VRAMLAB_SOLVERS(letter)                                                                  \
  VRAMLAB_EXPORT int cublas##letter##geqrfBatched(void* handle, int, int, void*, int, void*,     \
                                                  int* info, int) {                              \
    return solve(handle, info);                                                                  \
  }                                                                                              \
  VRAMLAB_EXPORT int cublas##letter##getrsBatched(void* handle, int, int, int, const void*, int, \
                                                  const int*, void*, int, int* info, int) {      \
    return solve(handle, info);                                                                  \
  }                                                                                              \
  VRAMLAB_EXPORT int cublas##letter##gelsBatched(void* handle, int, int, int, int, void*, int,   \
                                                 void*, int, int* info, int*, int) {             \
    return solve(handle, info);                                                                  \
  }
VRAMLAB_SOLVERS(S)
VRAMLAB_SOLVERS(D)
VRAMLAB_SOLVERS(C)
VRAMLAB_SOLVERS(Z)
