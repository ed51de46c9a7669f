// CUPTI: profilers may switch everything on, and see no activity.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;
constexpr int no_more_records = 12;

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int cuptiGetVersion(std::uint32_t* version) {
  put(version, cuda_version() >= 13000 ? 130001 : 22);
  return success;
}
/// Profilers set it beside the clock of the host, so it is that clock.
VRAMLAB_EXPORT int cuptiGetTimestamp(std::uint64_t* timestamp) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  put(timestamp, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  return success;
}
VRAMLAB_EXPORT int cuptiGetResultString(int result, const char** text) {
  put(text, result == success ? "CUPTI_SUCCESS" : "CUPTI_ERROR_UNKNOWN");
  return success;
}
VRAMLAB_EXPORT int cuptiGetCallbackName(int, std::uint32_t, const char** name) {
  put(name, "");
  return success;
}
VRAMLAB_EXPORT int cuptiSubscribe(void** subscriber, void*, void*) {
  return create_object(subscriber) ? success : 1;
}
VRAMLAB_EXPORT int cuptiUnsubscribe(void* subscriber) {
  destroy_object(subscriber);
  return success;
}
VRAMLAB_EXPORT int cuptiActivityGetNextRecord(std::uint8_t*, std::size_t, void** record) {
  put(record, nullptr);
  return no_more_records;
}
VRAMLAB_EXPORT int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  put(dropped, 0);
  return success;
}
VRAMLAB_EXPORT int cuptiActivityPopExternalCorrelationId(int, std::uint64_t* last) {
  put(last, 0);
  return success;
}
VRAMLAB_EXPORT int cuptiGetDeviceId(void*, std::uint32_t* device) {
  put(device, 0);
  return success;
}
VRAMLAB_EXPORT int cuptiGetContextId(void*, std::uint32_t* context) {
  put(context, 1);
  return success;
}
VRAMLAB_EXPORT int cuptiGetStreamId(void*, void*, std::uint32_t* stream) {
  put(stream, 0);
  return success;
}
VRAMLAB_EXPORT int cuptiGetStreamIdEx(void*, void*, std::uint8_t, std::uint32_t* stream) {
  put(stream, 0);
  return success;
}
