#include "tests/fake_cuda/api/fake_call.h"
#include "tests/fake_cuda/engine/driver_functions.h"

namespace vramlab::fake {

std::span<const FakeFunction> fake_functions() {
#define FAKE_CUDA_ADDRESS(symbol) reinterpret_cast<void*>(&FAKE_CUDA_SYMBOL(symbol))
#define FAKE_CUDA_LIST(name, symbol, version, parameters) \
  {#name, #symbol, version, StreamVariant::plain, FAKE_CUDA_ADDRESS(symbol)},
#define FAKE_CUDA_LIST_TWO(name, symbol, version, suffix, other, parameters)       \
  FAKE_CUDA_LIST(name, symbol, version, parameters){#name, #symbol #suffix, other, \
                                                    StreamVariant::per_thread,     \
                                                    FAKE_CUDA_ADDRESS(symbol##suffix)},
  static const FakeFunction functions[] = {
      VRAMLAB_CUDA_FUNCTIONS(FAKE_CUDA_LIST, FAKE_CUDA_LIST_TWO)};
  return functions;
}

}  // namespace vramlab::fake
