// The struct of a device's properties, which differs between the versions of CUDA. It begins with
// name, identity and memory; numbers that the driver tells as attributes follow.
#pragma once

#include <span>

namespace vramlab::dry_run {

enum class PropertyWidth : unsigned char { plain = 4, wide = 8 };
enum class PropertyVersions : unsigned char { both, only_12, only_13 };

/// The next number of the struct, at its natural place.
struct PropertyField {
  PropertyWidth width;
  int attribute;
  PropertyVersions versions = PropertyVersions::both;
};
/// The fields of all versions, in order.
std::span<const PropertyField> property_fields();
bool is_of_this_version(const PropertyField& field);

/// The bytes of the struct of this version, with the reserved bytes behind the fields.
inline constexpr int property_bytes_12 = 1032;
inline constexpr int property_bytes_13 = 1008;
/// CUDA 11, whose struct version 12 still fills, ends after this attribute.
inline constexpr int last_attribute_11 = 111;
inline constexpr int property_bytes_11 = 728;

/// The part of the struct that is wanted.
struct PropertyExtent {
  int bytes;
  int last_attribute;
};
int tell_properties(void* into, int device, PropertyExtent extent);

}  // namespace vramlab::dry_run
