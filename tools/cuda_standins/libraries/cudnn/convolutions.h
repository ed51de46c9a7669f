// A model of the memory that cuDNN asks for beside a convolution's tensors. The real size depends
// on its choice among hundreds of kernels, which is not documented, so each answer is noted as
// modelled. The model follows what an H200 asked for in 228 convolutions (CUDA 13.0, PyTorch
// 2.11.0, 2026-11-27): kernels work on channels-last tensors, so tensors in another order are
// copied into the workspace first, and filters of one place are in both orders at once. A
// convolution with such a filter and no stride is a matrix product, whose gradient of the filter is
// added up from one part for each picture. Double precision and GPUs without tensor cores take no
// workspace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramlab::dry_run::cudnn {

enum class Direction { forward, to_input, to_filter };

/// Numbers of a tensor of pictures by channels by places, or of a filter.
struct Extent {
  std::uint64_t elements = 1;
  std::uint64_t pictures = 1;
  std::uint64_t places = 1;  // of one channel
};

/// The extent of sizes in this order: pictures, channels, then each direction.
template <typename Iterator>
Extent extent_of_sizes(Iterator begin, Iterator end) {
  Extent extent;
  for (Iterator at = begin; at != end; ++at) {
    const auto size = static_cast<std::uint64_t>(*at);
    extent.elements *= size;
    if (at == begin) extent.pictures = size;
    if (at - begin > 1) extent.places *= size;
  }
  return extent;
}

struct ConvolutionShape {
  Extent input;
  Extent filter;
  Extent output;
  std::size_t element_bytes = 4;
  bool is_channels_last = false;
  bool may_convert = false;  // its kernels work on channels-last tensors
};

/// Bytes for one pass.
std::uint64_t workspace_bytes(Direction direction, const ConvolutionShape& shape);

}  // namespace vramlab::dry_run::cudnn
