#include "tools/cuda_standins/libraries/cudnn/convolutions.h"

#include <algorithm>
#include <numeric>

#include "tools/cuda_standins/libraries/cudnn/descriptors.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {

namespace {

/// Rows of 16-bit elements have to begin at multiples of 8 bytes.
bool is_matrix_product(const ConvolutionShape& shape) {
  return shape.filter.places == 1 && shape.input.places == shape.output.places &&
         shape.input.places * shape.element_bytes % 8 == 0;
}

std::uint64_t bytes_of_copies(const ConvolutionShape& shape) {
  constexpr std::uint64_t alignment = 16;
  const std::uint64_t filter = shape.filter.places == 1 ? 0 : shape.filter.elements;
  return (shape.input.elements + filter + shape.output.elements) * shape.element_bytes + alignment;
}

}  // namespace

std::uint64_t workspace_bytes(Direction direction, const ConvolutionShape& shape) {
  if (!shape.may_convert || shape.is_channels_last) return 0;
  if (!is_matrix_product(shape)) return bytes_of_copies(shape);
  return direction == Direction::to_filter
             ? shape.input.pictures * shape.filter.elements * sizeof(float)
             : 0;
}

// cuDNN's older calls for convolutions: descriptors, the choice of an algorithm, workspaces. The
// convolutions themselves put work on the handle's stream, as the list says.
namespace {

constexpr int fma_math = 3;
constexpr int no_tensor_cores_below = 70;  // compute capability, without its point

/// One row of what the algorithm queries answer; the three kinds have the same layout.
struct Performance {
  int algorithm;
  int status;
  float time;
  std::size_t bytes;
  int is_deterministic;
  int math_type;
  int reserved[3];
};

/// The tensors of one problem, whichever of them is the result.
struct Problem {
  const void* input;
  const void* filter;
  const void* output;
  const void* convolution;
};

template <typename Descriptor>
Extent extent_of(const Descriptor& descriptor) {
  return extent_of_sizes(descriptor.sizes.begin(),
                         descriptor.sizes.begin() + descriptor.dimensions);
}

ConvolutionShape shape_of(const Problem& problem) {
  ConvolutionShape shape;
  const auto* const input = object_of<TensorDescriptor>(problem.input);
  const auto* const filter = object_of<FilterDescriptor>(problem.filter);
  const auto* const output = object_of<TensorDescriptor>(problem.output);
  const auto* const convolution = object_of<ConvolutionDescriptor>(problem.convolution);
  if (input == nullptr || filter == nullptr || output == nullptr || convolution == nullptr)
    return shape;
  shape.input = extent_of(*input);
  shape.filter = extent_of(*filter);
  shape.output = extent_of(*output);
  shape.element_bytes = bytes_of(input->type);
  shape.is_channels_last = filter->format == 1;
  const bool is_short = shape.element_bytes < sizeof(float);
  shape.may_convert = input->type != type_double && convolution->math_type != fma_math &&
                      (is_short || convolution->math_type != 0 || compute_capability() >= 80) &&
                      compute_capability() >= no_tensor_cores_below;
  return shape;
}

std::size_t modelled_bytes(Direction direction, const Problem& problem) {
  note_modelled("cudnn workspace");
  return workspace_bytes(direction, shape_of(problem));
}

/// Two rows: the fast algorithm (1) with its workspace, and the one (0) that needs none.
int answer(Direction direction, const Problem& problem, int requested, int* returned,
           Performance* rows) {
  if (requested < 1 || returned == nullptr || rows == nullptr) return bad_parameter;
  const auto* const convolution = object_of<ConvolutionDescriptor>(problem.convolution);
  *returned = std::min(requested, 2);
  for (int at = 0; at < *returned; ++at) {
    const bool is_fast = at == 0;
    rows[at] = {};
    rows[at].algorithm = is_fast ? 1 : 0;
    rows[at].time = is_fast ? 1.0F : 2.0F;
    rows[at].bytes = is_fast ? modelled_bytes(direction, problem) : 0;
    rows[at].is_deterministic = is_fast || direction == Direction::forward ? 1 : 0;
    rows[at].math_type = convolution == nullptr ? 0 : convolution->math_type;
  }
  return success;
}

int answer_size(Direction direction, const Problem& problem, int algorithm, std::size_t* bytes) {
  put(bytes, algorithm == 0 ? 0 : modelled_bytes(direction, problem));
  return success;
}

}  // namespace
}  // namespace vramlab::dry_run::cudnn

using namespace vramlab::dry_run;
using namespace vramlab::dry_run::cudnn;

