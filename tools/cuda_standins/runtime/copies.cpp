// CUDA's runtime: copies of bytes and settings of memory. The driver knows by the addresses where
// memory is, so that the direction is only looked at.
#include "tools/cuda_standins/runtime/copy_batch.h"
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
