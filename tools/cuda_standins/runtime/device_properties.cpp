// CUDA's runtime: the properties of devices.
#include "tools/cuda_standins/runtime/device_properties.h"

#include <cstring>

#include "tools/cuda_standins/runtime/runtime_state.h"

namespace vramlab::dry_run {
namespace {

/// What every version's struct begins with.
struct FirstProperties {
  char name[256];
  CudaUuid uuid;
  char luid[8];
  unsigned luid_node_mask;
  size_t memory_bytes;
};

std::size_t put(char* into, PropertyWidth width, int value) {
  if (width == PropertyWidth::plain) {
    std::memcpy(into, &value, sizeof value);
    return sizeof value;
  }
  const auto wide = static_cast<std::size_t>(value);
  std::memcpy(into, &wide, sizeof wide);
  return sizeof wide;
}

void tell_attributes(const RuntimeDriver& driver, char* into, int device, int last_attribute) {
  std::size_t place = sizeof(FirstProperties);
  for (const PropertyField& field : property_fields()) {
    if (!is_of_this_version(field)) continue;
    int value = 0;
    driver.device_attribute(&value, field.attribute, device);
    const auto width = static_cast<std::size_t>(field.width);
    place = (place + width - 1) / width * width;
    place += put(into + place, field.width, value);
    if (field.attribute == last_attribute) return;
  }
}

}  // namespace

int tell_properties(void* into, int device, PropertyExtent extent) {
  return driver_call([=](const RuntimeDriver& driver) {
    if (into == nullptr) return error::invalid_value;
    FirstProperties first{};
    const int result = driver.device_name(first.name, sizeof first.name, device);
    if (result != error::success) return result;
    driver.device_uuid(&first.uuid, device);
    driver.device_memory(&first.memory_bytes, device);
    std::memset(into, 0, static_cast<std::size_t>(extent.bytes));
    std::memcpy(into, &first, sizeof first);
    tell_attributes(driver, static_cast<char*>(into), device, extent.last_attribute);
    return error::success;
  });
}

}  // namespace vramlab::dry_run
