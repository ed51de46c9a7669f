// A model of the memory that cuDNN asks for beside a convolution's tensors. The real size depends
// on its choice among hundreds of kernels, which is not documented, so each answer is noted as
// modelled. The model: kernels for tensor cores work on channels-last tensors, so tensors in
// another order are copied into the workspace first (input, filter and output); and gradients of
// filters are added up in single precision, one copy of the filter. Other convolutions take no
// workspace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramlab::dry_run::cudnn {

enum class Direction { forward, to_input, to_filter };

struct ConvolutionShape {
  std::uint64_t input_elements = 0;
  std::uint64_t filter_elements = 0;
  std::uint64_t output_elements = 0;
  std::size_t element_bytes = 4;
  bool is_channels_last = false;
  bool on_tensor_cores = false;
};

/// Rounded up to 256 bytes.
std::uint64_t workspace_bytes(Direction direction, const ConvolutionShape& shape);

}  // namespace vramlab::dry_run::cudnn
