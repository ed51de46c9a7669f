// CUDA's runtime: arrays, textures and surfaces. Textures and surfaces take no memory of their own,
// so that they are only remembered.
#include <array>
#include <cstring>
#include <map>
#include <mutex>

#include "tools/cuda_standins/runtime/runtime_state.h"

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

/// The description of a texture or surface, as the program gave it. CUDA 13 has more room in two of
/// the three.
using Description = std::array<char, 144>;
enum class DescriptionPart : unsigned char { resource, texture, view };
std::size_t bytes_of(DescriptionPart part) {
  const bool is_new = runtime_version() >= first_version_13;
  if (part == DescriptionPart::resource) return is_new ? 144 : 64;
  if (part == DescriptionPart::view) return is_new ? 112 : 48;
  return 72;
}

class DescribedObjects {
 public:
  unsigned long long add(const std::array<const void*, 3>& parts) {
    const std::lock_guard guard(lock_);
    auto& described = objects_[++last_];
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (parts[part] != nullptr)
        std::memcpy(described[part].data(), parts[part], bytes_of(DescriptionPart(part)));
    return last_;
  }
  bool remove(unsigned long long object) {
    const std::lock_guard guard(lock_);
    return objects_.erase(object) != 0;
  }
  int tell(unsigned long long object, DescriptionPart part, void* into) {
    const std::lock_guard guard(lock_);
    const auto found = objects_.find(object);
    if (into == nullptr || found == objects_.end()) return error::invalid_value;
    std::memcpy(into, found->second[static_cast<std::size_t>(part)].data(), bytes_of(part));
    return error::success;
  }

 private:
  std::mutex lock_;
  unsigned long long last_ = 0;
  std::map<unsigned long long, std::array<Description, 3>> objects_;
};
DescribedObjects& described_objects() {
  static auto* const objects = new DescribedObjects;
  return *objects;
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

CUDART_CALL(cudaCreateTextureObject)
(unsigned long long* object, const void* resource, const void* texture, const void* view) {
  return runtime_call([=](const RuntimeDriver&) {
    if (object == nullptr || resource == nullptr) return error::invalid_value;
    *object = described_objects().add({resource, texture, view});
    return error::success;
  });
}
CUDART_CALL(cudaCreateSurfaceObject)(unsigned long long* object, const void* resource) {
  return cudaCreateTextureObject(object, resource, nullptr, nullptr);
}
CUDART_CALL(cudaDestroyTextureObject)(unsigned long long object) {
  const bool is_known = object == 0 || described_objects().remove(object);
  return finish_call(is_known ? error::success : error::invalid_value);
}
CUDART_CALL(cudaDestroySurfaceObject)(unsigned long long object) {
  return cudaDestroyTextureObject(object);
}
CUDART_CALL(cudaGetTextureObjectResourceDesc)(void* into, unsigned long long object) {
  return finish_call(described_objects().tell(object, DescriptionPart::resource, into));
}
CUDART_CALL(cudaGetTextureObjectTextureDesc)(void* into, unsigned long long object) {
  return finish_call(described_objects().tell(object, DescriptionPart::texture, into));
}
CUDART_CALL(cudaGetTextureObjectResourceViewDesc)(void* into, unsigned long long object) {
  return finish_call(described_objects().tell(object, DescriptionPart::view, into));
}
CUDART_CALL(cudaGetSurfaceObjectResourceDesc)(void* into, unsigned long long object) {
  return finish_call(described_objects().tell(object, DescriptionPart::resource, into));
}
