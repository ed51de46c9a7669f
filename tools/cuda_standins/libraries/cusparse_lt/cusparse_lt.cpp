// cuSPARSELt: descriptors are memory of the program. A matrix keeps its size there, because the
// size of its compressed form follows from it: half of the elements, and their places.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;

struct Matrix {
  std::int64_t rows;
  std::int64_t columns;
  int type;
};

/// Bytes of an element of a cudaDataType.
std::size_t bytes_of(int type) {
  switch (type) {
    case 0:
      return 4;  // float
    case 2:
    case 14:
      return 2;  // half, bfloat16
    case 3:
    case 28:
    case 29:
      return 1;  // 8 bits
    default:
      return 4;
  }
}

int keep(void* place, std::int64_t rows, std::int64_t columns, int type) {
  const Matrix matrix{rows, columns, type};
  std::memcpy(place, &matrix, sizeof(matrix));
  return success;
}

/// Two of four elements stay, or one of two in float; each has a place of two bits, or four.
std::size_t compressed_bytes(const Matrix& matrix) {
  const auto elements = static_cast<std::size_t>(matrix.rows * matrix.columns);
  const std::size_t each = bytes_of(matrix.type);
  return elements * each / 2 + elements / 8;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int cusparseLtGetVersion(const void*, int* version) {
  put(version, 602);
  return success;
}
VRAMLAB_EXPORT int cusparseLtGetProperty(int property, int* value) {
  put(value, property == 1 ? 6 : property == 2 ? 2 : 0);
  return success;
}
VRAMLAB_EXPORT const char* cusparseLtGetErrorName(int status) {
  return status == success ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_INVALID_VALUE";
}
VRAMLAB_EXPORT const char* cusparseLtGetErrorString(int status) {
  return status == success ? "success" : "invalid value";
}
VRAMLAB_EXPORT int cusparseLtDenseDescriptorInit(const void*, void* matrix, std::int64_t rows,
                                                 std::int64_t columns, std::int64_t, unsigned,
                                                 int type, int) {
  return keep(matrix, rows, columns, type);
}
VRAMLAB_EXPORT int cusparseLtStructuredDescriptorInit(const void*, void* matrix, std::int64_t rows,
                                                      std::int64_t columns, std::int64_t, unsigned,
                                                      int type, int, int) {
  return keep(matrix, rows, columns, type);
}
VRAMLAB_EXPORT int cusparseLtSpMMACompressedSize2(const void*, const void* place,
                                                  std::size_t* compressed, std::size_t* buffer) {
  Matrix matrix{};
  std::memcpy(&matrix, place, sizeof(matrix));
  note_modelled("cusparseLt workspace");
  put(compressed, compressed_bytes(matrix));
  put(buffer, 0);
  return success;
}
VRAMLAB_EXPORT int cusparseLtMatmulGetWorkspace(const void*, const void*, std::size_t* bytes) {
  note_modelled("cusparseLt workspace");
  put(bytes, 0);
  return success;
}
VRAMLAB_EXPORT int cusparseLtMatmulAlgGetAttribute(const void*, const void*, int, void* value,
                                                   std::size_t bytes) {
  if (value != nullptr) std::memset(value, 0, bytes);
  return success;
}
VRAMLAB_EXPORT int cusparseLtMatmul(const void*, const void*, const void*, const void*, const void*,
                                    const void*, const void*, void*, void*, void** streams,
                                    std::int32_t count) {
  put_work(streams != nullptr && count > 0 ? streams[0] : nullptr);
  return success;
}
VRAMLAB_EXPORT int cusparseLtMatmulSearch(const void*, void*, const void*, const void*, const void*,
                                          const void*, const void*, void*, void*, void** streams,
                                          std::int32_t count) {
  put_work(streams != nullptr && count > 0 ? streams[0] : nullptr);
  return success;
}
