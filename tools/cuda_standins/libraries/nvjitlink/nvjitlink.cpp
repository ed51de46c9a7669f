// nvJitLink: everything links, to an image that the stand-in driver loads. Each release has
// functions of its own names, and programs call those of the release that they were built with.

#include "tools/cuda_standins/libraries/kit/image.h"

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  put(major, part_of_version(0));
  put(minor, part_of_version(1));
  return 0;
}

#define VRAMLAB_LINKER(release)                                                           \
  VRAMLAB_EXPORT int __nvJitLinkCreate_##release(void** linker, unsigned, const char**) { \
    return create_object(linker) ? 0 : 1;                                                 \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkDestroy_##release(void** linker) {                        \
    if (linker != nullptr) destroy_object(*linker);                                       \
    return 0;                                                                             \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkAddData_##release(void*, int, const void*, std::size_t,   \
                                                  const char*) {                          \
    return 0;                                                                             \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkAddFile_##release(void*, int, const char*) { return 0; }  \
  VRAMLAB_EXPORT int __nvJitLinkComplete_##release(void*) { return 0; }                   \
  VRAMLAB_EXPORT int __nvJitLinkGetLinkedCubinSize_##release(void*, std::size_t* bytes) { \
    return put_image_size(bytes);                                                         \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetLinkedCubin_##release(void*, char* image) {            \
    return put_image(image);                                                              \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetLinkedPtxSize_##release(void*, std::size_t* bytes) {   \
    return put_image_size(bytes);                                                         \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetLinkedPtx_##release(void*, char* image) {              \
    return put_image(image);                                                              \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetErrorLogSize_##release(void*, std::size_t* bytes) {    \
    return put_empty_text_size(bytes);                                                    \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetErrorLog_##release(void*, char* text) {                \
    return put_empty_text(text);                                                          \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetInfoLogSize_##release(void*, std::size_t* bytes) {     \
    return put_empty_text_size(bytes);                                                    \
  }                                                                                       \
  VRAMLAB_EXPORT int __nvJitLinkGetInfoLog_##release(void*, char* text) {                 \
    return put_empty_text(text);                                                          \
  }
VRAMLAB_LINKER(12_0)
VRAMLAB_LINKER(12_1)
VRAMLAB_LINKER(12_2)
VRAMLAB_LINKER(12_3)
VRAMLAB_LINKER(12_4)
VRAMLAB_LINKER(12_5)
VRAMLAB_LINKER(12_6)
VRAMLAB_LINKER(12_7)
VRAMLAB_LINKER(12_8)
VRAMLAB_LINKER(12_9)
VRAMLAB_LINKER(13_0)
VRAMLAB_LINKER(13_1)
VRAMLAB_LINKER(13_2)
VRAMLAB_LINKER(13_3)
VRAMLAB_LINKER(13_4)
VRAMLAB_LINKER(13_5)
