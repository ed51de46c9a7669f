#include "tools/cuda_standins/libraries/cudnn/backend.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tools/cuda_standins/libraries/cudnn/attention.h"
#include "tools/cuda_standins/libraries/cudnn/convolutions.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {
namespace {

/// One query: how many elements are wanted, how many there are, where they go.
struct Query {
  int attribute;
  int type;
  std::int64_t wanted;
  std::int64_t* count;
  void* elements;
};

BackendDescriptor* descriptor_in(const BackendDescriptor& from, Attribute attribute) {
  return object_of<BackendDescriptor>(from.attributes.get_as<void*>(attribute));
}

template <typename T>
int answer(const Query& query, const T* values, std::int64_t count) {
  put(query.count, count);
  if (query.elements != nullptr && query.wanted > 0)
    std::copy_n(values, std::min(query.wanted, count), static_cast<T*>(query.elements));
  return success;
}

int answer(const Query& query, std::int64_t value) { return answer(query, &value, 1); }

int answer_nothing(const Query& query) {
  put(query.count, 0);
  return success;
}

/// The program's own descriptors are filled, one for each engine that is told. The count is that of
/// the descriptors filled, or, if there are none, of the engines.
int fill_engines(const Query& query, const GraphFacts& facts, std::int64_t first,
                 std::int64_t count) {
  auto* const descriptors = static_cast<void**>(query.elements);
  const bool only_counts = descriptors == nullptr || query.wanted < 1;
  const std::int64_t filled = only_counts ? 0 : std::min(query.wanted, count);
  put(query.count, only_counts ? count : filled);
  for (std::int64_t at = 0; at < filled; ++at) {
    auto* const descriptor = object_of<BackendDescriptor>(descriptors[at]);
    if (descriptor == nullptr) return bad_parameter;
    descriptor->facts = facts;
    descriptor->engine = first + at;
  }
  return success;
}

int answer_numerics(const Query& query, const BackendDescriptor& engine) {
  constexpr int tensor_core = 0;
  constexpr int down_convert_inputs = 1;
  constexpr int notes[] = {tensor_core, down_convert_inputs};
  const bool is_plain = engine.engine != fast_engine || !engine.facts.on_tensor_cores;
  const int count = is_plain ? 0 : engine.facts.converts_inputs ? 2 : 1;
  return answer(query, notes, count);
}

int answer_workspace(const Query& query, const BackendDescriptor& plan) {
  note_modelled("cudnn workspace");
  const bool copies = plan.engine == fast_engine || plan.facts.converts_inputs;
  return answer(query, copies ? static_cast<std::int64_t>(plan.facts.workspace_bytes) : 0);
}

int answer_stored(const Query& query, const BackendDescriptor& descriptor) {
  const std::size_t each = bytes_of_element(query.type);
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(query.wanted, 0));
  const std::size_t known =
      descriptor.attributes.get(query.attribute, query.elements, wanted * each);
  put(query.count, known / each);
  return success;
}

int ask(const BackendDescriptor& descriptor, const Query& query) {
  static constexpr char json[] = "{}";
  switch (query.attribute) {
    case graph_engines:
      return answer(query, engine_count);
    case heuristics_results:
      return fill_engines(query, descriptor.facts, 0, engine_count);
    case config_engine:
    case plan_config:
      return fill_engines(query, descriptor.facts, descriptor.engine, 1);
    case engine_index:
      return answer(query, descriptor.engine);
    case engine_numerics:
      return answer_numerics(query, descriptor);
    case engine_behaviors:
    case engine_knobs:
    case engine_layouts:
    case config_knobs:
    case config_intermediates:
      return answer_nothing(query);
    case plan_workspace:
      return answer_workspace(query, descriptor);
    case plan_json:
      return answer(query, json, sizeof(json));
    default:
      return answer_stored(query, descriptor);
  }
}

/// Takes over the parts that the descriptor is made of.
void inherit(BackendDescriptor& descriptor, Attribute from) {
  const BackendDescriptor* const source = descriptor_in(descriptor, from);
  if (source == nullptr) return;
  descriptor.facts = source->facts;
  descriptor.engine = source->engine;
}

void finish(BackendDescriptor& descriptor) {
  switch (descriptor.kind) {
    case Kind::graph:
      descriptor.facts = facts_of_graph(descriptor);
      break;
    case Kind::heuristics:
      inherit(descriptor, heuristics_graph);
      break;
    case Kind::engine:
      inherit(descriptor, engine_graph);
      descriptor.engine = descriptor.attributes.get_as<std::int64_t>(engine_index);
      break;
    case Kind::engine_config:
      inherit(descriptor, config_engine);
      break;
    case Kind::plan:
      inherit(descriptor, plan_config);
      break;
    default:
      break;
  }
}

}  // namespace
}  // namespace vramlab::dry_run::cudnn

using namespace vramlab::dry_run;
using namespace vramlab::dry_run::cudnn;

