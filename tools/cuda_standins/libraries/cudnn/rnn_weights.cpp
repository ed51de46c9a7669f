#include "tools/cuda_standins/libraries/cudnn/rnn_weights.h"

namespace vramlab::dry_run::cudnn {
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

}  // namespace vramlab::dry_run::cudnn
