#include "traces/workloads/workload_parameters.h"

#include "allocator/types/check.h"

namespace vramlab::traces {
namespace {

constexpr StreamId network_stream{1};
constexpr CallSite make_weights{"init_weights", "model/init.py", 18};
constexpr CallSite make_master{"add_param_group", "optim/mixed_adam.py", 27};
constexpr CallSite cast_site{"gradients_to_float", "optim/foreach.py", 15};
constexpr CallSite root_site{"foreach_sqrt", "optim/foreach.py", 33};

Bytes half_of(std::uint64_t elements) { return half_bytes(elements, 1); }
Bytes float_of(std::uint64_t elements) { return float_bytes(elements, 1); }

}  // namespace

std::size_t TrainedParameters::add(std::uint64_t element_count) {
  Parameter parameter;
  parameter.element_count = element_count;
  parameter.weight = writer_.compute(make_weights, half_of(element_count));
  parameter.master = writer_.compute(make_master, float_of(element_count));
  parameters_.push_back(parameter);
  return parameters_.size() - 1;
}

Tensor TrainedParameters::make_gradient(std::size_t parameter) {
  Parameter& owner = parameters_[parameter];
  check(owner.gradient.id == 0, "a parameter has one gradient");
  owner.gradient = writer_.malloc(half_of(owner.element_count));
  return owner.gradient;
}

std::vector<TrainedParameters::Parameter*> TrainedParameters::those_with_gradient() {
  std::vector<Parameter*> found;
  for (Parameter& parameter : parameters_)
    if (parameter.gradient.id != 0) found.push_back(&parameter);
  return found;
}

void TrainedParameters::optimize() {
  const std::vector<Parameter*> parameters = those_with_gradient();
  {
    const CallScope at(writer_, {"step", "optim/mixed_adam.py", 81});
    clip_gradients(parameters);
    make_missing_states(parameters);
    take_step(parameters);
  }
  free_gradients(parameters);
}

void TrainedParameters::clip_gradients(const std::vector<Parameter*>& parameters) {
  const CallScope at(writer_, {"clip_grad_norm", "optim/clip.py", 12});
  std::vector<Tensor> norms;
  for (const Parameter* parameter : parameters) {
    norms.push_back(writer_.malloc({4}));
    writer_.work(memory_ns(parameter->gradient.size));
  }
  const Tensor stacked = writer_.malloc({4 * norms.size()});
  const Tensor total = writer_.compute({4}, shortest_kernel_ns);
  writer_.free_all(norms);
  writer_.free({stacked, total});
}

void TrainedParameters::make_missing_states(const std::vector<Parameter*>& parameters) {
  const CallScope at(writer_, {"init_state", "optim/mixed_adam.py", 40});
  for (Parameter* parameter : parameters) {
    if (parameter->average.id != 0) continue;
    parameter->average = writer_.malloc(float_of(parameter->element_count));
    parameter->square_average =
        writer_.compute(float_of(parameter->element_count), memory_ns(parameter->average.size * 2));
  }
}

void TrainedParameters::take_step(const std::vector<Parameter*>& parameters) {
  std::vector<Tensor> temporaries;
  for (const CallSite* site : {&cast_site, &root_site}) {
    const CallScope at(writer_, *site);
    for (const Parameter* parameter : parameters) {
      temporaries.push_back(writer_.compute(float_of(parameter->element_count)));
    }
  }
  writer_.free_all(temporaries);
}

void TrainedParameters::free_gradients(const std::vector<Parameter*>& parameters) {
  const CallScope at(writer_, {"zero_grad", "optim/mixed_adam.py", 64});
  for (Parameter* parameter : parameters) {
    writer_.free(parameter->gradient);
    parameter->gradient = {};
  }
}

void TrainedParameters::free_all() {
  for (const Parameter& parameter : parameters_)
    for (const Tensor tensor : {parameter.average, parameter.square_average, parameter.gradient,
                                parameter.master, parameter.weight})
      if (tensor.id != 0) writer_.free(tensor);
  parameters_.clear();
}

void GradientBuckets::add(Tensor gradient) {
  waiting_.push_back(gradient);
  waiting_bytes_ += gradient.size;
  if (waiting_bytes_ >= full_) send();
}

/// The bucket's owner lets go of it at once; `use` says that it is still being sent.
void GradientBuckets::send() {
  if (waiting_.empty()) return;
  const CallScope at(writer_, {"all_reduce_bucket", "parallel/buckets.py", 52});
  const Tensor bucket = writer_.malloc(waiting_bytes_);
  writer_.work(memory_ns(bucket.size * 2));
  writer_.wait_for(network_stream, compute_stream);
  writer_.work(network_ns(bucket.size), network_stream);
  writer_.work(memory_ns(bucket.size * 2), network_stream);
  for (const Tensor gradient : waiting_) writer_.use(gradient, network_stream);
  writer_.use(bucket, network_stream);
  writer_.free(bucket);
  waiting_.clear();
  waiting_bytes_ = {};
}

void GradientBuckets::finish() {
  send();
  const CallScope at(writer_, {"finish", "parallel/buckets.py", 71});
  writer_.wait_for(compute_stream, network_stream);
}

}  // namespace vramlab::traces
