// What streams can be set to, which changes nothing here, and captures whose dependencies are set.
#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;
using vramlab::streams::StreamAt;

namespace {

/// CUstreamAttrValue and CUlaunchAttributeValue, whatever they hold.
struct AttributeValue {
  char bytes[64];
};

template <class Give>
CUresult for_stream(const CallSite& site, CUstream stream, const Give& use) {
  const auto body = [&](StandInDriver& driver) {
    const auto found = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
    return use(driver, std::get<StreamAt>(found));
  };
  return driver_call(site, body, stream);
}

CUresult accept_stream(StandInDriver& /*driver*/, StreamAt /*stream*/) { return CUDA_SUCCESS; }

CUresult on_cuStreamGetAttribute(const CallSite& site, CUstream stream, unsigned /*attribute*/,
                                 AttributeValue* value) {
  return for_stream(site, stream, [=](StandInDriver&, StreamAt) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *value = {};
    return CUDA_SUCCESS;
  });
}
CUresult on_cuStreamSetAttribute(const CallSite& site, CUstream stream, unsigned /*attribute*/,
                                 const AttributeValue* /*value*/) {
  return for_stream(site, stream, accept_stream);
}
CUresult on_cuStreamCopyAttributes(const CallSite& site, CUstream to, CUstream /*from*/) {
  return for_stream(site, to, accept_stream);
}
CUresult on_cuStreamAttachMemAsync(const CallSite& site, CUstream stream, CUdeviceptr /*at*/,
                                   std::size_t /*bytes*/, unsigned /*flags*/) {
  return for_stream(site, stream, accept_stream);
}
CUresult on_cuStreamGetDevice(const CallSite& site, CUstream stream, CUdevice* device) {
  return for_stream(site, stream, [=](StandInDriver& driver, StreamAt at) {
    const Context* const owner = driver.contexts().find_number(at.device);
    return owner == nullptr ? CUDA_ERROR_INVALID_CONTEXT : give(driver, device, owner->device);
  });
}
CUresult on_cuStreamUpdateCaptureDependencies(const CallSite& site, CUstream stream,
                                              CUgraphNode* /*nodes*/, std::size_t /*count*/,
                                              unsigned /*flags*/) {
  return for_stream(site, stream, accept_stream);
}
CUresult on_cuStreamUpdateCaptureDependencies_v2(const CallSite& site, CUstream stream,
                                                 CUgraphNode* /*nodes*/,
                                                 const CUgraphEdgeData* /*edges*/,
                                                 std::size_t /*count*/, unsigned /*flags*/) {
  return for_stream(site, stream, accept_stream);
}

}  // namespace

STAND_IN_TWINS(cuStreamGetAttribute, _ptsz, context,
               (CUstream stream, unsigned attribute, AttributeValue* value), stream, attribute,
               value)
STAND_IN_TWINS(cuStreamSetAttribute, _ptsz, context,
               (CUstream stream, unsigned attribute, const AttributeValue* value), stream,
               attribute, value)
STAND_IN_TWINS(cuStreamCopyAttributes, _ptsz, context, (CUstream to, CUstream from), to, from)
STAND_IN_TWINS(cuStreamAttachMemAsync, _ptsz, context,
               (CUstream stream, CUdeviceptr at, std::size_t bytes, unsigned flags), stream, at,
               bytes, flags)
STAND_IN_TWINS(cuStreamGetDevice, _ptsz, context, (CUstream stream, CUdevice* device), stream,
               device)
STAND_IN_TWINS(cuStreamUpdateCaptureDependencies, _ptsz, context,
               (CUstream stream, CUgraphNode* nodes, std::size_t count, unsigned flags), stream,
               nodes, count, flags)
STAND_IN_TWINS(cuStreamUpdateCaptureDependencies_v2, _ptsz, context,
               (CUstream stream, CUgraphNode* nodes, const CUgraphEdgeData* edges,
                std::size_t count, unsigned flags),
               stream, nodes, edges, count, flags)
