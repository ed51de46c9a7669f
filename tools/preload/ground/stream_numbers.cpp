#include "tools/preload/ground/stream_numbers.h"

namespace vramlab::preload {

std::uint64_t StreamNumbers::number_of(StreamHandle stream, std::uint32_t thread) {
  const bool is_null = stream.stream == nullptr;
  // CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
  const bool is_legacy = is_null ? stream.if_null == DefaultStream::legacy
                                 : stream.stream == reinterpret_cast<CUstream>(0x1);
  const bool is_of_thread = is_null ? stream.if_null == DefaultStream::per_thread
                                    : stream.stream == reinterpret_cast<CUstream>(0x2);
  if (is_legacy) return 0;
  std::uint64_t& number = is_of_thread ? of_threads_[thread] : numbers_[stream.stream];
  if (number == 0) number = ++last_;
  return number;
}

}  // namespace vramlab::preload
