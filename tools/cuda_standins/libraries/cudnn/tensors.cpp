// cuDNN: tensors, filters, activations and pooling. Programs can ask for the values that they set.

#include <algorithm>
#include <numeric>

#include "tools/cuda_standins/libraries/cudnn/descriptors.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {
namespace {

/// Strides of a packed tensor: the last dimension is the closest one, or the channels are.
void pack(TensorDescriptor& tensor, int format) {
  const int last = tensor.dimensions - 1;
  int stride = 1;
  const auto place = [&](int dimension) {
    tensor.strides[static_cast<std::size_t>(dimension)] = stride;
    stride *= tensor.sizes[static_cast<std::size_t>(dimension)];
  };
  if (format == 1 && last > 0) place(1);
  for (int dimension = last; dimension >= 0; --dimension)
    if (format != 1 || dimension != 1) place(dimension);
}

template <typename Descriptor>
int set_sizes(Descriptor& descriptor, int type, int dimensions, const int* sizes) {
  if (dimensions < 1 || dimensions > most_dimensions || sizes == nullptr) return bad_parameter;
  descriptor.type = type;
  descriptor.dimensions = dimensions;
  std::copy_n(sizes, dimensions, descriptor.sizes.begin());
  return success;
}

template <std::size_t count>
void put_all(int* place, const std::array<int, count>& values, int wanted, int known) {
  if (place != nullptr && wanted > 0) std::copy_n(values.begin(), std::min(wanted, known), place);
}

}  // namespace
}  // namespace vramlab::dry_run::cudnn

using namespace vramlab::dry_run;
using namespace vramlab::dry_run::cudnn;

