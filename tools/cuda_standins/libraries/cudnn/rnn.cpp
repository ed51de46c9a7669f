// cuDNN's RNNs: sizes of weights are exact, those of the work and reserve space are modelled. The
// weights have one piece of memory, laid out as cuDNN documents it: for each pseudo-layer (a layer,
// or one direction of it) the matrices of its gates for the input, those for the recurrence and the
// projection, one behind the other; then, again by pseudo-layer, the biases.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "tools/cuda_standins/libraries/cudnn/descriptors.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {

struct Matrix {
  std::uint64_t offset = 0;  // in elements
  int rows = 0;
  int columns = 0;
};

int gates_of(const RnnDescriptor& rnn);
int directions_of(const RnnDescriptor& rnn);

/// The output of a layer: its hidden state, or the projection of it.
int passed_on(const RnnDescriptor& rnn);

/// All matrices and biases, in elements.
std::uint64_t weight_elements(const RnnDescriptor& rnn);

/// The matrix and the bias of one linear layer; none where the network has none.
std::optional<Matrix> find_matrix(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer);
std::optional<Matrix> find_bias(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer);

namespace {

constexpr int no_bias = 0;
constexpr int bias_at_input = 1;
constexpr int bias_at_recurrence = 3;
constexpr int skips_input = 1;
constexpr int is_bidirectional = 1;

std::uint64_t elements(const Matrix& matrix) {
  return static_cast<std::uint64_t>(matrix.rows) * static_cast<std::uint64_t>(matrix.columns);
}

bool is_projected(const RnnDescriptor& rnn) { return passed_on(rnn) != rnn.hidden_size; }

/// One linear layer of a pseudo-layer, without its place.
Matrix shape_of(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer) {
  const int gates = gates_of(rnn);
  if (linear_layer >= 2 * gates) return {0, passed_on(rnn), rnn.hidden_size};
  if (linear_layer >= gates) return {0, rnn.hidden_size, passed_on(rnn)};
  const bool is_first = pseudo_layer < directions_of(rnn);
  if (is_first && rnn.input == skips_input) return {};
  return {0, rnn.hidden_size, is_first ? rnn.input_size : passed_on(rnn) * directions_of(rnn)};
}

int linear_layers(const RnnDescriptor& rnn) {
  return 2 * gates_of(rnn) + (is_projected(rnn) ? 1 : 0);
}

bool has_bias(const RnnDescriptor& rnn, int linear_layer) {
  const int gates = gates_of(rnn);
  if (linear_layer >= 2 * gates || rnn.bias == no_bias) return false;
  return linear_layer < gates ? rnn.bias != bias_at_recurrence : rnn.bias != bias_at_input;
}

std::uint64_t matrix_elements(const RnnDescriptor& rnn, int pseudo_layer, int before_linear_layer) {
  std::uint64_t sum = 0;
  for (int linear = 0; linear < before_linear_layer; ++linear)
    sum += elements(shape_of(rnn, pseudo_layer, linear));
  return sum;
}

int pseudo_layers(const RnnDescriptor& rnn) { return rnn.layers * directions_of(rnn); }

std::uint64_t all_matrices(const RnnDescriptor& rnn, int before_pseudo_layer) {
  std::uint64_t sum = 0;
  for (int pseudo = 0; pseudo < before_pseudo_layer; ++pseudo)
    sum += matrix_elements(rnn, pseudo, linear_layers(rnn));
  return sum;
}

/// Biases of one pseudo-layer in front of a linear layer.
std::uint64_t biases_before(const RnnDescriptor& rnn, int linear_layer) {
  std::uint64_t sum = 0;
  for (int linear = 0; linear < linear_layer; ++linear)
    if (has_bias(rnn, linear)) sum += static_cast<std::uint64_t>(rnn.hidden_size);
  return sum;
}

bool exists(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer) {
  return pseudo_layer >= 0 && pseudo_layer < pseudo_layers(rnn) && linear_layer >= 0 &&
         linear_layer < linear_layers(rnn);
}

}  // namespace

