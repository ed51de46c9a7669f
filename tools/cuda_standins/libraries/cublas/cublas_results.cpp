// cuBLAS: functions that put something out on the host. Sums and norms do if the handle's pointers
// are the host's; then the result is zero, as everything that comes from the device is. Batched
// solvers tell on the host that their arguments were right.

#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

VRAMLAB_EXPORT int cublasGetPointerMode_v2(void* handle, int* mode);

namespace vramlab::dry_run {
namespace {

/// Puts the work on the handle's stream, and a zero where the host waits for the result.
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

using namespace vramlab::dry_run;

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
