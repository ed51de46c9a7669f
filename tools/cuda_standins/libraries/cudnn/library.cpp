// cuDNN: versions, errors, dropout, normalization and CTC losses.

#include <atomic>
#include <cstring>

#include "tools/cuda_standins/libraries/cudnn/descriptors.h"
#include "tools/cuda_standins/libraries/kit/calls.h"

namespace vramlab::dry_run::cudnn {
namespace {

std::atomic<std::size_t> chosen_version{0};

/// Without a choice, a late one: PyTorch refuses a version before the one that it was built with.
std::size_t version() {
  const std::size_t chosen = chosen_version.load();
  return chosen == 0 ? 92600 : chosen;
}

/// The state of one generator for each thread that the device can run; a model.
std::size_t dropout_state_bytes() {
  constexpr int multiprocessors = 16;
  constexpr int threads_of_each = 39;
  constexpr std::size_t state_bytes = 48;
  return static_cast<std::size_t>(device_attribute(multiprocessors)) *
         static_cast<std::size_t>(device_attribute(threads_of_each)) * state_bytes;
}

std::size_t elements_of(const void* handle) {
  const auto* const tensor = object_of<TensorDescriptor>(handle);
  if (tensor == nullptr) return 0;
  std::size_t elements = 1;
  for (std::size_t at = 0; at < static_cast<std::size_t>(tensor->dimensions); ++at)
    elements *= static_cast<std::size_t>(tensor->sizes[at]);
  return elements;
}

int set_dropout(void* handle, float probability, void* states, unsigned long long seed) {
  auto* const dropout = object_of<DropoutDescriptor>(handle);
  if (dropout == nullptr) return bad_parameter;
  dropout->probability = probability;
  dropout->states = states;
  dropout->seed = seed;
  return success;
}

/// The model of a CTC loss: a forward and a backward variable for each step, sequence and letter.
int put_ctc_size(const void* probabilities, std::size_t* bytes) {
  note_modelled("cudnn workspace");
  put(bytes, 2 * elements_of(probabilities) * sizeof(float));
  return success;
}

int set_ctc(void* handle, const CtcDescriptor& values) {
  auto* const ctc = object_of<CtcDescriptor>(handle);
  if (ctc == nullptr) return bad_parameter;
  ctc->type = values.type;
  ctc->normalization = values.normalization;
  ctc->gradient = values.gradient;
  ctc->longest_label = values.longest_label;
  return success;
}

int no_bytes(std::size_t* bytes) {
  note_modelled("cudnn workspace");
  put(bytes, 0);
  return success;
}

}  // namespace
}  // namespace vramlab::dry_run::cudnn

using namespace vramlab::dry_run;
using namespace vramlab::dry_run::cudnn;

/// For the start-up hook: the version that this PyTorch was built with.
VRAMLAB_EXPORT void vramlab_dry_run_set_cudnn_version(std::size_t version) {
  chosen_version = version;
}