VRAMLAB_EXPORT int cudnnCreateTensorDescriptor(void** tensor) {
  return create_object<TensorDescriptor>(tensor) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetTensorNdDescriptor(void* handle, int type, int dimensions,
                                              const int* sizes, const int* strides) {
  auto* const tensor = object_of<TensorDescriptor>(handle);
  if (tensor == nullptr || strides == nullptr) return bad_parameter;
  if (const int error = set_sizes(*tensor, type, dimensions, sizes)) return error;
  std::copy_n(strides, dimensions, tensor->strides.begin());
  return success;
}
VRAMLAB_EXPORT int cudnnSetTensorNdDescriptorEx(void* handle, int format, int type, int dimensions,
                                                const int* sizes) {
  auto* const tensor = object_of<TensorDescriptor>(handle);
  if (tensor == nullptr) return bad_parameter;
  if (const int error = set_sizes(*tensor, type, dimensions, sizes)) return error;
  pack(*tensor, format);
  return success;
}
VRAMLAB_EXPORT int cudnnSetTensor4dDescriptor(void* handle, int format, int type, int n, int c,
                                              int h, int w) {
  const int sizes[] = {n, c, h, w};
  return cudnnSetTensorNdDescriptorEx(handle, format, type, 4, sizes);
}
VRAMLAB_EXPORT int cudnnSetTensor4dDescriptorEx(void* handle, int type, int n, int c, int h, int w,
                                                int n_stride, int c_stride, int h_stride,
                                                int w_stride) {
  const int sizes[] = {n, c, h, w};
  const int strides[] = {n_stride, c_stride, h_stride, w_stride};
  return cudnnSetTensorNdDescriptor(handle, type, 4, sizes, strides);
}
VRAMLAB_EXPORT int cudnnGetTensorNdDescriptor(void* handle, int wanted, int* type, int* dimensions,
                                              int* sizes, int* strides) {
  const auto* const tensor = object_of<TensorDescriptor>(handle);
  if (tensor == nullptr) return bad_parameter;
  put(type, tensor->type);
  put(dimensions, tensor->dimensions);
  put_all(sizes, tensor->sizes, wanted, tensor->dimensions);
  put_all(strides, tensor->strides, wanted, tensor->dimensions);
  return success;
}
VRAMLAB_EXPORT int cudnnGetTensor4dDescriptor(void* handle, int* type, int* n, int* c, int* h,
                                              int* w, int* n_stride, int* c_stride, int* h_stride,
                                              int* w_stride) {
  const auto* const tensor = object_of<TensorDescriptor>(handle);
  if (tensor == nullptr || tensor->dimensions != 4) return bad_parameter;
  put(type, tensor->type);
  int* const sizes[] = {n, c, h, w};
  int* const strides[] = {n_stride, c_stride, h_stride, w_stride};
  for (std::size_t at = 0; at < 4; ++at) {
    put(sizes[at], tensor->sizes[at]);
    put(strides[at], tensor->strides[at]);
  }
  return success;
}
VRAMLAB_EXPORT int cudnnGetTensorSizeInBytes(void* handle, std::size_t* bytes) {
  const auto* const tensor = object_of<TensorDescriptor>(handle);
  if (tensor == nullptr) return bad_parameter;
  std::size_t last = 0;
  for (std::size_t at = 0; at < static_cast<std::size_t>(tensor->dimensions); ++at)
    last += static_cast<std::size_t>(tensor->sizes[at] - 1) *
            static_cast<std::size_t>(tensor->strides[at]);
  put(bytes, (last + 1) * bytes_of(tensor->type));
  return success;
}

VRAMLAB_EXPORT int cudnnCreateFilterDescriptor(void** filter) {
  return create_object<FilterDescriptor>(filter) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetFilterNdDescriptor(void* handle, int type, int format, int dimensions,
                                              const int* sizes) {
  auto* const filter = object_of<FilterDescriptor>(handle);
  if (filter == nullptr) return bad_parameter;
  filter->format = format;
  return set_sizes(*filter, type, dimensions, sizes);
}
VRAMLAB_EXPORT int cudnnSetFilter4dDescriptor(void* handle, int type, int format, int k, int c,
                                              int h, int w) {
  const int sizes[] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(handle, type, format, 4, sizes);
}
VRAMLAB_EXPORT int cudnnGetFilterNdDescriptor(void* handle, int wanted, int* type, int* format,
                                              int* dimensions, int* sizes) {
  const auto* const filter = object_of<FilterDescriptor>(handle);
  if (filter == nullptr) return bad_parameter;
  put(type, filter->type);
  put(format, filter->format);
  put(dimensions, filter->dimensions);
  put_all(sizes, filter->sizes, wanted, filter->dimensions);
  return success;
}
VRAMLAB_EXPORT int cudnnGetFilter4dDescriptor(void* handle, int* type, int* format, int* k, int* c,
                                              int* h, int* w) {
  int sizes[4] = {};
  const int status = cudnnGetFilterNdDescriptor(handle, 4, type, format, nullptr, sizes);
  int* const places[] = {k, c, h, w};
  for (std::size_t at = 0; at < 4; ++at) put(places[at], sizes[at]);
  return status;
}
VRAMLAB_EXPORT int cudnnGetFilterSizeInBytes(void* handle, std::size_t* bytes) {
  const auto* const filter = object_of<FilterDescriptor>(handle);
  if (filter == nullptr) return bad_parameter;
  std::size_t total = bytes_of(filter->type);
  for (std::size_t at = 0; at < static_cast<std::size_t>(filter->dimensions); ++at)
    total *= static_cast<std::size_t>(filter->sizes[at]);
  put(bytes, total);
  return success;
}

VRAMLAB_EXPORT int cudnnCreateActivationDescriptor(void** activation) {
  return create_object<ActivationDescriptor>(activation) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetActivationDescriptor(void* handle, int mode, int nan,
                                                double coefficient) {
  auto* const activation = object_of<ActivationDescriptor>(handle);
  if (activation == nullptr) return bad_parameter;
  activation->mode = mode;
  activation->nan = nan;
  activation->coefficient = coefficient;
  return success;
}
VRAMLAB_EXPORT int cudnnGetActivationDescriptor(void* handle, int* mode, int* nan,
                                                double* coefficient) {
  const auto* const activation = object_of<ActivationDescriptor>(handle);
  if (activation == nullptr) return bad_parameter;
  put(mode, activation->mode);
  put(nan, activation->nan);
  put(coefficient, activation->coefficient);
  return success;
}

VRAMLAB_EXPORT int cudnnCreatePoolingDescriptor(void** pooling) {
  return create_object<PoolingDescriptor>(pooling) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetPoolingNdDescriptor(void* handle, int mode, int nan, int dimensions,
                                               const int* windows, const int* paddings,
                                               const int* strides) {
  auto* const pooling = object_of<PoolingDescriptor>(handle);
  if (pooling == nullptr || dimensions < 1 || dimensions > most_dimensions) return bad_parameter;
  pooling->mode = mode;
  pooling->nan = nan;
  pooling->dimensions = dimensions;
  std::copy_n(windows, dimensions, pooling->windows.begin());
  std::copy_n(paddings, dimensions, pooling->paddings.begin());
  std::copy_n(strides, dimensions, pooling->strides.begin());
  return success;
}
VRAMLAB_EXPORT int cudnnSetPooling2dDescriptor(void* handle, int mode, int nan, int height,
                                               int width, int vertical_padding,
                                               int horizontal_padding, int vertical_stride,
                                               int horizontal_stride) {
  const int windows[] = {height, width};
  const int paddings[] = {vertical_padding, horizontal_padding};
  const int strides[] = {vertical_stride, horizontal_stride};
  return cudnnSetPoolingNdDescriptor(handle, mode, nan, 2, windows, paddings, strides);
}
VRAMLAB_EXPORT int cudnnGetPoolingNdDescriptor(void* handle, int wanted, int* mode, int* nan,
                                               int* dimensions, int* windows, int* paddings,
                                               int* strides) {
  const auto* const pooling = object_of<PoolingDescriptor>(handle);
  if (pooling == nullptr) return bad_parameter;
  put(mode, pooling->mode);
  put(nan, pooling->nan);
  put(dimensions, pooling->dimensions);
  put_all(windows, pooling->windows, wanted, pooling->dimensions);
  put_all(paddings, pooling->paddings, wanted, pooling->dimensions);
  put_all(strides, pooling->strides, wanted, pooling->dimensions);
  return success;
}
VRAMLAB_EXPORT int cudnnGetPoolingNdForwardOutputDim(void* handle, void* input, int dimensions,
                                                     int* sizes) {
  const auto* const pooling = object_of<PoolingDescriptor>(handle);
  const auto* const tensor = object_of<TensorDescriptor>(input);
  if (pooling == nullptr || tensor == nullptr || dimensions != tensor->dimensions)
    return bad_parameter;
  for (std::size_t at = 0; at < static_cast<std::size_t>(dimensions); ++at) {
    sizes[at] = tensor->sizes[at];
    if (at < 2) continue;
    const std::size_t place = at - 2;
    sizes[at] = 1 + (sizes[at] + 2 * pooling->paddings[place] - pooling->windows[place]) /
                        pooling->strides[place];
  }
  return success;
}
VRAMLAB_EXPORT int cudnnGetPooling2dForwardOutputDim(void* handle, void* input, int* n, int* c,
                                                     int* h, int* w) {
  int sizes[4] = {};
  const int status = cudnnGetPoolingNdForwardOutputDim(handle, input, 4, sizes);
  int* const places[] = {n, c, h, w};
  for (std::size_t at = 0; at < 4; ++at) put(places[at], sizes[at]);
  return status;
}
