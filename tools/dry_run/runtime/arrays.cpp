// CUDA's runtime: arrays.
#include "tools/dry_run/runtime/runtime_state.h"

using namespace vramlab::dry_run;

namespace {

constexpr int is_signed = 0;
constexpr int is_unsigned = 1;
constexpr int is_float = 2;

int channel_count(const cudaChannelFormatDesc& channels) {
  return (channels.x != 0 ? 1 : 0) + (channels.y != 0 ? 1 : 0) + (channels.z != 0 ? 1 : 0) +
         (channels.w != 0 ? 1 : 0);
}

/// The driver's format, or 0: three numbers for each kind, by width.
unsigned format_of(const cudaChannelFormatDesc& channels) {
  const unsigned wide = channels.x == 8 ? 0 : channels.x == 16 ? 1 : channels.x == 32 ? 2 : 3;
  constexpr unsigned formats[3][4] = {{8, 9, 10, 0}, {1, 2, 3, 0}, {0, 16, 32, 0}};
  return channels.kind < is_signed || channels.kind > is_float ? 0 : formats[channels.kind][wide];
}

cudaChannelFormatDesc channels_of(const DriverArray& array) {
  int bits = 32;
  if (array.format == 1 || array.format == 8) bits = 8;
  if (array.format == 2 || array.format == 9 || array.format == 16) bits = 16;
  int kind = is_float;
  if (array.format <= 3) kind = is_unsigned;
  if (array.format >= 8 && array.format <= 10) kind = is_signed;
  const auto has = [&](unsigned channel) { return array.channels > channel ? bits : 0; };
  return {has(0), has(1), has(2), has(3), kind};
}

/// Calls with what the driver wants to know of an array.
template <class Create>
int create(const cudaChannelFormatDesc* channels, const cudaExtent& extent, unsigned flags,
           const Create& call) {
  return runtime_call([&](const RuntimeDriver& driver) {
    if (channels == nullptr) return error::invalid_value;
    const DriverArray wish = {extent.width,
                              extent.height,
                              extent.depth,
                              format_of(*channels),
                              static_cast<unsigned>(channel_count(*channels)),
                              flags};
    return wish.format == 0 ? error::invalid_channels : call(driver, wish);
  });
}

}  // namespace

extern "C" VRAMLAB_CUDART_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z,
                                                                          int w, int kind) {
  return {x, y, z, w, kind};
}
CUDART_CALL(cudaMalloc3DArray)
(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent, unsigned flags) {
  return create(channels, extent, flags, [=](const RuntimeDriver& driver, const DriverArray& wish) {
    return array == nullptr ? error::invalid_value : driver.array_create(array, &wish);
  });
}
CUDART_CALL(cudaMallocArray)
(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width, size_t height,
 unsigned flags) {
  return cudaMalloc3DArray(array, channels, {width, height, 0}, flags);
}
CUDART_CALL(cudaFreeArray)(cudaArray_t array) {
  return array == nullptr ? error::success : forward<&RuntimeDriver::array_destroy>(array);
}
CUDART_CALL(cudaMallocMipmappedArray)
(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
 unsigned levels, unsigned flags) {
  return create(channels, extent, flags, [=](const RuntimeDriver& driver, const DriverArray& wish) {
    return array == nullptr ? error::invalid_value : driver.mipmapped_create(array, &wish, levels);
  });
}
CUDART_CALL(cudaFreeMipmappedArray)(cudaMipmappedArray_t array) {
  return array == nullptr ? error::success : forward<&RuntimeDriver::mipmapped_destroy>(array);
}
CUDART_FORWARD(cudaGetMipmappedArrayLevel, mipmapped_level,
               (cudaArray_t * array, cudaMipmappedArray_t from, unsigned level), array, from, level)
CUDART_FORWARD(cudaArrayGetPlane, array_plane,
               (cudaArray_t * plane, cudaArray_t array, unsigned place), plane, array, place)
CUDART_CALL(cudaArrayGetInfo)
(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  return runtime_call([=](const RuntimeDriver& driver) {
    DriverArray told{};
    const int result = driver.array_descriptor(&told, array);
    if (result != error::success) return result;
    if (channels != nullptr) *channels = channels_of(told);
    if (extent != nullptr) *extent = {told.width, told.height, told.depth};
    if (flags != nullptr) *flags = told.flags;
    return error::success;
  });
}
CUDART_CALL(cudaGetChannelDesc)(cudaChannelFormatDesc* channels, cudaArray_t array) {
  return cudaArrayGetInfo(channels, nullptr, nullptr, array);
}
