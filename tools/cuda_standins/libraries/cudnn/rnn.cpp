// cuDNN's RNNs: sizes of weights are exact, those of the work and reserve space are modelled.

#include <algorithm>
#include <cstring>

#include "tools/cuda_standins/libraries/cudnn/rnn_weights.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {
namespace {

constexpr int training = 1;

struct TemporarySpace {
  std::uint64_t work_elements;
  std::uint64_t reserve_elements;
};

/// The model: while it works, cuDNN keeps the gates of one layer for all steps and a copy of the
/// weights; for the way back, the gates, the state and the output of each layer at each step, and
/// between layers what the dropout left.
TemporarySpace temporary_space(const RnnDescriptor& rnn, const RnnDataDescriptor& data) {
  const auto places =
      static_cast<std::uint64_t>(data.steps) * static_cast<std::uint64_t>(data.batch) *
      static_cast<std::uint64_t>(directions_of(rnn)) * static_cast<std::uint64_t>(rnn.hidden_size);
  const auto gates = static_cast<std::uint64_t>(gates_of(rnn));
  const auto layers = static_cast<std::uint64_t>(rnn.layers);
  const auto* const dropout = object_of<DropoutDescriptor>(rnn.dropout);
  const bool drops = dropout != nullptr && dropout->probability > 0;
  return {places * gates + weight_elements(rnn),
          places * layers * (gates + 2) + (drops ? places * (layers - 1) : 0)};
}

/// Puts the shape into a tensor descriptor and the address beside it; without a matrix, nothing.
void put_matrix(const std::optional<Matrix>& matrix, const RnnDescriptor& rnn, const void* weights,
                void* descriptor, void** address) {
  put(address, nullptr);
  auto* const tensor = object_of<TensorDescriptor>(descriptor);
  if (tensor != nullptr) tensor->dimensions = 0;
  if (!matrix) return;
  if (tensor != nullptr) {
    tensor->type = rnn.type;
    tensor->dimensions = 3;
    tensor->sizes = {1, matrix->rows, matrix->columns};
    tensor->strides = {matrix->rows * matrix->columns, matrix->columns, 1};
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(weights);
  if (address != nullptr)
    *address = reinterpret_cast<void*>(begin + matrix->offset * bytes_of(rnn.type));
}

}  // namespace
}  // namespace vramlab::dry_run::cudnn

using namespace vramlab::dry_run;
using namespace vramlab::dry_run::cudnn;

