#include "tests/fake_cuda/api/fake_call.h"
#include "tests/fake_cuda/api/fake_function_list.h"
#include "tests/fake_cuda/engine/driver_functions.h"

// Where the symbols are CUDA's own, cuda.h has declared them: a function of another type than
// cudaTypedefs.h says does not compile.
#define FAKE_CUDA_DECLARE(name, symbol, version) \
  extern "C" std::remove_pointer_t<PFN_##name##_v##version> FAKE_CUDA_SYMBOL(symbol);
#define FAKE_CUDA_DECLARE_TWO(name, symbol, version, suffix, other) \
  FAKE_CUDA_DECLARE(name, symbol, version)                          \
  extern "C" std::remove_pointer_t<PFN_##name##_v##other##suffix> FAKE_CUDA_SYMBOL(symbol##suffix);
FAKE_CUDA_FUNCTIONS(FAKE_CUDA_DECLARE, FAKE_CUDA_DECLARE_TWO)

namespace vramlab::fake {

std::span<const FakeFunction> fake_functions() {
#define FAKE_CUDA_ADDRESS(symbol) reinterpret_cast<void*>(&FAKE_CUDA_SYMBOL(symbol))
#define FAKE_CUDA_LIST(name, symbol, version) \
  {#name, #symbol, version, StreamVariant::plain, FAKE_CUDA_ADDRESS(symbol)},
#define FAKE_CUDA_LIST_TWO(name, symbol, version, suffix, other)                                  \
  FAKE_CUDA_LIST(name, symbol, version){#name, #symbol #suffix, other, StreamVariant::per_thread, \
                                        FAKE_CUDA_ADDRESS(symbol##suffix)},
  static const FakeFunction functions[] = {FAKE_CUDA_FUNCTIONS(FAKE_CUDA_LIST, FAKE_CUDA_LIST_TWO)};
  return functions;
}

}  // namespace vramlab::fake
