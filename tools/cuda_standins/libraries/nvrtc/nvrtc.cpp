// NVRTC: every program compiles, to an image that the stand-in driver loads. A name is lowered to
// itself.

#include <set>
#include <string>

#include "tools/cuda_standins/libraries/kit/image.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;
constexpr int invalid_input = 3;
constexpr int invalid_program = 4;

struct Program : Object {
  std::set<std::string> names;  // their texts stay where they are
};

constexpr int architectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 120};

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int nvrtcVersion(int* major, int* minor) {
  put(major, part_of_version(0));
  put(minor, part_of_version(1));
  return success;
}
VRAMLAB_EXPORT const char* nvrtcGetErrorString(int result) {
  return result == success ? "NVRTC_SUCCESS" : "NVRTC_ERROR_INVALID_INPUT";
}
VRAMLAB_EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  put(count, std::size(architectures));
  return success;
}
VRAMLAB_EXPORT int nvrtcGetSupportedArchs(int* place) {
  for (const int architecture : architectures) *place++ = architecture;
  return success;
}

VRAMLAB_EXPORT int nvrtcCreateProgram(void** program, const char*, const char*, int,
                                      const char* const*, const char* const*) {
  return create_object<Program>(program) ? success : invalid_input;
}
VRAMLAB_EXPORT int nvrtcDestroyProgram(void** program) {
  if (program == nullptr) return invalid_program;
  destroy_object(*program);
  *program = nullptr;
  return success;
}
VRAMLAB_EXPORT int nvrtcCompileProgram(void* program, int, const char* const*) {
  return object_of<Program>(program) == nullptr ? invalid_program : success;
}
VRAMLAB_EXPORT int nvrtcAddNameExpression(void* handle, const char* name) {
  auto* const program = object_of<Program>(handle);
  if (program == nullptr || name == nullptr) return invalid_program;
  program->names.insert(name);
  return success;
}
VRAMLAB_EXPORT int nvrtcGetLoweredName(void* handle, const char* name, const char** lowered) {
  auto* const program = object_of<Program>(handle);
  if (program == nullptr || name == nullptr) return invalid_program;
  put(lowered, program->names.insert(name).first->c_str());
  return success;
}

VRAMLAB_EXPORT int nvrtcGetProgramLogSize(void*, std::size_t* bytes) {
  return put_empty_text_size(bytes);
}
VRAMLAB_EXPORT int nvrtcGetProgramLog(void*, char* log) { return put_empty_text(log); }

#define VRAMLAB_IMAGE(kind)                                            \
  VRAMLAB_EXPORT int nvrtcGet##kind##Size(void*, std::size_t* bytes) { \
    return put_image_size(bytes);                                      \
  }                                                                    \
  VRAMLAB_EXPORT int nvrtcGet##kind(void*, char* image) { return put_image(image); }
VRAMLAB_IMAGE(PTX)
VRAMLAB_IMAGE(CUBIN)
VRAMLAB_IMAGE(LTOIR)
VRAMLAB_IMAGE(NVVM)
VRAMLAB_IMAGE(OptiXIR)
VRAMLAB_IMAGE(TileIR)
