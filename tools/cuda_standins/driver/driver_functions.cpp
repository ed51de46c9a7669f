// The driver's functions by name and symbol, and the answer of those that are not written here.
//
// Only addresses are wanted of the others, so that all are declared without parameters; this source
// must be compiled alone.
#include "tools/cuda_standins/driver/driver_functions.h"

#include <algorithm>
#include <string>

#include "streams/cuda_interface/function_list.h"
#include "streams/cuda_interface/function_name.h"
#include "tools/cuda_standins/driver/driver_symbols.h"
#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::dry_run {
namespace {

/// The answer of a function that is not written; the report tells of the call.
CUresult answer_unknown(const char* symbol) {
  vramlab_dry_run_note("unknown", (std::string("libcuda.so.1 ") + symbol).c_str());
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace
}  // namespace vramlab::dry_run

#define STAND_IN_written(symbol) extern "C" CUresult STAND_IN_SYMBOL(symbol)();
#define STAND_IN_unknown(symbol)                       \
  STAND_IN_EXPORT CUresult STAND_IN_SYMBOL(symbol)() { \
    return vramlab::dry_run::answer_unknown(#symbol);  \
  }
#define STAND_IN_ONE(name, symbol, since, stand_in, ...) STAND_IN_##stand_in(symbol)
#define STAND_IN_TWO(name, symbol, since, suffix, other, stand_in, ...) \
  STAND_IN_##stand_in(symbol) STAND_IN_##stand_in(symbol##suffix)
#define STAND_IN_BARE_ONE(symbol, since, stand_in, runtime) STAND_IN_##stand_in(symbol)
#define STAND_IN_BARE_TWO(symbol, since, suffix, other, stand_in, runtime) \
  STAND_IN_##stand_in(symbol) STAND_IN_##stand_in(symbol##suffix)
VRAMLAB_CUDA_FUNCTIONS(STAND_IN_ONE, STAND_IN_TWO, STAND_IN_BARE_ONE, STAND_IN_BARE_TWO)

namespace vramlab::dry_run {

std::span<const DriverFunction> driver_functions() {
#define STAND_IN_ROW(name, symbol, since, variant) \
  {name, #symbol, since, StreamVariant::variant, reinterpret_cast<void*>(&STAND_IN_SYMBOL(symbol))},
#define STAND_IN_ROW_OF_ONE(name, symbol, since, ...) STAND_IN_ROW(#name, symbol, since, plain)
#define STAND_IN_ROW_OF_TWO(name, symbol, since, suffix, other, ...) \
  STAND_IN_ROW(#name, symbol, since, plain)                          \
  STAND_IN_ROW(#name, symbol##suffix, other, per_thread)
#define STAND_IN_ROW_OF_BARE_ONE(symbol, since, ...) \
  STAND_IN_ROW(driver_name(#symbol), symbol, since, plain)
#define STAND_IN_ROW_OF_BARE_TWO(symbol, since, suffix, other, ...) \
  STAND_IN_ROW(driver_name(#symbol), symbol, since, plain)          \
  STAND_IN_ROW(driver_name(#symbol), symbol##suffix, other, per_thread)
  static const DriverFunction functions[] = {
      VRAMLAB_CUDA_FUNCTIONS(STAND_IN_ROW_OF_ONE, STAND_IN_ROW_OF_TWO, STAND_IN_ROW_OF_BARE_ONE,
                             STAND_IN_ROW_OF_BARE_TWO)};
  return functions;
}

namespace {

const DriverFunction* latest(const ProcQuery& query) {
  const DriverFunction* found = nullptr;
  for (const DriverFunction& function : driver_functions())
    if (function.name == query.name && function.variant == query.variant &&
        function.version <= query.version &&
        (found == nullptr || function.version > found->version))
      found = &function;
  return found;
}

}  // namespace

void* find_symbol(std::string_view symbol, int driver_version) {
  for (const DriverFunction& known : driver_functions())
    if (known.symbol == symbol && known.version <= driver_version) return known.address;
  return nullptr;
}

FoundProc find_proc(const ProcQuery& query, int driver_version) {
  const auto is_named = [&](const DriverFunction& function) {
    return function.name == query.name && function.version <= driver_version;
  };
  if (std::ranges::none_of(driver_functions(), is_named)) return {};
  // A function without a variant for per-thread streams is the same for both.
  const DriverFunction* found = latest(query);
  if (found == nullptr) found = latest({query.name, query.version, StreamVariant::plain});
  if (found == nullptr) return {ProcStatus::version_not_sufficient, nullptr};
  return {ProcStatus::found, found->address};
}

}  // namespace vramlab::dry_run
