// The layout of an RNN's weights in their one piece of memory, as cuDNN documents it: for each
// pseudo-layer (a layer, or one direction of it) the matrices of its gates for the input, those for
// the recurrence and the projection, one behind the other; then, again by pseudo-layer, the biases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tools/cuda_standins/libraries/cudnn/descriptors.h"

namespace vramlab::dry_run::cudnn {

struct Matrix {
  std::uint64_t offset = 0;  // in elements
  int rows = 0;
  int columns = 0;
};

int gates_of(const RnnDescriptor& rnn);
int directions_of(const RnnDescriptor& rnn);

/// What a layer passes on: its hidden state, or the projection of it.
int passed_on(const RnnDescriptor& rnn);

/// All matrices and biases, in elements.
std::uint64_t weight_elements(const RnnDescriptor& rnn);

/// The matrix and the bias of one linear layer; none where the network has none.
std::optional<Matrix> find_matrix(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer);
std::optional<Matrix> find_bias(const RnnDescriptor& rnn, int pseudo_layer, int linear_layer);

}  // namespace vramlab::dry_run::cudnn