VRAMLAB_EXPORT int cudnnBackendCreateDescriptor(int kind, void** handle) {
  if (!create_object<BackendDescriptor>(handle)) return bad_parameter;
  object_of<BackendDescriptor>(*handle)->kind = static_cast<Kind>(kind);
  return success;
}
VRAMLAB_EXPORT int cudnnBackendDestroyDescriptor(void* handle) {
  destroy_object(handle);
  return success;
}
VRAMLAB_EXPORT int cudnnBackendInitialize(void*) { return success; }
VRAMLAB_EXPORT int cudnnBackendFinalize(void* handle) {
  auto* const descriptor = object_of<BackendDescriptor>(handle);
  if (descriptor == nullptr) return bad_parameter;
  finish(*descriptor);
  return success;
}
VRAMLAB_EXPORT int cudnnBackendSetAttribute(void* handle, int attribute, int type,
                                            std::int64_t count, const void* elements) {
  auto* const descriptor = object_of<BackendDescriptor>(handle);
  if (descriptor == nullptr || count < 0) return bad_parameter;
  descriptor->attributes.set(attribute, elements,
                             static_cast<std::size_t>(count) * bytes_of_element(type));
  return success;
}
VRAMLAB_EXPORT int cudnnBackendGetAttribute(void* handle, int attribute, int type,
                                            std::int64_t wanted, std::int64_t* count,
                                            void* elements) {
  const auto* const descriptor = object_of<BackendDescriptor>(handle);
  if (descriptor == nullptr) return bad_parameter;
  return ask(*descriptor, {attribute, type, wanted, count, elements});
}
VRAMLAB_EXPORT int cudnnBackendExecute(void* handle, void*, void*) {
  put_work_of(handle);
  return success;
}

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

Extent extent_of(const BackendDescriptor* tensor) {
  if (tensor == nullptr) return {0, 0, 0};
  const auto sizes = tensor->attributes.get_all<std::int64_t>(tensor_sizes);
  return extent_of_sizes(sizes.begin(), sizes.end());
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
  shape.input = extent_of(input);
  shape.filter = extent_of(tensor_of(operation, roles.filter));
  shape.output = extent_of(tensor_of(operation, roles.output));
  shape.element_bytes = bytes_of(type);
  shape.is_channels_last = is_channels_last(input);
  shape.may_convert = type != type_double && compute_capability() >= (type == type_float ? 80 : 70);
  facts.on_tensor_cores |= shape.may_convert;
  facts.converts_inputs |= shape.may_convert && type == type_float;
  facts.workspace_bytes = std::max(facts.workspace_bytes, workspace_bytes(roles.direction, shape));
}

std::vector<std::uint64_t> sizes_of(const BackendDescriptor& operation, Attribute role) {
  const BackendDescriptor* const tensor = tensor_of(operation, role);
  std::vector<std::uint64_t> sizes(4);  // batch, head, row, column
  if (tensor == nullptr) return sizes;
  const auto told = tensor->attributes.get_all<std::int64_t>(tensor_sizes);
  if (told.size() != sizes.size()) return sizes;
  std::transform(told.begin(), told.end(), sizes.begin(),
                 [](std::int64_t size) { return static_cast<std::uint64_t>(size); });
  return sizes;
}

AttentionShape attention_shape(const BackendDescriptor& operation) {
  const auto queries = sizes_of(operation, attention_queries);
  return {.batches_and_heads = queries[0] * queries[1],
          .queries = queries[2],
          .keys = sizes_of(operation, attention_keys)[2],
          .width = sizes_of(operation, attention_values)[3]};
}

/// The shape of an attention that is told as two matrix products.
AttentionShape attention_shape(const BackendDescriptor& scores, const BackendDescriptor& sums) {
  const auto queries = sizes_of(scores, product_left);
  return {.batches_and_heads = queries[0] * queries[1],
          .queries = queries[2],
          .keys = sizes_of(scores, product_right)[3],
          .width = sizes_of(sums, product_right)[3]};
}

/// A forward pass is one operation or two matrix products, a backward pass five products.
std::uint64_t workspace_of_attention(const BackendDescriptor& graph) {
  std::vector<const BackendDescriptor*> products;
  for (void* const handle : graph.attributes.get_all<void*>(graph_operations)) {
    const auto* const operation = object_of<BackendDescriptor>(handle);
    if (operation == nullptr) continue;
    if (operation->kind == Kind::attention_forward)
      return attention_forward_workspace(compute_capability(), attention_shape(*operation));
    if (operation->kind == Kind::matrix_product) products.push_back(operation);
  }
  if (products.size() == 2)
    return attention_forward_workspace(compute_capability(),
                                       attention_shape(*products[0], *products[1]));
  return products.size() == 5 ? attention_backward_workspace(compute_capability()) : 0;
}

}  // namespace

GraphFacts facts_of_graph(const BackendDescriptor& graph) {
  GraphFacts facts;
  facts.workspace_bytes = workspace_of_attention(graph);
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
