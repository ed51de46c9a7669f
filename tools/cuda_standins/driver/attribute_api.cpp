// What is known of a pointer, and the names of errors.
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

unsigned memory_type(const Allocation& of) {
  const bool is_host = of.kind == MemoryKind::pinned_host || of.kind == MemoryKind::registered_host;
  return is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

bool has_host_address(const Allocation& of) {
  return of.kind == MemoryKind::pinned_host || of.kind == MemoryKind::registered_host ||
         of.kind == MemoryKind::managed;
}

CUresult put_context(StandInDriver& driver, void* into, const Allocation& of) {
  const Context* const owner = driver.contexts().find_number(of.context);
  return put(into, owner == nullptr ? CUcontext{} : handle_of<CUcontext>(owner->handle));
}

CUresult put_attribute(StandInDriver& driver, void* into, CUpointer_attribute attribute,
                       const Allocation& of) {
  switch (static_cast<unsigned>(attribute)) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put_context(driver, into, of);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put(into, memory_type(of));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(into, of.kind == MemoryKind::managed ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put(into, of.sync_memops ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put(into, static_cast<unsigned long long>(of.buffer_id));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(into, static_cast<int>(of.device));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(into, of.at);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(into, static_cast<std::size_t>(of.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(into, 1U);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return put(into, of.kind == MemoryKind::device ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return has_host_address(of) ? put(into, of.at) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put(into, 0ULL);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put(into, 0U);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(into, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(into, of.kind == MemoryKind::pool ? MemoryPools::default_pool(of.device) : 0);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put(into, static_cast<std::size_t>(of.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put(into, of.at);
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put(into, static_cast<unsigned long long>(of.buffer_id));
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// What the answer is for a pointer that CUDA does not know: nothing.
void put_nothing(void* into, CUpointer_attribute attribute) {
  switch (static_cast<unsigned>(attribute)) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      put(into, 0U);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      put(into, -2);
      break;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      break;
    default:
      put(into, 0ULL);
  }
}

/// Mapped memory counts as allocated.
std::optional<Allocation> known_at(StandInDriver& driver, CUdeviceptr at) {
  if (const Allocation* const found = driver.memory().find(at)) return *found;
  const auto* const mapping = driver.memory().find_mapping(at);
  if (mapping == nullptr) return std::nullopt;
  const PhysicalMemory& memory = *driver.memory().find_physical(mapping->second.physical);
  return Allocation{.at = mapping->first,
                    .bytes = mapping->second.bytes,
                    .kind = MemoryKind::pool,
                    .device = memory.device,
                    .buffer_id = 1ULL << 32 | mapping->second.physical};
}

CUresult get_attribute(StandInDriver& driver, void* into, CUpointer_attribute attribute,
                       CUdeviceptr at) {
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto known = known_at(driver, at);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return put(into, at);
  return put_attribute(driver, into, attribute, *known);
}

struct ErrorName {
  CUresult result;
  const char* name;
};

#define STAND_IN_ERROR(name) \
  { name, #name }
constexpr ErrorName error_names[] = {STAND_IN_ERROR(CUDA_SUCCESS),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_VALUE),
                                     STAND_IN_ERROR(CUDA_ERROR_OUT_OF_MEMORY),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_INITIALIZED),
                                     STAND_IN_ERROR(CUDA_ERROR_DEINITIALIZED),
                                     STAND_IN_ERROR(CUDA_ERROR_NO_DEVICE),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_DEVICE),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_CONTEXT),
                                     STAND_IN_ERROR(CUDA_ERROR_FILE_NOT_FOUND),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_HANDLE),
                                     STAND_IN_ERROR(CUDA_ERROR_ILLEGAL_STATE),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_FOUND),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_READY),
                                     STAND_IN_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS),
                                     STAND_IN_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
                                     STAND_IN_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
                                     STAND_IN_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED),
                                     STAND_IN_ERROR(CUDA_ERROR_LAUNCH_FAILED),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_SUPPORTED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
                                     STAND_IN_ERROR(CUDA_ERROR_CAPTURED_EVENT),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
                                     STAND_IN_ERROR(CUDA_ERROR_UNKNOWN)};
#undef STAND_IN_ERROR

CUresult name_error(const char* function, CUresult result, const char** text) {
  const auto body = [=](StandInDriver&) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = nullptr;
    for (const ErrorName& known : error_names)
      if (known.result == result) *text = known.name;
    return refuse_unless(*text != nullptr);
  };
  return driver_call({function, nothing}, body, result);
}

}  // namespace

STAND_IN_CALL(cuPointerGetAttribute)(void* into, CUpointer_attribute attribute, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    return get_attribute(driver, into, attribute, at);
  };
  return driver_call({"cuPointerGetAttribute", initialised}, body, attribute, at);
}
STAND_IN_CALL(cuPointerGetAttributes)
(unsigned count, CUpointer_attribute* attributes, void** into, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    if (attributes == nullptr || into == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned place = 0; place < count; ++place)
      if (get_attribute(driver, into[place], attributes[place], at) != CUDA_SUCCESS &&
          into[place] != nullptr)
        put_nothing(into[place], attributes[place]);
    return CUDA_SUCCESS;
  };
  return driver_call({"cuPointerGetAttributes", initialised}, body, count, at);
}
STAND_IN_CALL(cuPointerSetAttribute)
(const void* value, CUpointer_attribute attribute, CUdeviceptr at) {
  const auto body = [=](StandInDriver& driver) {
    Allocation* const found = driver.memory().find(at);
    if (value == nullptr || found == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned wanted = 0;
    std::memcpy(&wanted, value, sizeof wanted);
    found->sync_memops = wanted != 0;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuPointerSetAttribute", initialised}, body, attribute, at);
}

STAND_IN_CALL(cuGetErrorName)(CUresult result, const char** text) {
  return name_error("cuGetErrorName", result, text);
}
STAND_IN_CALL(cuGetErrorString)(CUresult result, const char** text) {
  return name_error("cuGetErrorString", result, text);
}
