// CUDA's runtime: copies of bytes and of two and three dimensions, and settings of memory. The
// driver knows by the addresses where memory is, so that the direction is only looked at.

#include "tools/cuda_standins/runtime/copies.h"

#include <algorithm>

#include "tools/cuda_standins/runtime/kernels.h"
#include "tools/cuda_standins/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

constexpr int last_direction = 4;

int on_cudaMemcpy(DefaultStream variant, void* to, const void* from, size_t bytes, int direction) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (direction < 0 || direction > last_direction) return error::invalid_direction;
    return bytes == 0 ? error::success : driver.copy[variant](to, from, bytes);
  });
}
int on_cudaMemcpyAsync(DefaultStream variant, void* to, const void* from, size_t bytes,
                       int direction, cudaStream_t stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    if (direction < 0 || direction > last_direction) return error::invalid_direction;
    return bytes == 0 ? error::success : driver.copy_async[variant](to, from, bytes, stream);
  });
}

int on_cudaMemset(DefaultStream variant, void* at, int value, size_t bytes) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return bytes == 0 ? error::success
                      : driver.set[variant](at, static_cast<unsigned char>(value), bytes);
  });
}
int on_cudaMemsetAsync(DefaultStream variant, void* at, int value, size_t bytes,
                       cudaStream_t stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return bytes == 0
               ? error::success
               : driver.set_async[variant](at, static_cast<unsigned char>(value), bytes, stream);
  });
}
int on_cudaMemset2D(DefaultStream variant, void* at, size_t pitch, int value, size_t width,
                    size_t height) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return width * height == 0 ? error::success
                               : driver.set_2d[variant](
                                     at, pitch, static_cast<unsigned char>(value), width, height);
  });
}
int on_cudaMemset2DAsync(DefaultStream variant, void* at, size_t pitch, int value, size_t width,
                         size_t height, cudaStream_t stream) {
  return runtime_call([=](const RuntimeDriver& driver) {
    return width * height == 0
               ? error::success
               : driver.set_2d_async[variant](at, pitch, static_cast<unsigned char>(value), width,
                                              height, stream);
  });
}

/// All layers, of which each but the last counts with all its rows.
size_t rows_of(const cudaPitchedPtr& memory, const cudaExtent& extent) {
  return extent.depth == 0 ? 0 : memory.ysize * (extent.depth - 1) + extent.height;
}
int on_cudaMemset3D(DefaultStream variant, cudaPitchedPtr memory, int value, cudaExtent extent) {
  return on_cudaMemset2D(variant, memory.ptr, memory.pitch, value, extent.width,
                         rows_of(memory, extent));
}
int on_cudaMemset3DAsync(DefaultStream variant, cudaPitchedPtr memory, int value, cudaExtent extent,
                         cudaStream_t stream) {
  return on_cudaMemset2DAsync(variant, memory.ptr, memory.pitch, value, extent.width,
                              rows_of(memory, extent), stream);
}

/// A place in a variable of the device.
struct Symbol {
  const void* host;
  size_t offset;
  size_t bytes;
};
template <class Copy>
int with_symbol(const Symbol& symbol, const Copy& copy) {
  return runtime_call([&](const RuntimeDriver& driver) {
    void* at = nullptr;
    size_t all_bytes = 0;
    const int result =
        kernels().variable_of(symbol.host, runtime_thread().used_device, &at, &all_bytes);
    if (result != error::success) return result;
    if (symbol.offset + symbol.bytes > all_bytes) return error::invalid_value;
    return copy(driver, static_cast<char*>(at) + symbol.offset);
  });
}
int on_cudaMemcpyToSymbol(DefaultStream variant, const void* symbol, const void* from, size_t bytes,
                          size_t offset, int /*direction*/) {
  return with_symbol({symbol, offset, bytes}, [=](const RuntimeDriver& driver, void* at) {
    return driver.copy[variant](at, from, bytes);
  });
}
int on_cudaMemcpyFromSymbol(DefaultStream variant, void* to, const void* symbol, size_t bytes,
                            size_t offset, int /*direction*/) {
  return with_symbol({symbol, offset, bytes}, [=](const RuntimeDriver& driver, const void* at) {
    return driver.copy[variant](to, at, bytes);
  });
}
int on_cudaMemcpyToSymbolAsync(DefaultStream variant, const void* symbol, const void* from,
                               size_t bytes, size_t offset, int /*direction*/,
                               cudaStream_t stream) {
  return with_symbol({symbol, offset, bytes}, [=](const RuntimeDriver& driver, void* at) {
    return driver.copy_async[variant](at, from, bytes, stream);
  });
}
int on_cudaMemcpyFromSymbolAsync(DefaultStream variant, void* to, const void* symbol, size_t bytes,
                                 size_t offset, int /*direction*/, cudaStream_t stream) {
  return with_symbol({symbol, offset, bytes}, [=](const RuntimeDriver& driver, const void* at) {
    return driver.copy_async[variant](to, at, bytes, stream);
  });
}

}  // namespace

CUDART_TWINS(cudaMemcpy, _ptds, (void* to, const void* from, size_t bytes, int direction), to, from,
             bytes, direction)
CUDART_TWINS(cudaMemcpyAsync, _ptsz,
             (void* to, const void* from, size_t bytes, int direction, cudaStream_t stream), to,
             from, bytes, direction, stream)
CUDART_TWINS(cudaMemset, _ptds, (void* at, int value, size_t bytes), at, value, bytes)
CUDART_TWINS(cudaMemsetAsync, _ptsz, (void* at, int value, size_t bytes, cudaStream_t stream), at,
             value, bytes, stream)