VRAMLAB_EXPORT int cudnnCreateConvolutionDescriptor(void** convolution) {
  return create_object<ConvolutionDescriptor>(convolution) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetConvolutionNdDescriptor(void* handle, int dimensions,
                                                   const int* paddings, const int* strides,
                                                   const int* dilations, int mode, int type) {
  auto* const convolution = object_of<ConvolutionDescriptor>(handle);
  if (convolution == nullptr || dimensions < 0 || dimensions > most_dimensions)
    return bad_parameter;
  convolution->dimensions = dimensions;
  std::copy_n(paddings, dimensions, convolution->paddings.begin());
  std::copy_n(strides, dimensions, convolution->strides.begin());
  std::copy_n(dilations, dimensions, convolution->dilations.begin());
  convolution->mode = mode;
  convolution->compute_type = type;
  return success;
}
VRAMLAB_EXPORT int cudnnSetConvolution2dDescriptor(void* handle, int pad_h, int pad_w, int u, int v,
                                                   int dilation_h, int dilation_w, int mode,
                                                   int type) {
  const int paddings[] = {pad_h, pad_w};
  const int strides[] = {u, v};
  const int dilations[] = {dilation_h, dilation_w};
  return cudnnSetConvolutionNdDescriptor(handle, 2, paddings, strides, dilations, mode, type);
}
VRAMLAB_EXPORT int cudnnGetConvolutionNdDescriptor(void* handle, int wanted, int* dimensions,
                                                   int* paddings, int* strides, int* dilations,
                                                   int* mode, int* type) {
  const auto* const convolution = object_of<ConvolutionDescriptor>(handle);
  if (convolution == nullptr) return bad_parameter;
  const int count = std::min(wanted, convolution->dimensions);
  put(dimensions, convolution->dimensions);
  if (paddings != nullptr) std::copy_n(convolution->paddings.begin(), count, paddings);
  if (strides != nullptr) std::copy_n(convolution->strides.begin(), count, strides);
  if (dilations != nullptr) std::copy_n(convolution->dilations.begin(), count, dilations);
  put(mode, convolution->mode);
  put(type, convolution->compute_type);
  return success;
}

#define VRAMLAB_CONVOLUTION_MEMBER(name, member)                              \
  VRAMLAB_EXPORT int cudnnSetConvolution##name(void* handle, int value) {     \
    auto* const convolution = object_of<ConvolutionDescriptor>(handle);       \
    if (convolution == nullptr) return bad_parameter;                         \
    convolution->member = value;                                              \
    return success;                                                           \
  }                                                                           \
  VRAMLAB_EXPORT int cudnnGetConvolution##name(void* handle, int* value) {    \
    const auto* const convolution = object_of<ConvolutionDescriptor>(handle); \
    if (convolution == nullptr) return bad_parameter;                         \
    put(value, convolution->member);                                          \
    return success;                                                           \
  }
VRAMLAB_CONVOLUTION_MEMBER(GroupCount, groups)
VRAMLAB_CONVOLUTION_MEMBER(MathType, math_type)
VRAMLAB_CONVOLUTION_MEMBER(ReorderType, reorder)

VRAMLAB_EXPORT int cudnnGetConvolutionNdForwardOutputDim(void* handle, void* input, void* weight,
                                                         int dimensions, int* sizes) {
  const auto* const convolution = object_of<ConvolutionDescriptor>(handle);
  const auto* const tensor = object_of<TensorDescriptor>(input);
  const auto* const filter = object_of<FilterDescriptor>(weight);
  if (convolution == nullptr || tensor == nullptr || filter == nullptr ||
      dimensions != tensor->dimensions || dimensions < 2)
    return bad_parameter;
  sizes[0] = tensor->sizes[0];
  sizes[1] = filter->sizes[0];
  for (std::size_t at = 2; at < static_cast<std::size_t>(dimensions); ++at) {
    const std::size_t place = at - 2;
    const int reach = (filter->sizes[at] - 1) * convolution->dilations[place] + 1;
    sizes[at] = 1 + (tensor->sizes[at] + 2 * convolution->paddings[place] - reach) /
                        convolution->strides[place];
  }
  return success;
}
VRAMLAB_EXPORT int cudnnGetConvolution2dForwardOutputDim(void* handle, void* input, void* weight,
                                                         int* n, int* c, int* h, int* w) {
  int sizes[4] = {};
  const int status = cudnnGetConvolutionNdForwardOutputDim(handle, input, weight, 4, sizes);
  int* const places[] = {n, c, h, w};
  for (std::size_t at = 0; at < 4; ++at) put(places[at], sizes[at]);
  return status;
}

// The three kinds of queries: by rules (Get), by trying (Find), by trying on the program's memory
// (FindEx). On a GPU that tries, the fastest may be another one each time; here it is always the
// same.
#define VRAMLAB_ALGORITHM_QUERIES(kind, direction, a, b, c, ...)                                  \
  VRAMLAB_EXPORT int cudnnGetConvolution##kind##AlgorithmMaxCount(void*, int* count) {            \
    put(count, 2);                                                                                \
    return success;                                                                               \
  }                                                                                               \
  VRAMLAB_EXPORT int cudnnGetConvolution##kind##Algorithm_v7(void*, void* a, void* b, void* c,    \
                                                             void* d, int requested,              \
                                                             int* returned, Performance* rows) {  \
    return answer(direction, Problem{__VA_ARGS__}, requested, returned, rows);                    \
  }                                                                                               \
  VRAMLAB_EXPORT int cudnnFindConvolution##kind##Algorithm(void*, void* a, void* b, void* c,      \
                                                           void* d, int requested, int* returned, \
                                                           Performance* rows) {                   \
    return answer(direction, Problem{__VA_ARGS__}, requested, returned, rows);                    \
  }                                                                                               \
  VRAMLAB_EXPORT int cudnnFindConvolution##kind##AlgorithmEx(                                     \
      void* handle, void* a, void*, void* b, void*, void* c, void* d, void*, int requested,       \
      int* returned, Performance* rows, void*, std::size_t) {                                     \
    put_work_of(handle);                                                                          \
    return answer(direction, Problem{__VA_ARGS__}, requested, returned, rows);                    \
  }                                                                                               \
  VRAMLAB_EXPORT int cudnnGetConvolution##kind##WorkspaceSize(                                    \
      void*, void* a, void* b, void* c, void* d, int algorithm, std::size_t* bytes) {             \
    return answer_size(direction, Problem{__VA_ARGS__}, algorithm, bytes);                        \
  }
VRAMLAB_ALGORITHM_QUERIES(Forward, Direction::forward, a, b, c, a, b, d, c)
VRAMLAB_ALGORITHM_QUERIES(BackwardData, Direction::to_input, a, b, c, d, a, b, c)
VRAMLAB_ALGORITHM_QUERIES(BackwardFilter, Direction::to_filter, a, b, c, a, d, b, c)
