// cuGetProcAddress: the function of a name, as of a version, for one meaning of stream 0.
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_functions.h"

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