CUDART_TWINS(cudaMemset2D, _ptds, (void* at, size_t pitch, int value, size_t width, size_t height),
             at, pitch, value, width, height)
CUDART_TWINS(cudaMemset2DAsync, _ptsz,
             (void* at, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
             at, pitch, value, width, height, stream)
CUDART_TWINS(cudaMemset3D, _ptds, (cudaPitchedPtr memory, int value, cudaExtent extent), memory,
             value, extent)
CUDART_TWINS(cudaMemset3DAsync, _ptsz,
             (cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream), memory,
             value, extent, stream)
CUDART_TWINS(cudaMemcpyToSymbol, _ptds,
             (const void* symbol, const void* from, size_t bytes, size_t offset, int direction),
             symbol, from, bytes, offset, direction)
CUDART_TWINS(cudaMemcpyFromSymbol, _ptds,
             (void* to, const void* symbol, size_t bytes, size_t offset, int direction), to, symbol,
             bytes, offset, direction)
CUDART_TWINS(cudaMemcpyToSymbolAsync, _ptsz,
             (const void* symbol, const void* from, size_t bytes, size_t offset, int direction,
              cudaStream_t stream),
             symbol, from, bytes, offset, direction, stream)
CUDART_TWINS(cudaMemcpyFromSymbolAsync, _ptsz,
             (void* to, const void* symbol, size_t bytes, size_t offset, int direction,
              cudaStream_t stream),
             to, symbol, bytes, offset, direction, stream)
CUDART_CALL(cudaGetSymbolAddress)(void** at, const void* symbol) {
  if (at == nullptr) return finish_call(error::invalid_value);
  return with_symbol({symbol, 0, 0}, [=](const RuntimeDriver&, void* found) {
    *at = found;
    return error::success;
  });
}
CUDART_CALL(cudaGetSymbolSize)(size_t* bytes, const void* symbol) {
  return runtime_call([=](const RuntimeDriver&) {
    void* at = nullptr;
    if (bytes == nullptr) return error::invalid_value;
    return kernels().variable_of(symbol, runtime_thread().used_device, &at, bytes);
  });
}

int vramlab::dry_run::copy_batch(DefaultStream variant, const CopyBatch& batch, size_t* failed) {
  return runtime_call([&](const RuntimeDriver& driver) {
    if (batch.to == nullptr || batch.from == nullptr || batch.bytes == nullptr)
      return error::invalid_value;
    for (size_t place = 0; place < batch.count; ++place) {
      const int result = driver.copy_async[variant](batch.to[place], batch.from[place],
                                                    batch.bytes[place], batch.stream);
      if (result == error::success) continue;
      if (failed != nullptr) *failed = place;
      return result;
    }
    return error::success;
  });
}

namespace vramlab::dry_run {
namespace {

std::size_t format_bytes(unsigned format) {
  constexpr unsigned half = 16;
  switch (format) {
    case 1:
    case 8:
      return 1;
    case 2:
    case 9:
    case half:
      return 2;
    default:
      return 4;
  }
}

/// One end of the runtime's copy. Places in arrays count elements.
struct End3D {
  cudaArray_t array;
  cudaPos place;
  cudaPitchedPtr memory;
};
DriverEnd3D as_driver(const End3D& end, std::size_t array_element) {
  DriverEnd3D told{};
  told.x_bytes = end.array == nullptr ? end.place.x : end.place.x * array_element;
  told.y = end.place.y;
  told.z = end.place.z;
  told.kind = end.array == nullptr ? DriverMemory::unified : DriverMemory::array;
  told.device = end.memory.ptr;
  told.array = end.array;
  told.pitch = end.memory.pitch;
  told.height = end.memory.ysize;
  return told;
}

/// Extents count elements where an array takes part, else bytes.
DriverCopy3D join(const RuntimeDriver& driver, const End3D& from, const End3D& to,
                  const cudaExtent& extent) {
  const std::size_t from_element = from.array == nullptr ? 1 : element_bytes(driver, from.array);
  const std::size_t to_element = to.array == nullptr ? 1 : element_bytes(driver, to.array);
  return {as_driver(from, from_element), as_driver(to, to_element),
          extent.width * std::max(from_element, to_element), extent.height, extent.depth};
}

}  // namespace

DriverEnd2D memory_end(const void* at, std::size_t pitch) {
  DriverEnd2D end{};
  end.kind = DriverMemory::unified;
  end.device = at;
  end.pitch = pitch;
  return end;
}

DriverEnd2D array_end(cudaArray_t array, std::size_t x_bytes, std::size_t y) {
  DriverEnd2D end{};
  end.x_bytes = x_bytes;
  end.y = y;
  end.kind = DriverMemory::array;
  end.array = array;
  return end;
}

std::size_t element_bytes(const RuntimeDriver& driver, cudaArray_t array) {
  DriverArray told{};
  if (driver.array_descriptor(&told, array) != 0) return 0;
  return format_bytes(told.format) * told.channels;
}

DriverCopy3D as_driver(const RuntimeDriver& driver, const cudaMemcpy3DParms& copy) {
  return join(driver, {copy.srcArray, copy.srcPos, copy.srcPtr},
              {copy.dstArray, copy.dstPos, copy.dstPtr}, copy.extent);
}

DriverCopy3D as_driver(const RuntimeDriver& driver, const cudaMemcpy3DPeerParms& copy) {
  return join(driver, {copy.srcArray, copy.srcPos, copy.srcPtr},
              {copy.dstArray, copy.dstPos, copy.dstPtr}, copy.extent);
}

}  // namespace vramlab::dry_run

// Copies of two and three dimensions, with and without arrays.

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
