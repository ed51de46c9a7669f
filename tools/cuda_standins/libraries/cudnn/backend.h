// cuDNN's graphs: descriptors that are set and asked by attribute, and the facts that follow from
// them. A graph has two engines: a fast one, with the workspace of the model, and a plain one,
// which needs none, unless it is in single precision: it copies tensors as the fast one does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/cuda_standins/libraries/cudnn/descriptors.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run::cudnn {

/// cuDNN's types of descriptors, as far as they matter here.
enum class Kind : int {
  engine = 2,
  engine_config = 3,
  heuristics = 4,
  plan = 5,
  convolution_forward = 10,
  convolution_to_filter = 11,
  convolution_to_input = 12,
  graph = 15,
  tensor = 17,
  matrix_product = 19,
  attention_forward = 41,
};

enum Attribute : int {
  heuristics_graph = 201,
  heuristics_results = 202,
  config_engine = 300,
  config_intermediates = 301,
  config_knobs = 302,
  plan_config = 401,
  plan_workspace = 402,
  plan_json = 405,
  forward_filter = 703,
  forward_input = 704,
  forward_output = 705,
  to_input_filter = 709,
  to_input_input = 710,
  to_input_output = 711,
  to_filter_filter = 715,
  to_filter_input = 716,
  to_filter_output = 717,
  graph_operations = 801,
  graph_engines = 802,
  tensor_type = 901,
  tensor_sizes = 902,
  tensor_strides = 903,
  product_left = 1520,
  product_right = 1521,
  attention_queries = 2800,
  attention_keys = 2801,
  attention_values = 2802,
  engine_graph = 1300,
  engine_index = 1301,
  engine_knobs = 1302,
  engine_numerics = 1303,
  engine_layouts = 1304,
  engine_behaviors = 1305,
};

/// The facts of a graph that answers depend on. Engines, configurations and plans have a copy,
/// because they may live longer than the graph.
struct GraphFacts {
  std::uint64_t workspace_bytes = 0;
  bool on_tensor_cores = false;
  bool converts_inputs = false;  // to a shorter type, as TF32 is
};

inline constexpr std::int64_t engine_count = 2;
inline constexpr std::int64_t fast_engine = 0;

struct BackendDescriptor : Object {
  Kind kind = Kind::tensor;
  Attributes attributes;
  GraphFacts facts;
  std::int64_t engine = fast_engine;
};

GraphFacts facts_of_graph(const BackendDescriptor& graph);

/// Bytes of one element of an attribute.
std::size_t bytes_of_element(int attribute_type);

}  // namespace vramlab::dry_run::cudnn
