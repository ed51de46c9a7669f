// CudaDriver: the functions of CUDA's driver that we call, found at run time, so that one build
// runs with and without a GPU. Nothing is linked.
//
// The caller says where symbols are looked up: in a library opened by name, or in a preload among
// the functions behind our own. Each entry has the version of its symbol in its type.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "streams/cuda_interface/functions.h"

namespace vramlab::streams {

/// How much a function is needed: by all parts; for memory that is mapped at reserved addresses
/// besides; or by some parts only, and it is null where a driver lacks it.
enum class CallNeed { required, mapping, optional };

// For each function that is called, VRAMLAB_CALLED(need, member, type, symbol), which is defined
// where this is used.
#define VRAMLAB_CALLED_FUNCTIONS                                                      \
  VRAMLAB_CUDA_FUNCTIONS(VRAMLAB_CALL_OF_ONE, VRAMLAB_CALL_OF_TWO, VRAMLAB_CUDA_NONE, \
                         VRAMLAB_CUDA_NONE)
#define VRAMLAB_CALL_OF_ONE(name, symbol, since, stand_in, runtime, hook, call, parameters) \
  VRAMLAB_CALL(VRAMLAB_CALL_##call, PFN_##name##_v##since, symbol)
#define VRAMLAB_CALL_OF_TWO(name, symbol, since, suffix, other, stand_in, runtime, hook, call, \
                            parameters)                                                        \
  VRAMLAB_CALL(VRAMLAB_CALL_##call, PFN_##name##_v##since, symbol)
#define VRAMLAB_CALL(...) VRAMLAB_CALL_IF(__VA_ARGS__)
#define VRAMLAB_CALL_IF(macro, need, member, type, symbol) macro(need, member, type, symbol)
#define VRAMLAB_CALL_required(member) VRAMLAB_CALLED, required, member
#define VRAMLAB_CALL_mapping(member) VRAMLAB_CALLED, mapping, member
#define VRAMLAB_CALL_optional(member) VRAMLAB_CALLED, optional, member
#define VRAMLAB_CALL_no VRAMLAB_CUDA_NONE, no, no

struct CudaDriver {
#define VRAMLAB_CALLED(need, member, type, symbol) type member = nullptr;
  VRAMLAB_CALLED_FUNCTIONS
#undef VRAMLAB_CALLED
};

/// Why there is no driver to call, in one sentence.
struct NoCudaDriver {
  std::string reason;
};

/// The address of a symbol, or null.
using FindSymbol = std::function<void*(const char* symbol)>;

enum class DriverNeeds : bool { all_but_mapping, mapping };

std::variant<CudaDriver, NoCudaDriver> find_cuda_driver(const FindSymbol& find,
                                                        DriverNeeds needs = DriverNeeds::mapping);
/// Whether the driver has all that mapping takes.
bool has_mapping(const CudaDriver& driver);
/// Opens the driver's library, which stays open.
std::variant<CudaDriver, NoCudaDriver> open_cuda_driver(const char* library = "libcuda.so.1");

/// Such as `CUDA_ERROR_OUT_OF_MEMORY`; the number of a code that the driver does not know.
std::string driver_error_name(const CudaDriver& driver, CUresult result);

/// Physical memory of a device, as cuMemCreate makes it.
CUmemAllocationProp memory_on(CUdevice device);
/// The access of a device to mapped memory.
CUmemAccessDesc access_for(CUdevice device,
                           CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

}  // namespace vramlab::streams
