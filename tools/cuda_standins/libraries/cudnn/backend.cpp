#include "tools/cuda_standins/libraries/cudnn/backend.h"

#include <algorithm>
#include <cstring>

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
  const bool is_fast = plan.engine == fast_engine;
  return answer(query, is_fast ? static_cast<std::int64_t>(plan.facts.workspace_bytes) : 0);
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

/// Takes over what the descriptor is made of.
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
