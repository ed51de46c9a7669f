#include "tools/cuda_standins/libraries/cudnn/convolution_workspace.h"

namespace vramlab::dry_run::cudnn {

std::uint64_t workspace_bytes(Direction direction, const ConvolutionShape& shape) {
  std::uint64_t bytes = 0;
  if (shape.on_tensor_cores && !shape.is_channels_last)
    bytes = (shape.input_elements + shape.filter_elements + shape.output_elements) *
            shape.element_bytes;
  if (direction == Direction::to_filter && shape.element_bytes < sizeof(float))
    bytes += shape.filter_elements * sizeof(float);
  constexpr std::uint64_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace vramlab::dry_run::cudnn
