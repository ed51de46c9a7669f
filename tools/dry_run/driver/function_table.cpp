#include "tools/dry_run/driver/driver_call.h"
#include "tools/dry_run/driver/driver_functions.h"

namespace vramlab::dry_run {

std::span<const StandInFunction> stand_in_functions() {
#define STAND_IN_ADDRESS(symbol) reinterpret_cast<void*>(&STAND_IN_SYMBOL(symbol))
#define STAND_IN_LIST(name, symbol, version, parameters) \
  {#name, #symbol, version, StreamVariant::plain, STAND_IN_ADDRESS(symbol)},
#define STAND_IN_LIST_TWO(name, symbol, version, suffix, other, parameters) \
  STAND_IN_LIST(name, symbol, version, parameters){                         \
      #name, #symbol #suffix, other, StreamVariant::per_thread, STAND_IN_ADDRESS(symbol##suffix)},
  static const StandInFunction functions[] = {
      VRAMLAB_CUDA_FUNCTIONS(STAND_IN_LIST, STAND_IN_LIST_TWO)};
  return functions;
}

}  // namespace vramlab::dry_run
