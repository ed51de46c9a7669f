// cuSPARSE: the sizes of sparse matrices, which programs ask again after a product. How many
// elements a product has is a value of the device, so it stays what it was.

#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;
constexpr int invalid_value = 3;

enum Format : int { csr = 1, csc = 2, coo = 3 };

struct SparseMatrix : Object {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nonzeros = 0;
  int format = csr;
};

/// A matrix in the older interface.
struct MatrixDescription : Object {
  int type = 0;
  int fill = 0;
  int diagonal = 0;
  int base = 0;
};

struct PointerModeHandle : Object {
  int mode = 0;
};

int create(void** handle, SparseMatrix const& values) {
  if (!create_object<SparseMatrix>(handle)) return invalid_value;
  auto* const matrix = object_of<SparseMatrix>(*handle);
  matrix->rows = values.rows;
  matrix->columns = values.columns;
  matrix->nonzeros = values.nonzeros;
  matrix->format = values.format;
  return success;
}

int create(void** handle, Format format, std::int64_t rows, std::int64_t columns,
           std::int64_t nonzeros) {
  SparseMatrix values;
  values.rows = rows;
  values.columns = columns;
  values.nonzeros = nonzeros;
  values.format = format;
  return create(handle, values);
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int cusparseCreate(void** handle) {
  return create_object<PointerModeHandle>(handle) ? success : invalid_value;
}
VRAMLAB_EXPORT int cusparseSetPointerMode(void* handle, int mode) {
  if (auto* const known = object_of<PointerModeHandle>(handle)) known->mode = mode;
  return success;
}
VRAMLAB_EXPORT int cusparseGetPointerMode(void* handle, int* mode) {
  const auto* const known = object_of<PointerModeHandle>(handle);
  put(mode, known == nullptr ? 0 : known->mode);
  return success;
}
VRAMLAB_EXPORT int cusparseGetVersion(void*, int* version) {
  put(version, 12000 + part_of_version(1) * 100);
  return success;
}
VRAMLAB_EXPORT int cusparseGetProperty(int property, int* value) {
  put(value, property == 0 ? 12 : part_of_version(property));
  return success;
}
VRAMLAB_EXPORT const char* cusparseGetErrorName(int status) {
  return status == success ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_INVALID_VALUE";
}
VRAMLAB_EXPORT const char* cusparseGetErrorString(int status) {
  return status == success ? "success" : "invalid value";
}

#define VRAMLAB_COMPRESSED(name, format)                                                          \
  VRAMLAB_EXPORT int name(void** matrix, std::int64_t rows, std::int64_t columns,                 \
                          std::int64_t nonzeros, const void*, const void*, const void*, int, int, \
                          int, int) {                                                             \
    return create(matrix, format, rows, columns, nonzeros);                                       \
  }
VRAMLAB_COMPRESSED(cusparseCreateCsr, csr)
VRAMLAB_COMPRESSED(cusparseCreateConstCsr, csr)
VRAMLAB_COMPRESSED(cusparseCreateCsc, csc)
VRAMLAB_COMPRESSED(cusparseCreateConstCsc, csc)
VRAMLAB_EXPORT int cusparseCreateCoo(void** matrix, std::int64_t rows, std::int64_t columns,
                                     std::int64_t nonzeros, const void*, const void*, const void*,
                                     int, int, int) {
  return create(matrix, coo, rows, columns, nonzeros);
}
VRAMLAB_EXPORT int cusparseCreateConstCoo(void** matrix, std::int64_t rows, std::int64_t columns,
                                          std::int64_t nonzeros, const void*, const void*,
                                          const void*, int, int, int) {
  return create(matrix, coo, rows, columns, nonzeros);
}
VRAMLAB_EXPORT int cusparseSpMatGetSize(void* handle, std::int64_t* rows, std::int64_t* columns,
                                        std::int64_t* nonzeros) {
  const auto* const matrix = object_of<SparseMatrix>(handle);
  if (matrix == nullptr) return invalid_value;
  note_modelled("cusparse nonzeros");
  put(rows, matrix->rows);
  put(columns, matrix->columns);
  put(nonzeros, matrix->nonzeros);
  return success;
}
VRAMLAB_EXPORT int cusparseSpMatGetFormat(void* handle, int* format) {
  const auto* const matrix = object_of<SparseMatrix>(handle);
  if (matrix == nullptr) return invalid_value;
  put(format, matrix->format);
  return success;
}

VRAMLAB_EXPORT int cusparseCreateMatDescr(void** description) {
  return create_object<MatrixDescription>(description) ? success : invalid_value;
}
#define VRAMLAB_DESCRIPTION(name, member)                                 \
  VRAMLAB_EXPORT int cusparseSet##name(void* handle, int value) {         \
    auto* const description = object_of<MatrixDescription>(handle);       \
    if (description == nullptr) return invalid_value;                     \
    description->member = value;                                          \
    return success;                                                       \
  }                                                                       \
  VRAMLAB_EXPORT int cusparseGet##name(const void* handle) {              \
    const auto* const description = object_of<MatrixDescription>(handle); \
    return description == nullptr ? 0 : description->member;              \
  }
VRAMLAB_DESCRIPTION(MatType, type)
VRAMLAB_DESCRIPTION(MatFillMode, fill)
VRAMLAB_DESCRIPTION(MatDiagType, diagonal)
VRAMLAB_DESCRIPTION(MatIndexBase, base)
