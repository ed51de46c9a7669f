// The stand-in for compiled code: a text that begins like PTX. It is never read: the stand-in
// driver loads any image and finds any function in it.
#pragma once

#include <cstddef>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {

inline constexpr char compiled_image[] = ".version 8.0\n.target sm_52\n.address_size 64\n";

inline int put_image_size(std::size_t* bytes) {
  put(bytes, sizeof(compiled_image));
  return 0;
}

inline int put_image(char* place) {
  if (place != nullptr) std::memcpy(place, compiled_image, sizeof(compiled_image));
  return 0;
}

inline int put_empty_text_size(std::size_t* bytes) {
  put(bytes, 1);
  return 0;
}

inline int put_empty_text(char* place) {
  put(place, '\0');
  return 0;
}

}  // namespace vramlab::dry_run
