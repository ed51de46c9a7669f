// Advice on managed memory and its prefetching, which are remembered for programs that ask for
// them. Nothing moves: managed memory is the host's here.
#include <array>
#include <cstring>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"

using namespace vramlab::dry_run;

namespace {

struct ManagedRange {
  CUdeviceptr at;
  std::size_t bytes;
};

CUresult check_range(StandInDriver& driver, const ManagedRange& range) {
  const Allocation* const found = driver.memory().find(range.at);
  const bool is_managed = range.bytes != 0 && found != nullptr &&
                          found->kind == MemoryKind::managed &&
                          range.bytes <= found->bytes - (range.at - found->at);
  return refuse_unless(is_managed);
}

bool is_place(const StandInDriver& driver, MemoryPlace place) {
  return place == host_place || has_device(driver, place);
}

MemoryPlace place_of(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return location.id;
  return is_on_host(location) ? host_place : no_place;
}

void apply(PageAdvice& page, CUmem_advise advice, MemoryPlace place) {
  switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
      page.is_read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
      return;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      page.preferred = place;
      return;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      page.preferred = no_place;
      return;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
      page.accessed_by.insert(place);
      return;
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
      page.accessed_by.erase(place);
  }
}

bool names_a_place(CUmem_advise advice) {
  return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
         advice == CU_MEM_ADVISE_SET_ACCESSED_BY || advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

CUresult advise(const char* name, const ManagedRange& range, unsigned advice, MemoryPlace place) {
  const auto body = [=](StandInDriver& driver) {
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
      return CUDA_ERROR_INVALID_VALUE;
    const auto wish = static_cast<CUmem_advise>(advice);
    if (const CUresult refused = check_range(driver, range); refused != CUDA_SUCCESS)
      return refused;
    if (names_a_place(wish) && !is_place(driver, place)) return CUDA_ERROR_INVALID_DEVICE;
    driver.advice().change(range.at, range.bytes,
                           [&](PageAdvice& page) { apply(page, wish, place); });
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, range.at, range.bytes, advice);
}

CUresult prefetch(const CallSite& site, const ManagedRange& range, MemoryPlace place,
                  CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    if (const CUresult refused = check_range(driver, range); refused != CUDA_SUCCESS)
      return refused;
    if (!is_place(driver, place)) return CUDA_ERROR_INVALID_DEVICE;
    const auto where = driver.find_stream(stream, site);
    if (const CUresult* refused = std::get_if<CUresult>(&where)) return *refused;
    driver.advice().change(range.at, range.bytes,
                           [&](PageAdvice& page) { page.last_prefetch = place; });
    return CUDA_SUCCESS;
  };
  return driver_call(site, body, range.at, range.bytes, stream);
}

CUresult on_cuMemPrefetchAsync(const CallSite& site, CUdeviceptr at, std::size_t bytes, CUdevice to,
                               CUstream stream) {
  return prefetch(site, {at, bytes}, to, stream);
}
CUresult on_cuMemPrefetchAsync_v2(const CallSite& site, CUdeviceptr at, std::size_t bytes,
                                  CUmemLocation to, unsigned flags, CUstream stream) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return prefetch(site, {at, bytes}, place_of(to), stream);
}

int location_type_of(MemoryPlace place) {
  if (place == no_place) return 0;
  return place == host_place ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
}
int location_id_of(MemoryPlace place) { return place < 0 ? 0 : place; }

int answer_of(const PageAdvice& advice, CUmem_range_attribute attribute) {
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      return advice.is_read_mostly ? 1 : 0;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      return advice.preferred;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      return advice.last_prefetch;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return location_type_of(advice.preferred);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return location_id_of(advice.preferred);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return location_type_of(advice.last_prefetch);
    default:
      return location_id_of(advice.last_prefetch);
  }
}

struct AttributeRoom {
  void* into;
  std::size_t bytes;
  unsigned attribute;
};

/// As many places as there is room for; the rest of the room says that there are no more.
CUresult give_places(const AttributeRoom& room, const std::set<MemoryPlace>& places) {
  if (room.bytes == 0 || room.bytes % sizeof(MemoryPlace) != 0) return CUDA_ERROR_INVALID_VALUE;
  auto next = places.begin();
  auto* into = static_cast<std::byte*>(room.into);
  for (std::size_t at = 0; at < room.bytes; at += sizeof(MemoryPlace)) {
    const MemoryPlace place = next == places.end() ? no_place : *next++;
    std::memcpy(into + at, &place, sizeof place);
  }
  return CUDA_SUCCESS;
}

CUresult give_attribute(const AttributeRoom& room, const PageAdvice& advice) {
  if (room.into == nullptr || room.attribute < CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
      room.attribute > CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
    return CUDA_ERROR_INVALID_VALUE;
  const auto attribute = static_cast<CUmem_range_attribute>(room.attribute);
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY) return give_places(room, advice.accessed_by);
  if (room.bytes != sizeof(int)) return CUDA_ERROR_INVALID_VALUE;
  return put(room.into, answer_of(advice, attribute));
}

}  // namespace

STAND_IN_TWINS(cuMemPrefetchAsync, _ptsz, context,
               (CUdeviceptr at, std::size_t bytes, CUdevice to, CUstream stream), at, bytes, to,
               stream)
STAND_IN_TWINS(cuMemPrefetchAsync_v2, _ptsz, context,
               (CUdeviceptr at, std::size_t bytes, CUmemLocation to, unsigned flags,
                CUstream stream),
               at, bytes, to, flags, stream)
STAND_IN_CALL(cuMemAdvise)
(CUdeviceptr at, std::size_t bytes, unsigned advice, CUdevice device) {
  return advise("cuMemAdvise", {at, bytes}, advice, device);
}
STAND_IN_CALL(cuMemAdvise_v2)
(CUdeviceptr at, std::size_t bytes, unsigned advice, CUmemLocation place) {
  return advise("cuMemAdvise_v2", {at, bytes}, advice, place_of(place));
}
STAND_IN_CALL(cuMemRangeGetAttribute)
(void* into, std::size_t room, unsigned attribute, CUdeviceptr at, std::size_t bytes) {
  const auto body = [=](StandInDriver& driver) {
    if (const CUresult refused = check_range(driver, {at, bytes}); refused != CUDA_SUCCESS)
      return refused;
    return give_attribute({into, room, attribute}, driver.advice().common(at, bytes));
  };
  return driver_call({"cuMemRangeGetAttribute", initialised}, body, attribute, at, bytes);
}
STAND_IN_CALL(cuMemRangeGetAttributes)
(void** into, std::size_t* rooms, const unsigned* attributes, std::size_t count, CUdeviceptr at,
 std::size_t bytes) {
  const auto body = [=](StandInDriver& driver) {
    if (into == nullptr || rooms == nullptr || attributes == nullptr || count == 0)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_range(driver, {at, bytes});
    if (result != CUDA_SUCCESS) return result;
    const PageAdvice common = driver.advice().common(at, bytes);
    for (std::size_t place = 0; place < count && result == CUDA_SUCCESS; ++place)
      result = give_attribute({into[place], rooms[place], attributes[place]}, common);
    return result;
  };
  return driver_call({"cuMemRangeGetAttributes", initialised}, body, count, at, bytes);
}
