// Modules, libraries, linking and the functions in them. Every image is one. Machine code and texts
// of PTX tell which functions they have; an image in another form has every function that it is
// asked for.
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

template <class Handle>
CUresult make_handle(const CallSite& site, Handle* made) {
  const auto body = [=](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<Handle>(driver.streams().take_handle());
    driver.set_output(value_of(*made));
    return CUDA_SUCCESS;
  };
  return driver_call(site, body);
}

/// Torchvision's operations are PyTorch's in this: they write new tensors alone.
bool is_in_pytorch(const void* place) {
  Dl_info found{};
  if (place == nullptr || dladdr(place, &found) == 0 || found.dli_fname == nullptr) return false;
  const std::string_view file = found.dli_fname;
  return file.find("libtorch_cuda") != std::string_view::npos ||
         file.find("/torchvision/_C") != std::string_view::npos;
}

/// Judged by the library that the image lies in, or by the one that has made it and loads it.
CodeOwner owner_of(const void* image, const void* caller) {
  return is_in_pytorch(image) || is_in_pytorch(caller) ? CodeOwner::pytorch : CodeOwner::others;
}

struct LoadedCode {
  std::span<const char> code;
  CodeOwner owner = CodeOwner::others;
  std::optional<PtxNames> ptx = {};
};

template <class Handle>
CUresult load_code(const CallSite& site, Handle* made, const LoadedCode& loaded) {
  const auto body = [&](StandInDriver& driver) {
    if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = handle_of<Handle>(driver.streams().take_handle());
    driver.kernels().load(value_of(*made), loaded.code, loaded.owner);
    if (loaded.ptx) driver.kernels().load(value_of(*made), *loaded.ptx);
    driver.set_output(value_of(*made));
    return CUDA_SUCCESS;
  };
  return driver_call(site, body);
}

template <class Handle>
CUresult load_image(const CallSite& site, Handle* made, const void* image, const void* caller) {
  return load_code(site, made, {code_at(image), owner_of(image, caller), ptx_names_at(image)});
}

template <class Handle>
CUresult load_file(const CallSite& site, Handle* made, const char* path) {
  std::ifstream file(path == nullptr ? "" : path, std::ios::binary);
  if (!file) return driver_call(site, [](StandInDriver&) { return CUDA_ERROR_FILE_NOT_FOUND; });
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  return load_code(site, made, {code, CodeOwner::others, ptx_names_of(code)});
}

template <class Handle>
CUresult unload(const char* name, Handle module) {
  const auto body = [=](StandInDriver& driver) {
    driver.kernels().unload(value_of(module));
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, module);
}

/// CUfunction and CUkernel are the same here.
template <class Handle, class Image>
CUresult find_function(const char* call, Handle* function, Image image, const char* name) {
  const auto body = [=](StandInDriver& driver) {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = driver.kernels().find(value_of(image), name);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    *function = handle_of<Handle>(*found);
    return CUDA_SUCCESS;
  };
  return driver_call({call, context}, body, image);
}

template <class Image>
CUresult find_global(const char* call, CUdeviceptr* at, std::size_t* bytes, Image image,
                     const char* name) {
  const auto body = [=](StandInDriver& driver) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!driver.kernels().may_have_variable(value_of(image), name)) return CUDA_ERROR_NOT_FOUND;
    if (at != nullptr) *at = driver.memory().global_variable(name);
    if (bytes != nullptr) *bytes = DeviceMemory::global_bytes;
    return CUDA_SUCCESS;
  };
  return driver_call({call, context}, body, image);
}

CUresult complete_link(const char* call, void** image, std::size_t* bytes) {
  // The linked code is never looked at, but programs may ask for it.
  static char nothing_compiled[] = "linked by a stand-in";
  const auto body = [=](StandInDriver&) {
    if (image == nullptr || bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *image = nothing_compiled;
    *bytes = sizeof nothing_compiled;
    return CUDA_SUCCESS;
  };
  return driver_call({call, context}, body);
}

template <class Count>
CUresult count_none(const char* call, Count* count) {
  return driver_call({call, context},
                     [=](StandInDriver& driver) { return give(driver, count, 0); });
}

}  // namespace

STAND_IN_CALL(cuModuleLoad)(CUmodule* module, const char* file) {
  return load_file({"cuModuleLoad"}, module, file);
}
STAND_IN_CALL(cuModuleLoadData)(CUmodule* module, const void* image) {
  return load_image({"cuModuleLoadData"}, module, image, __builtin_return_address(0));
}
STAND_IN_CALL(cuModuleLoadDataEx)
(CUmodule* module, const void* image, unsigned /*count*/, CUjit_option* /*options*/,
 void** /*values*/) {
  return load_image({"cuModuleLoadDataEx"}, module, image, __builtin_return_address(0));
}
STAND_IN_CALL(cuModuleLoadFatBinary)(CUmodule* module, const void* image) {
  return load_image({"cuModuleLoadFatBinary"}, module, image, __builtin_return_address(0));
}
STAND_IN_CALL(cuModuleUnload)(CUmodule module) { return unload("cuModuleUnload", module); }
STAND_IN_CALL(cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) {
  return find_function("cuModuleGetFunction", function, module, name);
}
STAND_IN_CALL(cuModuleGetGlobal_v2)
(CUdeviceptr* at, std::size_t* bytes, CUmodule module, const char* name) {
  return find_global("cuModuleGetGlobal_v2", at, bytes, module, name);
}
/// Modules load lazily.
STAND_IN_CALL(cuModuleGetLoadingMode)(unsigned* mode) {
  const auto body = [=](StandInDriver& driver) { return give(driver, mode, 2U); };
  return driver_call({"cuModuleGetLoadingMode", nothing}, body);
}
STAND_IN_CALL(cuModuleGetFunctionCount)(unsigned* count, CUmodule /*module*/) {
  return count_none("cuModuleGetFunctionCount", count);
}

