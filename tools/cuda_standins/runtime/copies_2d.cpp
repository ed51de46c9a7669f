// CUDA's runtime: copies of two and three dimensions, with and without arrays.
#include "tools/cuda_standins/runtime/array_copies.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

int copy_2d(DefaultStream variant, const DriverCopy2D& copy) {
  return runtime_call([&](const RuntimeDriver& driver) {
    return copy.width_bytes * copy.height == 0 ? error::success : driver.copy_2d[variant](&copy);
  });
}
int copy_2d_async(DefaultStream variant, const DriverCopy2D& copy, cudaStream_t stream) {
  return runtime_call([&](const RuntimeDriver& driver) {
    return copy.width_bytes * copy.height == 0 ? error::success
                                               : driver.copy_2d_async[variant](&copy, stream);
  });
}

template <class Copy>
int on_cudaMemcpy3D(DefaultStream variant, const Copy* copy) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (copy == nullptr) return error::invalid_value;
    const DriverCopy3D order = as_driver(driver, *copy);
    return driver.copy_3d[variant](&order);
  });
}
template <class Copy>
int on_cudaMemcpy3DAsync(DefaultStream variant, const Copy* copy, cudaStream_t stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (copy == nullptr) return error::invalid_value;
    const DriverCopy3D order = as_driver(driver, *copy);
    return driver.copy_3d_async[variant](&order, stream);
  });
}

/// The runtime names devices, the driver their contexts.
int add_contexts(const cudaMemcpy3DPeerParms& copy, DriverCopy3D& order) {
  const int result = runtime_state().context_of(copy.srcDevice, &order.from.context);
  return result == error::success ? runtime_state().context_of(copy.dstDevice, &order.to.context)
                                  : result;
}
int on_cudaMemcpy3DPeer(DefaultStream variant, const cudaMemcpy3DPeerParms* copy) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (copy == nullptr) return error::invalid_value;
    DriverCopy3D order = as_driver(driver, *copy);
    const int result = add_contexts(*copy, order);
    return result == error::success ? driver.copy_3d_peer[variant](&order) : result;
  });
}
int on_cudaMemcpy3DPeerAsync(DefaultStream variant, const cudaMemcpy3DPeerParms* copy,
                             cudaStream_t stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (copy == nullptr) return error::invalid_value;
    DriverCopy3D order = as_driver(driver, *copy);
    const int result = add_contexts(*copy, order);
    return result == error::success ? driver.copy_3d_peer_async[variant](&order, stream) : result;
  });
}

}  // namespace

// The direction of a copy follows from the addresses. Each function exists at once and on a stream.
#define CUDART_COPY_2D(name, end, plain_parameters, stream_parameters, ...)                      \
  CUDART_CALL(name) plain_parameters { return copy_2d(DefaultStream::plain, __VA_ARGS__); }      \
  CUDART_CALL(name##_ptds) plain_parameters { return copy_2d(DefaultStream::own, __VA_ARGS__); } \
  CUDART_CALL(name##end) stream_parameters {                                                     \
    return copy_2d_async(DefaultStream::plain, __VA_ARGS__, stream);                             \
  }                                                                                              \
  CUDART_CALL(name##end##_ptsz) stream_parameters {                                              \
    return copy_2d_async(DefaultStream::own, __VA_ARGS__, stream);                               \
  }

CUDART_COPY_2D(cudaMemcpy2D, Async,
               (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                size_t height, int /*direction*/),
               (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                size_t height, int /*direction*/, cudaStream_t stream),
               {memory_end(from, from_pitch), memory_end(to, to_pitch), width, height})
CUDART_COPY_2D(cudaMemcpy2DToArray, Async,
               (cudaArray_t to, size_t x, size_t y, const void* from, size_t from_pitch,
                size_t width, size_t height, int /*direction*/),
               (cudaArray_t to, size_t x, size_t y, const void* from, size_t from_pitch,
                size_t width, size_t height, int /*direction*/, cudaStream_t stream),
               {memory_end(from, from_pitch), array_end(to, x, y), width, height})
CUDART_COPY_2D(cudaMemcpy2DFromArray, Async,
               (void* to, size_t to_pitch, cudaArray_t from, size_t x, size_t y, size_t width,
                size_t height, int /*direction*/),
               (void* to, size_t to_pitch, cudaArray_t from, size_t x, size_t y, size_t width,
                size_t height, int /*direction*/, cudaStream_t stream),
               {array_end(from, x, y), memory_end(to, to_pitch), width, height})
CUDART_COPY_2D(cudaMemcpyToArray, Async,
               (cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                int /*direction*/),
               (cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                int /*direction*/, cudaStream_t stream),
               {memory_end(from, bytes), array_end(to, x, y), bytes, 1})
CUDART_COPY_2D(cudaMemcpyFromArray, Async,
               (void* to, cudaArray_t from, size_t x, size_t y, size_t bytes, int /*direction*/),
               (void* to, cudaArray_t from, size_t x, size_t y, size_t bytes, int /*direction*/,
                cudaStream_t stream),
               {array_end(from, x, y), memory_end(to, bytes), bytes, 1})

namespace {

struct ArrayPlace {
  cudaArray_t array;
  size_t x;
  size_t y;
};
int on_cudaMemcpy2DArrayToArray(DefaultStream variant, const ArrayPlace& to, const ArrayPlace& from,
                                size_t width, size_t height) {
  return copy_2d(variant, {array_end(from.array, from.x, from.y), array_end(to.array, to.x, to.y),
                           width, height});
}
int on_cudaMemcpyArrayToArray(DefaultStream variant, const ArrayPlace& to, const ArrayPlace& from,
                              size_t bytes) {
  return on_cudaMemcpy2DArrayToArray(variant, to, from, bytes, 1);
}

}  // namespace

CUDART_TWINS(cudaMemcpy2DArrayToArray, _ptds,
             (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,
              size_t from_y, size_t width, size_t height, int /*direction*/),
             {to, to_x, to_y}, {from, from_x, from_y}, width, height)
CUDART_TWINS(cudaMemcpyArrayToArray, _ptds,
             (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from, size_t from_x,
              size_t from_y, size_t bytes, int /*direction*/),
             {to, to_x, to_y}, {from, from_x, from_y}, bytes)
CUDART_TWINS(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* copy), copy)
CUDART_TWINS(cudaMemcpy3DAsync, _ptsz, (const cudaMemcpy3DParms* copy, cudaStream_t stream), copy,
             stream)
CUDART_TWINS(cudaMemcpy3DPeer, _ptds, (const cudaMemcpy3DPeerParms* copy), copy)
CUDART_TWINS(cudaMemcpy3DPeerAsync, _ptsz, (const cudaMemcpy3DPeerParms* copy, cudaStream_t stream),
             copy, stream)
