// CUDA's runtime: the last error, names and texts.
#include "tools/cuda_standins/runtime/errors.h"

#include <algorithm>
#include <utility>

#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

const ErrorText* find_text(int code) {
  const auto texts = error_texts();
  const auto* const found = std::ranges::lower_bound(texts, code, {}, &ErrorText::code).base();
  return found != texts.data() + texts.size() && found->code == code ? found : nullptr;
}

constexpr const char* unknown_code = "unrecognized error code";

}  // namespace

CUDART_CALL(cudaGetLastError)() { return std::exchange(runtime_thread().last_error, 0); }
CUDART_CALL(cudaPeekAtLastError)() { return runtime_thread().last_error; }

const char* cudaGetErrorName(int error) {
  const ErrorText* const found = find_text(error);
  return found == nullptr ? unknown_code : found->name;
}
const char* cudaGetErrorString(int error) {
  const ErrorText* const found = find_text(error);
  return found == nullptr ? unknown_code : found->text;
}