STAND_IN_CALL(cuLibraryLoadData)
(CUlibrary* library, const void* image, CUjit_option* /*options*/, void** /*values*/,
 unsigned /*count*/, CUlibraryOption* /*library_options*/, void** /*library_values*/,
 unsigned /*library_count*/) {
  return load_image({"cuLibraryLoadData", initialised}, library, image,
                    __builtin_return_address(0));
}
STAND_IN_CALL(cuLibraryLoadFromFile)
(CUlibrary* library, const char* file, CUjit_option* /*options*/, void** /*values*/,
 unsigned /*count*/, CUlibraryOption* /*library_options*/, void** /*library_values*/,
 unsigned /*library_count*/) {
  return load_file({"cuLibraryLoadFromFile", initialised}, library, file);
}
STAND_IN_CALL(cuLibraryUnload)(CUlibrary library) { return unload("cuLibraryUnload", library); }
STAND_IN_CALL(cuLibraryGetKernel)(CUkernel* kernel, CUlibrary library, const char* name) {
  return find_function("cuLibraryGetKernel", kernel, library, name);
}
STAND_IN_CALL(cuLibraryGetModule)(CUmodule* module, CUlibrary library) {
  const auto body = [=](StandInDriver&) {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *module = handle_of<CUmodule>(value_of(library));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuLibraryGetModule", context}, body, library);
}
STAND_IN_CALL(cuLibraryGetGlobal)
(CUdeviceptr* at, std::size_t* bytes, CUlibrary library, const char* name) {
  return find_global("cuLibraryGetGlobal", at, bytes, library, name);
}
STAND_IN_CALL(cuLibraryGetManaged)
(CUdeviceptr* at, std::size_t* bytes, CUlibrary library, const char* name) {
  return find_global("cuLibraryGetManaged", at, bytes, library, name);
}
STAND_IN_CALL(cuLibraryGetUnifiedFunction)(void** function, CUlibrary library, const char* name) {
  return find_function("cuLibraryGetUnifiedFunction", function, library, name);
}
STAND_IN_CALL(cuLibraryGetKernelCount)(unsigned* count, CUlibrary /*library*/) {
  return count_none("cuLibraryGetKernelCount", count);
}
STAND_IN_CALL(cuKernelGetFunction)(CUfunction* function, CUkernel kernel) {
  const auto body = [=](StandInDriver&) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *function = handle_of<CUfunction>(value_of(kernel));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuKernelGetFunction", context}, body, kernel);
}

STAND_IN_CALL(cuLinkCreate)
(unsigned /*count*/, int* /*options*/, void** /*values*/, CUlinkState* state) {
  return make_handle({"cuLinkCreate"}, state);
}
STAND_IN_CALL(cuLinkCreate_v2)
(unsigned /*count*/, int* /*options*/, void** /*values*/, CUlinkState* state) {
  return make_handle({"cuLinkCreate_v2"}, state);
}
STAND_IN_CALL(cuLinkAddData)
(CUlinkState /*state*/, unsigned /*type*/, void* /*data*/, std::size_t /*bytes*/,
 const char* /*name*/, unsigned /*count*/, int* /*options*/, void** /*values*/) {
  return accept("cuLinkAddData");
}
STAND_IN_CALL(cuLinkAddData_v2)
(CUlinkState /*state*/, unsigned /*type*/, void* /*data*/, std::size_t /*bytes*/,
 const char* /*name*/, unsigned /*count*/, int* /*options*/, void** /*values*/) {
  return accept("cuLinkAddData_v2");
}
STAND_IN_CALL(cuLinkAddFile)
(CUlinkState /*state*/, unsigned /*type*/, const char* /*file*/, unsigned /*count*/,
 int* /*options*/, void** /*values*/) {
  return accept("cuLinkAddFile");
}
STAND_IN_CALL(cuLinkAddFile_v2)
(CUlinkState /*state*/, unsigned /*type*/, const char* /*file*/, unsigned /*count*/,
 int* /*options*/, void** /*values*/) {
  return accept("cuLinkAddFile_v2");
}
STAND_IN_CALL(cuLinkComplete)(CUlinkState /*state*/, void** image, std::size_t* bytes) {
  return complete_link("cuLinkComplete", image, bytes);
}
STAND_IN_CALL(cuLinkDestroy)(CUlinkState /*state*/) { return accept("cuLinkDestroy"); }
