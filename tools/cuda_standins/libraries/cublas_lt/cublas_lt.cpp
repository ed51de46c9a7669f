// cuBLASLt: descriptors that remember their attributes, one algorithm for every problem, and
// products that put work on the stream they are given. The algorithm asks for no workspace; what a
// program allocates for it follows from its own preference.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;
constexpr int invalid_value = 7;

struct Algorithm {
  std::uint64_t words[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

int create(void** descriptor) {
  return create_object<AttributeObject>(descriptor) ? success : invalid_value;
}

/// A descriptor that a program keeps in its own memory is not ours: it takes everything and tells
/// nothing.
int set(void* descriptor, int name, const void* value, std::size_t bytes) {
  if (auto* const known = object_of<AttributeObject>(descriptor))
    known->attributes.set(name, value, bytes);
  return success;
}

int get(const void* descriptor, int name, void* value, std::size_t bytes, std::size_t* written) {
  const auto* const known = object_of<AttributeObject>(descriptor);
  if (known == nullptr && value != nullptr) std::memset(value, 0, bytes);
  put(written, known == nullptr ? bytes : known->attributes.get(name, value, bytes));
  return success;
}

void put_result(HeuristicResult* result) {
  if (result == nullptr) return;
  *result = {};
  result->waves = 1;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

#define VRAMLAB_ATTRIBUTES(kind)                                                                 \
  VRAMLAB_EXPORT int cublasLt##kind##SetAttribute(void* descriptor, int name, const void* value, \
                                                  std::size_t bytes) {                           \
    return set(descriptor, name, value, bytes);                                                  \
  }                                                                                              \
  VRAMLAB_EXPORT int cublasLt##kind##GetAttribute(const void* descriptor, int name, void* value, \
                                                  std::size_t bytes, std::size_t* written) {     \
    return get(descriptor, name, value, bytes, written);                                         \
  }
VRAMLAB_ATTRIBUTES(MatmulDesc)
VRAMLAB_ATTRIBUTES(MatrixLayout)
VRAMLAB_ATTRIBUTES(MatmulPreference)
VRAMLAB_ATTRIBUTES(MatrixTransformDesc)

VRAMLAB_EXPORT int cublasLtMatmulDescCreate(void** descriptor, int, int) {
  return create(descriptor);
}
VRAMLAB_EXPORT int cublasLtMatrixLayoutCreate(void** layout, int, std::uint64_t, std::uint64_t,
                                              std::int64_t) {
  return create(layout);
}
VRAMLAB_EXPORT int cublasLtMatmulPreferenceCreate(void** preference) { return create(preference); }
VRAMLAB_EXPORT int cublasLtMatrixTransformDescCreate(void** descriptor, int) {
  return create(descriptor);
}
VRAMLAB_EXPORT int cublasLtMatmulDescInit_internal(void* memory, std::size_t bytes, int, int) {
  std::memset(memory, 0, bytes);
  return success;
}
VRAMLAB_EXPORT int cublasLtMatrixLayoutInit_internal(void* memory, std::size_t bytes, int,
                                                     std::uint64_t, std::uint64_t, std::int64_t) {
  std::memset(memory, 0, bytes);
  return success;
}
VRAMLAB_EXPORT int cublasLtMatmulPreferenceInit_internal(void* memory, std::size_t bytes) {
  std::memset(memory, 0, bytes);
  return success;
}
VRAMLAB_EXPORT int cublasLtMatrixTransformDescInit_internal(void* memory, std::size_t bytes, int) {
  std::memset(memory, 0, bytes);
  return success;
}

VRAMLAB_EXPORT int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*,
                                                  int requested, HeuristicResult* results,
                                                  int* returned) {
  if (requested < 1 || results == nullptr || returned == nullptr) return invalid_value;
  put_result(results);
  *returned = 1;
  return success;
}
VRAMLAB_EXPORT int cublasLtMatmulAlgoGetIds(void*, int, int, int, int, int, int, int requested,
                                            int* ids, int* returned) {
  if (requested > 0) put(ids, 0);
  put(returned, requested > 0 ? 1 : 0);
  return success;
}
VRAMLAB_EXPORT int cublasLtMatmulAlgoInit(void*, int, int, int, int, int, int, int,
                                          Algorithm* algorithm) {
  put(algorithm, Algorithm{});
  return success;
}
VRAMLAB_EXPORT int cublasLtMatmulAlgoCheck(void*, void*, void*, void*, void*, void*,
                                           const Algorithm*, HeuristicResult* result) {
  put_result(result);
  return success;
}
VRAMLAB_EXPORT int cublasLtMatmulAlgoConfigSetAttribute(Algorithm*, int, const void*, std::size_t) {
  return success;
}
VRAMLAB_EXPORT int cublasLtMatmulAlgoConfigGetAttribute(const Algorithm*, int name, void* value,
                                                        std::size_t bytes, std::size_t* written) {
  return get(nullptr, name, value, bytes, written);
}
VRAMLAB_EXPORT int cublasLtMatmulAlgoCapGetAttribute(const Algorithm*, int name, void* value,
                                                     std::size_t bytes, std::size_t* written) {
  return get(nullptr, name, value, bytes, written);
}

VRAMLAB_EXPORT int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*,
                                  const void*, const void*, void*, void*, void*, const Algorithm*,
                                  void*, std::size_t, void* stream) {
  put_work(stream);
  return success;
}
VRAMLAB_EXPORT int cublasLtMatrixTransform(void*, void*, const void*, const void*, void*,
                                           const void*, const void*, void*, void*, void*,
                                           void* stream) {
  put_work(stream);
  return success;
}

VRAMLAB_EXPORT std::size_t cublasLtGetVersion() {
  const int version = part_of_version(0) * 10000 + part_of_version(1) * 100;
  return static_cast<std::size_t>(version);
}
VRAMLAB_EXPORT std::size_t cublasLtGetCudartVersion() {
  return static_cast<std::size_t>(cuda_version());
}
VRAMLAB_EXPORT int cublasLtGetProperty(int property, int* value) {
  put(value, part_of_version(property));
  return success;
}
VRAMLAB_EXPORT int cublasLtHeuristicsCacheGetCapacity(std::size_t* capacity) {
  put(capacity, 8192);
  return success;
}
VRAMLAB_EXPORT const char* cublasLtGetStatusName(int status) {
  return status == success ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_INVALID_VALUE";
}
VRAMLAB_EXPORT const char* cublasLtGetStatusString(int status) {
  return status == success ? "success" : "an unsupported value or parameter was passed";
}
