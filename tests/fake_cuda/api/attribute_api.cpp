// What is known of a pointer, handles for other processes, and the names of errors.
#include <cstring>

#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

template <class Value>
CUresult put(void* into, Value value) {
  std::memcpy(into, &value, sizeof value);
  return CUDA_SUCCESS;
}

unsigned memory_type(const Allocation& of) {
  const bool is_host = of.kind == MemoryKind::pinned_host || of.kind == MemoryKind::registered_host;
  return is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

CUresult put_context(FakeCuda& fake, void* into, const Allocation& of) {
  const Context* const owner = fake.contexts().find_number(of.context);
  return put(into, owner == nullptr ? CUcontext{} : handle_of<CUcontext>(owner->handle));
}

CUresult put_attribute(FakeCuda& fake, void* into, CUpointer_attribute attribute,
                       const Allocation& of) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put_context(fake, into, of);
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
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Mapped memory counts as allocated.
std::optional<Allocation> known_at(FakeCuda& fake, CUdeviceptr at) {
  if (const Allocation* const found = fake.memory().find(at)) return *found;
  const auto* const mapping = fake.memory().find_mapping(at);
  if (mapping == nullptr) return std::nullopt;
  const PhysicalMemory& memory = *fake.memory().find_physical(mapping->second.physical);
  return Allocation{.at = mapping->first,
                    .bytes = mapping->second.bytes,
                    .kind = MemoryKind::pool,
                    .device = memory.device,
                    .buffer_id = 1ULL << 32 | mapping->second.physical};
}

CUresult get_attribute(FakeCuda& fake, void* into, CUpointer_attribute attribute, CUdeviceptr at) {
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto known = known_at(fake, at);
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) return put(into, at);
  return put_attribute(fake, into, attribute, *known);
}

/// An allocation by its id, so that memory which comes back has another handle.
CUresult export_memory(FakeCuda& fake, CUipcMemHandle* handle, CUdeviceptr at) {
  Allocation* const found = fake.memory().find(at);
  if (handle == nullptr || found == nullptr || found->kind != MemoryKind::device)
    return CUDA_ERROR_INVALID_VALUE;
  found->is_exported = true;
  std::memset(handle->reserved, 0, sizeof handle->reserved);
  std::memcpy(handle->reserved, &found->buffer_id, sizeof found->buffer_id);
  return CUDA_SUCCESS;
}

CUresult import_memory(const char* name, CUdeviceptr* at, const CUipcMemHandle& handle) {
  const auto body = [=](FakeCuda& fake) {
    std::uint64_t id = 0;
    std::memcpy(&id, handle.reserved, sizeof id);
    for (const auto& [begin, allocation] : fake.memory().allocations())
      if (allocation.buffer_id == id && allocation.is_exported) return give(fake, at, begin);
    return CUDA_ERROR_INVALID_VALUE;
  };
  return fake_call({name, context}, body);
}

struct ErrorName {
  CUresult result;
  const char* name;
};

#define FAKE_CUDA_ERROR(name) \
  { name, #name }
constexpr ErrorName error_names[] = {FAKE_CUDA_ERROR(CUDA_SUCCESS),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_INVALID_VALUE),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_OUT_OF_MEMORY),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_NOT_INITIALIZED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_DEINITIALIZED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_NO_DEVICE),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_INVALID_DEVICE),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_INVALID_CONTEXT),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_INVALID_HANDLE),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_ILLEGAL_STATE),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_NOT_FOUND),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_NOT_READY),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_LAUNCH_FAILED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_NOT_SUPPORTED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_CAPTURED_EVENT),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
                                     FAKE_CUDA_ERROR(CUDA_ERROR_UNKNOWN)};
#undef FAKE_CUDA_ERROR

CUresult name_error(const char* function, CUresult result, const char** text) {
  const auto body = [=](FakeCuda&) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = nullptr;
    for (const ErrorName& known : error_names)
      if (known.result == result) *text = known.name;
    return refuse_unless(*text != nullptr);
  };
  return fake_call({function, nothing}, body, result);
}

}  // namespace

FAKE_CUDA_CALL(cuPointerGetAttribute)(void* into, CUpointer_attribute attribute, CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) { return get_attribute(fake, into, attribute, at); };
  return fake_call({"cuPointerGetAttribute", driver}, body, attribute, at);
}
FAKE_CUDA_CALL(cuPointerGetAttributes)
(unsigned count, CUpointer_attribute* attributes, void** into, CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) {
    if (attributes == nullptr || into == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned place = 0; place < count; ++place)
      get_attribute(fake, into[place], attributes[place], at);
    return CUDA_SUCCESS;
  };
  return fake_call({"cuPointerGetAttributes", driver}, body, count, at);
}
FAKE_CUDA_CALL(cuPointerSetAttribute)
(const void* value, CUpointer_attribute attribute, CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) {
    Allocation* const found = fake.memory().find(at);
    if (value == nullptr || found == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
      return CUDA_ERROR_INVALID_VALUE;
    unsigned wanted = 0;
    std::memcpy(&wanted, value, sizeof wanted);
    found->sync_memops = wanted != 0;
    return CUDA_SUCCESS;
  };
  return fake_call({"cuPointerSetAttribute", driver}, body, attribute, at);
}

FAKE_CUDA_CALL(cuIpcGetMemHandle)(CUipcMemHandle* handle, CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) { return export_memory(fake, handle, at); };
  return fake_call({"cuIpcGetMemHandle", context}, body, at);
}
FAKE_CUDA_CALL(cuIpcOpenMemHandle)(CUdeviceptr* at, CUipcMemHandle handle, unsigned /*flags*/) {
  return import_memory("cuIpcOpenMemHandle", at, handle);
}
FAKE_CUDA_CALL(cuIpcOpenMemHandle_v2)(CUdeviceptr* at, CUipcMemHandle handle, unsigned /*flags*/) {
  return import_memory("cuIpcOpenMemHandle_v2", at, handle);
}
FAKE_CUDA_CALL(cuIpcCloseMemHandle)(CUdeviceptr at) {
  const auto body = [=](FakeCuda& fake) {
    return refuse_unless(fake.memory().find(at) != nullptr);
  };
  return fake_call({"cuIpcCloseMemHandle", context}, body, at);
}

FAKE_CUDA_CALL(cuGetErrorName)(CUresult result, const char** text) {
  return name_error("cuGetErrorName", result, text);
}
FAKE_CUDA_CALL(cuGetErrorString)(CUresult result, const char** text) {
  return name_error("cuGetErrorString", result, text);
}
