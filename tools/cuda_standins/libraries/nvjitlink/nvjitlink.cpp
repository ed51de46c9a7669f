// nvJitLink: everything links, to an image that the stand-in driver loads. Texts of PTX are linked
// to their texts, and one piece of machine code to itself, so that the driver knows the kernels and
// their memory; of other inputs nothing is known. Each function has its plain name, and one for
// each release: the header of a release names its own.

#include <string>
#include <string_view>

#include "tools/cuda_standins/libraries/kit/image.h"

namespace vramlab::dry_run {
namespace {

constexpr int invalid_input = 3;

// nvJitLinkInputType
constexpr int machine_code = 1;
constexpr int ptx = 2;
constexpr int any_kind = 10;

struct Linker : Object {
  std::string linked;
  int inputs = 0;
  bool is_known = true;

  void add(int kind, std::string_view input) {
    const bool is_text = kind == ptx || (kind == any_kind && input.starts_with('.'));
    const bool is_code = kind == machine_code || (kind == any_kind && input.starts_with("\177ELF"));
    is_known = is_known && (is_text || (is_code && inputs == 0));
    // Machine code takes no further input.
    if (inputs > 0 && linked.starts_with("\177ELF")) is_known = false;
    ++inputs;
    // A text ends at its zero.
    linked += is_text ? input.substr(0, input.find('\0')) : input;
    if (is_text) linked += '\n';
  }
  /// With the zero that ends a text.
  std::string_view image() const {
    if (inputs == 0 || !is_known) return {compiled_image, sizeof(compiled_image)};
    return {linked.c_str(), linked.size() + 1};
  }
};

int add_input(void* handle, int kind, const void* data, std::size_t bytes) {
  auto* const linker = object_of<Linker>(handle);
  if (linker == nullptr || data == nullptr) return invalid_input;
  linker->add(kind, {static_cast<const char*>(data), bytes});
  return 0;
}

int add_unknown_input(void* handle) {
  if (auto* const linker = object_of<Linker>(handle)) linker->is_known = false;
  return 0;
}

int put_linked_size(const void* handle, std::size_t* bytes) {
  const auto* const linker = object_of<Linker>(handle);
  if (linker == nullptr) return invalid_input;
  put(bytes, linker->image().size());
  return 0;
}

int put_linked(const void* handle, char* place) {
  const auto* const linker = object_of<Linker>(handle);
  if (linker == nullptr || place == nullptr) return invalid_input;
  linker->image().copy(place, linker->image().size());
  return 0;
}

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int nvJitLinkVersion(unsigned* major, unsigned* minor) {
  put(major, part_of_version(0));
  put(minor, part_of_version(1));
  return 0;
}

#define VRAMLAB_LINKER(before, behind)                                                             \
  VRAMLAB_EXPORT int before##nvJitLinkCreate##behind(void** linker, unsigned, const char**) {      \
    return create_object<Linker>(linker) ? 0 : 1;                                                  \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkDestroy##behind(void** linker) {                             \
    if (linker != nullptr) destroy_object(*linker);                                                \
    return 0;                                                                                      \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkAddData##behind(void* linker, int kind, const void* data,    \
                                                      std::size_t bytes, const char*) {            \
    return add_input(linker, kind, data, bytes);                                                   \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkAddFile##behind(void* linker, int, const char*) {            \
    return add_unknown_input(linker);                                                              \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkComplete##behind(void*) { return 0; }                        \
  VRAMLAB_EXPORT int before##nvJitLinkGetLinkedCubinSize##behind(void* linker,                     \
                                                                 std::size_t* bytes) {             \
    return put_linked_size(linker, bytes);                                                         \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetLinkedCubin##behind(void* linker, char* image) {          \
    return put_linked(linker, image);                                                              \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetLinkedPtxSize##behind(void* linker, std::size_t* bytes) { \
    return put_linked_size(linker, bytes);                                                         \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetLinkedPtx##behind(void* linker, char* image) {            \
    return put_linked(linker, image);                                                              \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetLinkedLTOIRSize##behind(void* linker,                     \
                                                                 std::size_t* bytes) {             \
    return put_linked_size(linker, bytes);                                                         \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetLinkedLTOIR##behind(void* linker, char* image) {          \
    return put_linked(linker, image);                                                              \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetErrorLogSize##behind(void*, std::size_t* bytes) {         \
    return put_empty_text_size(bytes);                                                             \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetErrorLog##behind(void*, char* text) {                     \
    return put_empty_text(text);                                                                   \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetInfoLogSize##behind(void*, std::size_t* bytes) {          \
    return put_empty_text_size(bytes);                                                             \
  }                                                                                                \
  VRAMLAB_EXPORT int before##nvJitLinkGetInfoLog##behind(void*, char* text) {                      \
    return put_empty_text(text);                                                                   \
  }
VRAMLAB_LINKER(, )
VRAMLAB_LINKER(__, _12_0)
VRAMLAB_LINKER(__, _12_1)
VRAMLAB_LINKER(__, _12_2)
VRAMLAB_LINKER(__, _12_3)
VRAMLAB_LINKER(__, _12_4)
VRAMLAB_LINKER(__, _12_5)
VRAMLAB_LINKER(__, _12_6)
VRAMLAB_LINKER(__, _12_7)
VRAMLAB_LINKER(__, _12_8)
VRAMLAB_LINKER(__, _12_9)
VRAMLAB_LINKER(__, _13_0)
VRAMLAB_LINKER(__, _13_1)
VRAMLAB_LINKER(__, _13_2)
VRAMLAB_LINKER(__, _13_3)
VRAMLAB_LINKER(__, _13_4)
VRAMLAB_LINKER(__, _13_5)
