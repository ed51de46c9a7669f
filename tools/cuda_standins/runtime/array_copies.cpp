#include "tools/cuda_standins/runtime/array_copies.h"

#include <algorithm>

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
