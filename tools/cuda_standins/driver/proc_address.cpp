// cuGetProcAddress: the function of a name, as of a version, for one meaning of stream 0.
#include <algorithm>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_functions.h"

namespace vramlab::dry_run {
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
  // What has no variant of its own for per-thread streams is the same for both.
  const DriverFunction* found = latest(query);
  if (found == nullptr) found = latest({query.name, query.version, StreamVariant::plain});
  if (found == nullptr) return {ProcStatus::version_not_sufficient, nullptr};
  return {ProcStatus::found, found->address};
}

}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

namespace {

struct Query {
  const char* symbol;
  void** function;
  int version;
  cuuint64_t flags;
};

CUresult answer_query(StandInDriver& driver, const Query& query,
                      CUdriverProcAddressQueryResult* status) {
  const int driver_version = driver.options().driver_version;
  if (query.symbol == nullptr || query.function == nullptr || query.flags > 2 ||
      query.version > driver_version)
    return CUDA_ERROR_INVALID_VALUE;
  driver.set_text(query.symbol);
  const StreamVariant variant = query.flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                    ? StreamVariant::per_thread
                                    : StreamVariant::plain;
  const FoundProc found = find_proc({query.symbol, query.version, variant}, driver_version);
  *query.function = found.address;
  if (status != nullptr) *status = static_cast<CUdriverProcAddressQueryResult>(found.status);
  return CUDA_SUCCESS;
}

}  // namespace

/// It has no way to say that there is none but to fail.
STAND_IN_CALL(cuGetProcAddress)
(const char* symbol, void** function, int version, cuuint64_t flags) {
  const auto body = [=](StandInDriver& driver) {
    const CUresult result = answer_query(driver, {symbol, function, version, flags}, nullptr);
    if (result != CUDA_SUCCESS) return result;
    return refuse_unless(*function != nullptr, CUDA_ERROR_NOT_FOUND);
  };
  return driver_call({"cuGetProcAddress", CallNeeds::nothing}, body, version, flags);
}
STAND_IN_CALL(cuGetProcAddress_v2)
(const char* symbol, void** function, int version, cuuint64_t flags,
 CUdriverProcAddressQueryResult* status) {
  const auto body = [=](StandInDriver& driver) {
    return answer_query(driver, {symbol, function, version, flags}, status);
  };
  return driver_call({"cuGetProcAddress_v2", CallNeeds::nothing}, body, version, flags);
}