VRAMLAB_EXPORT int cudnnCreateRNNDescriptor(void** rnn) {
  return create_object<RnnDescriptor>(rnn) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetRNNDescriptor_v8(void* handle, int algorithm, int cell, int bias,
                                            int direction, int input, int type, int compute_type,
                                            int math_type, int input_size, int hidden_size,
                                            int projected_size, int layers, void* dropout,
                                            unsigned flags) {
  auto* const rnn = object_of<RnnDescriptor>(handle);
  if (rnn == nullptr || hidden_size < 1 || layers < 1 || input_size < 0) return bad_parameter;
  rnn->algorithm = algorithm;
  rnn->cell = cell;
  rnn->bias = bias;
  rnn->direction = direction;
  rnn->input = input;
  rnn->type = type;
  rnn->compute_type = compute_type;
  rnn->math_type = math_type;
  rnn->input_size = input_size;
  rnn->hidden_size = hidden_size;
  rnn->projected_size = projected_size;
  rnn->layers = layers;
  rnn->dropout = dropout;
  rnn->flags = flags;
  return success;
}
VRAMLAB_EXPORT int cudnnGetRNNDescriptor_v8(void* handle, int* algorithm, int* cell, int* bias,
                                            int* direction, int* input, int* type,
                                            int* compute_type, int* math_type, int* input_size,
                                            int* hidden_size, int* projected_size, int* layers,
                                            void** dropout, unsigned* flags) {
  const auto* const rnn = object_of<RnnDescriptor>(handle);
  if (rnn == nullptr) return bad_parameter;
  put(algorithm, rnn->algorithm);
  put(cell, rnn->cell);
  put(bias, rnn->bias);
  put(direction, rnn->direction);
  put(input, rnn->input);
  put(type, rnn->type);
  put(compute_type, rnn->compute_type);
  put(math_type, rnn->math_type);
  put(input_size, rnn->input_size);
  put(hidden_size, rnn->hidden_size);
  put(projected_size, rnn->projected_size);
  put(layers, rnn->layers);
  put(dropout, rnn->dropout);
  put(flags, rnn->flags);
  return success;
}
VRAMLAB_EXPORT int cudnnRNNSetClip_v8(void*, int, int, double, double) { return success; }
VRAMLAB_EXPORT int cudnnRNNSetClip_v9(void*, int, double, double) { return success; }
VRAMLAB_EXPORT int cudnnBuildRNNDynamic(void*, void*, int) { return success; }

VRAMLAB_EXPORT int cudnnCreateRNNDataDescriptor(void** data) {
  return create_object<RnnDataDescriptor>(data) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetRNNDataDescriptor(void* handle, int type, int layout, int steps,
                                             int batch, int vector, const int* lengths,
                                             void* padding) {
  auto* const data = object_of<RnnDataDescriptor>(handle);
  if (data == nullptr || steps < 1 || batch < 1) return bad_parameter;
  data->type = type;
  data->layout = layout;
  data->steps = steps;
  data->batch = batch;
  data->vector = vector;
  data->lengths.clear();
  if (lengths != nullptr) data->lengths.assign(lengths, lengths + batch);
  data->padding = 0;
  if (padding != nullptr) std::memcpy(&data->padding, padding, bytes_of(type));
  return success;
}
VRAMLAB_EXPORT int cudnnGetRNNDataDescriptor(void* handle, int* type, int* layout, int* steps,
                                             int* batch, int* vector, int wanted, int* lengths,
                                             void* padding) {
  const auto* const data = object_of<RnnDataDescriptor>(handle);
  if (data == nullptr) return bad_parameter;
  put(type, data->type);
  put(layout, data->layout);
  put(steps, data->steps);
  put(batch, data->batch);
  put(vector, data->vector);
  if (lengths != nullptr && wanted > 0)
    std::copy_n(data->lengths.begin(),
                std::min(static_cast<std::size_t>(wanted), data->lengths.size()), lengths);
  if (padding != nullptr) std::memcpy(padding, &data->padding, bytes_of(data->type));
  return success;
}

VRAMLAB_EXPORT int cudnnGetRNNWeightSpaceSize(void*, void* handle, std::size_t* bytes) {
  const auto* const rnn = object_of<RnnDescriptor>(handle);
  if (rnn == nullptr || bytes == nullptr) return bad_parameter;
  *bytes = weight_elements(*rnn) * bytes_of(rnn->type);
  return success;
}
VRAMLAB_EXPORT int cudnnGetRNNWeightParams(void*, void* handle, int pseudo_layer, std::size_t,
                                           const void* weights, int linear_layer, void* matrix,
                                           void** matrix_address, void* bias, void** bias_address) {
  const auto* const rnn = object_of<RnnDescriptor>(handle);
  if (rnn == nullptr) return bad_parameter;
  put_matrix(find_matrix(*rnn, pseudo_layer, linear_layer), *rnn, weights, matrix, matrix_address);
  put_matrix(find_bias(*rnn, pseudo_layer, linear_layer), *rnn, weights, bias, bias_address);
  return success;
}
VRAMLAB_EXPORT int cudnnGetRNNTempSpaceSizes(void*, void* handle, int mode, void* data_handle,
                                             std::size_t* work, std::size_t* reserve) {
  const auto* const rnn = object_of<RnnDescriptor>(handle);
  const auto* const data = object_of<RnnDataDescriptor>(data_handle);
  if (rnn == nullptr || data == nullptr) return bad_parameter;
  note_modelled("cudnn workspace");
  const TemporarySpace space = temporary_space(*rnn, *data);
  put(work, space.work_elements * bytes_of(rnn->type));
  put(reserve, mode == training ? space.reserve_elements * bytes_of(rnn->type) : 0);
  return success;
}
