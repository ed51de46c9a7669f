// CUDA's runtime: devices that reach each other's memory, and copies between them.
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

/// The two ends of a copy between devices.
struct Ends {
  CudaContext to = nullptr;
  CudaContext from = nullptr;
};
template <class Copy>
int between(int to_device, int from_device, const Copy& copy) {
  return runtime_call([&](const RuntimeDriver& driver) {
    Ends ends;
    int result = runtime_state().context_of(to_device, &ends.to);
    if (result == error::success) result = runtime_state().context_of(from_device, &ends.from);
    return result == error::success ? copy(driver, ends) : result;
  });
}

int on_cudaMemcpyPeer(DefaultStream variant, void* to, int to_device, const void* from,
                      int from_device, size_t bytes) {
  return between(to_device, from_device, [=](const RuntimeDriver& driver, const Ends& ends) {
    return driver.copy_peer[variant](to, ends.to, from, ends.from, bytes);
  });
}
int on_cudaMemcpyPeerAsync(DefaultStream variant, void* to, int to_device, const void* from,
                           int from_device, size_t bytes, cudaStream_t stream) {
  return between(to_device, from_device, [=](const RuntimeDriver& driver, const Ends& ends) {
    return driver.copy_peer_async[variant](to, ends.to, from, ends.from, bytes, stream);
  });
}

}  // namespace

CUDART_CALL(cudaMemcpyPeer)
(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return on_cudaMemcpyPeer(DefaultStream::plain, to, to_device, from, from_device, bytes);
}
CUDART_CALL(cudaMemcpyPeerAsync)
(void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream) {
  return on_cudaMemcpyPeerAsync(DefaultStream::plain, to, to_device, from, from_device, bytes,
                                stream);
}

CUDART_CALL(cudaDeviceCanAccessPeer)(int* can, int device, int peer) {
  return forward_to_driver<&RuntimeDriver::can_access_peer>(can, device, peer);
}
CUDART_CALL(cudaDeviceGetP2PAttribute)(int* value, int attribute, int from, int to) {
  return forward_to_driver<&RuntimeDriver::peer_attribute>(value, attribute, from, to);
}
CUDART_CALL(cudaDeviceEnablePeerAccess)(int peer, unsigned flags) {
  return runtime_call([=](const RuntimeDriver& driver) {
    CudaContext context = nullptr;
    const int result = runtime_state().context_of(peer, &context);
    return result == error::success ? driver.enable_peer(context, flags) : result;
  });
}
CUDART_CALL(cudaDeviceDisablePeerAccess)(int peer) {
  return runtime_call([=](const RuntimeDriver& driver) {
    CudaContext context = nullptr;
    const int result = runtime_state().context_of(peer, &context);
    return result == error::success ? driver.disable_peer(context) : result;
  });
}