VRAMLAB_EXPORT std::size_t cudnnGetVersion() { return version(); }
VRAMLAB_EXPORT std::size_t cudnnGetMaxDeviceVersion() { return 1210; }
VRAMLAB_EXPORT std::size_t cudnnGetCudartVersion() {
  return static_cast<std::size_t>(cuda_version());
}
VRAMLAB_EXPORT int cudnnGetProperty(int property, int* value) {
  const auto known = static_cast<int>(version());
  put(value, property == 0 ? known / 10000 : property == 1 ? known % 10000 / 100 : known % 100);
  return success;
}
VRAMLAB_EXPORT const char* cudnnGetErrorString(int status) {
  switch (status) {
    case success:
      return "CUDNN_STATUS_SUCCESS";
    case bad_parameter:
      return "CUDNN_STATUS_BAD_PARAM";
    case not_supported:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}
VRAMLAB_EXPORT void cudnnGetLastErrorString(char* message, std::size_t bytes) {
  if (message != nullptr && bytes > 0) message[0] = '\0';
}
VRAMLAB_EXPORT int cudnnQueryRuntimeError(void*, int* status, int, void*) {
  put(status, success);
  return success;
}
VRAMLAB_EXPORT int cudnnGraphVersionCheck() { return success; }
VRAMLAB_EXPORT int cudnnOpsVersionCheck() { return success; }
VRAMLAB_EXPORT int cudnnCnnVersionCheck() { return success; }
VRAMLAB_EXPORT int cudnnAdvVersionCheck() { return success; }

VRAMLAB_EXPORT int cudnnCreateDropoutDescriptor(void** dropout) {
  return create_object<DropoutDescriptor>(dropout) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnDropoutGetStatesSize(void*, std::size_t* bytes) {
  note_modelled("cudnn workspace");
  put(bytes, dropout_state_bytes());
  return success;
}
VRAMLAB_EXPORT int cudnnDropoutGetReserveSpaceSize(void* tensor, std::size_t* bytes) {
  put(bytes, (elements_of(tensor) + 7) / 8);
  return success;
}
VRAMLAB_EXPORT int cudnnSetDropoutDescriptor(void* dropout, void* handle, float probability,
                                             void* states, std::size_t, unsigned long long seed) {
  put_work_of(handle);  // it fills the states
  return set_dropout(dropout, probability, states, seed);
}
VRAMLAB_EXPORT int cudnnRestoreDropoutDescriptor(void* dropout, void*, float probability,
                                                 void* states, std::size_t,
                                                 unsigned long long seed) {
  return set_dropout(dropout, probability, states, seed);
}
VRAMLAB_EXPORT int cudnnGetDropoutDescriptor(void* handle, void*, float* probability, void** states,
                                             unsigned long long* seed) {
  const auto* const dropout = object_of<DropoutDescriptor>(handle);
  if (dropout == nullptr) return bad_parameter;
  put(probability, dropout->probability);
  put(states, dropout->states);
  put(seed, dropout->seed);
  return success;
}

VRAMLAB_EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void*, int, int, void*,
                                                                            void*, void*, void*,
                                                                            void*,
                                                                            std::size_t* bytes) {
  return no_bytes(bytes);
}
VRAMLAB_EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(void*, int, int, void*, void*,
                                                                     void*, void*, void*, void*,
                                                                     void*, std::size_t* bytes) {
  return no_bytes(bytes);
}
VRAMLAB_EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void*, int, int, void*,
                                                                        void*, std::size_t* bytes) {
  return no_bytes(bytes);
}

VRAMLAB_EXPORT int cudnnCreateCTCLossDescriptor(void** ctc) {
  return create_object<CtcDescriptor>(ctc) ? success : bad_parameter;
}
VRAMLAB_EXPORT int cudnnSetCTCLossDescriptorEx(void* ctc, int type, int normalization,
                                               int gradient) {
  CtcDescriptor values;
  values.type = type;
  values.normalization = normalization;
  values.gradient = gradient;
  return set_ctc(ctc, values);
}
VRAMLAB_EXPORT int cudnnSetCTCLossDescriptor_v9(void* ctc, int type, int normalization,
                                                int gradient, int longest_label) {
  CtcDescriptor values;
  values.type = type;
  values.normalization = normalization;
  values.gradient = gradient;
  values.longest_label = longest_label;
  return set_ctc(ctc, values);
}
VRAMLAB_EXPORT int cudnnGetCTCLossDescriptor_v9(void* handle, int* type, int* normalization,
                                                int* gradient, int* longest_label) {
  const auto* const ctc = object_of<CtcDescriptor>(handle);
  if (ctc == nullptr) return bad_parameter;
  put(type, ctc->type);
  put(normalization, ctc->normalization);
  put(gradient, ctc->gradient);
  put(longest_label, ctc->longest_label);
  return success;
}
VRAMLAB_EXPORT int cudnnGetCTCLossWorkspaceSize(void*, void* probabilities, void*, const int*,
                                                const int*, const int*, int, void*,
                                                std::size_t* bytes) {
  return put_ctc_size(probabilities, bytes);
}
VRAMLAB_EXPORT int cudnnGetCTCLossWorkspaceSize_v8(void*, int, void*, void* probabilities, void*,
                                                   std::size_t* bytes) {
  return put_ctc_size(probabilities, bytes);
}