int gates_of(const RnnDescriptor& rnn) {
  switch (rnn.cell) {
    case 2:
      return 4;
    case 3:
      return 3;
    default:
      return 1;
  }
}

int directions_of(const RnnDescriptor& rnn) { return rnn.direction == is_bidirectional ? 2 : 1; }

int passed_on(const RnnDescriptor& rnn) {
  const bool has_projection = rnn.projected_size > 0 && rnn.projected_size < rnn.hidden_size;
  return has_projection ? rnn.projected_size : rnn.hidden_size;
}

std::uint64_t weight_elements(const RnnDescriptor& rnn) {
  const std::uint64_t biases = biases_before(rnn, linear_layers(rnn));
  return all_matrices(rnn, pseudo_layers(rnn)) +
         biases * static_cast<std::uint64_t>(pseudo_layers(rnn));
}

std::optional<Matrix> find_matrix(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer) {
  if (!exists(rnn, pseudo_layer, linear_layer)) return std::nullopt;
  Matrix matrix = shape_of(rnn, pseudo_layer, linear_layer);
  if (elements(matrix) == 0) return std::nullopt;
  matrix.offset =
      all_matrices(rnn, pseudo_layer) + matrix_elements(rnn, pseudo_layer, linear_layer);
  return matrix;
}

std::optional<Matrix> find_bias(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer) {
  if (!exists(rnn, pseudo_layer, linear_layer) || !has_bias(rnn, linear_layer)) return std::nullopt;
  const std::uint64_t of_one = biases_before(rnn, linear_layers(rnn));
  return Matrix{all_matrices(rnn, pseudo_layers(rnn)) +
                    of_one * static_cast<std::uint64_t>(pseudo_layer) +
                    biases_before(rnn, linear_layer),
                rnn.hidden_size, 1};
}

// The space for work and for the way back, and the exported functions.
namespace {

constexpr int training = 1;

struct TemporarySpace {
  std::uint64_t work_bytes;
  std::uint64_t reserve_bytes;
};

/// Values of each unit at each step that are kept for the way back.
std::uint64_t kept_values(const RnnDescriptor& rnn) {
  switch (gates_of(rnn)) {
    case 4:
      return 5;
    case 3:
      return 6;
    default:
      return 1;
  }
}

/// The model, as an H200 asked for it in 96 networks (CUDA 13.0, PyTorch 2.11.0, 2026-11-27). The
/// way back needs the kept values of each layer, and what layers pass on: to the byte there. The
/// work needs 8 MiB for each layer and direction, a copy of the matrices, and the input and the
/// states of each step several times.
TemporarySpace temporary_space(const RnnDescriptor& rnn, const RnnDataDescriptor& data) {
  constexpr std::uint64_t of_a_layer = 8 << 20;
  constexpr std::uint64_t alignment = 256;
  const auto steps = static_cast<std::uint64_t>(data.steps);
  const auto batch = static_cast<std::uint64_t>(data.batch);
  const auto directions = static_cast<std::uint64_t>(directions_of(rnn));
  const auto layers = static_cast<std::uint64_t>(rnn.layers);
  const std::uint64_t states = batch * directions * static_cast<std::uint64_t>(rnn.hidden_size);
  const std::uint64_t inputs =
      batch * directions * steps * static_cast<std::uint64_t>(rnn.input_size);
  const std::uint64_t element = bytes_of(rnn.type);
  const std::uint64_t work =
      all_matrices(rnn, pseudo_layers(rnn)) + 2 * inputs + (4 * steps + 6 * layers) * states;
  return {of_a_layer * layers * directions + work * element,
          (kept_values(rnn) * layers + layers - 1) * steps * states * element + alignment};
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
  put(work, space.work_bytes);
  put(reserve, mode == training ? space.reserve_bytes : 0);
  return success;
}
