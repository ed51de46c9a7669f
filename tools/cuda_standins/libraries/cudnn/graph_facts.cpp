#include <algorithm>

#include "tools/cuda_standins/libraries/cudnn/backend.h"
#include "tools/cuda_standins/libraries/cudnn/convolution_workspace.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {
namespace {

struct Roles {
  Direction direction;
  Attribute input;
  Attribute filter;
  Attribute output;
};

const Roles* roles_of(Kind kind) {
  static constexpr Roles forward{Direction::forward, forward_input, forward_filter, forward_output};
  static constexpr Roles to_input{Direction::to_input, to_input_input, to_input_filter,
                                  to_input_output};
  static constexpr Roles to_filter{Direction::to_filter, to_filter_input, to_filter_filter,
                                   to_filter_output};
  switch (kind) {
    case Kind::convolution_forward:
      return &forward;
    case Kind::convolution_to_input:
      return &to_input;
    case Kind::convolution_to_filter:
      return &to_filter;
    default:
      return nullptr;
  }
}

const BackendDescriptor* tensor_of(const BackendDescriptor& operation, Attribute role) {
  return object_of<BackendDescriptor>(operation.attributes.get_as<void*>(role));
}

std::uint64_t elements_of(const BackendDescriptor* tensor) {
  if (tensor == nullptr) return 0;
  std::uint64_t product = 1;
  for (const std::int64_t size : tensor->attributes.get_all<std::int64_t>(tensor_sizes))
    product *= static_cast<std::uint64_t>(size);
  return product;
}

bool is_channels_last(const BackendDescriptor* tensor) {
  if (tensor == nullptr) return false;
  const auto strides = tensor->attributes.get_all<std::int64_t>(tensor_strides);
  return strides.size() > 2 && strides[1] == 1;
}

void add_convolution(const BackendDescriptor& operation, const Roles& roles, GraphFacts& facts) {
  const BackendDescriptor* const input = tensor_of(operation, roles.input);
  const int type = input == nullptr ? type_float : input->attributes.get_as<int>(tensor_type);
  ConvolutionShape shape;
  shape.input_elements = elements_of(input);
  shape.filter_elements = elements_of(tensor_of(operation, roles.filter));
  shape.output_elements = elements_of(tensor_of(operation, roles.output));
  shape.element_bytes = bytes_of(type);
  shape.is_channels_last = is_channels_last(input);
  shape.on_tensor_cores =
      type != type_double && compute_capability() >= (type == type_float ? 80 : 70);
  facts.on_tensor_cores |= shape.on_tensor_cores;
  facts.converts_inputs |= shape.on_tensor_cores && type == type_float;
  facts.workspace_bytes = std::max(facts.workspace_bytes, workspace_bytes(roles.direction, shape));
}

}  // namespace

GraphFacts facts_of_graph(const BackendDescriptor& graph) {
  GraphFacts facts;
  for (void* const handle : graph.attributes.get_all<void*>(graph_operations)) {
    const auto* const operation = object_of<BackendDescriptor>(handle);
    const Roles* const roles = operation == nullptr ? nullptr : roles_of(operation->kind);
    if (roles != nullptr) add_convolution(*operation, *roles, facts);
  }
  return facts;
}

std::size_t bytes_of_element(int attribute_type) {
  enum : int { handle = 0, boolean = 2, int64 = 3, real64 = 5, pointer = 6, descriptor = 15 };
  enum : int { character = 24, fraction = 26 };
  switch (attribute_type) {
    case boolean:
    case character:
      return 1;
    case handle:
    case int64:
    case real64:
    case pointer:
    case descriptor:
      return 8;
    case fraction:
      return 16;
    default:
      return 4;
  }
}

}  // namespace vramlab::dry_run::cudnn
