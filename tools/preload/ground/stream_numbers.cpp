#include "tools/preload/ground/stream_numbers.h"

namespace vramlab::preload {

std::uint64_t StreamNumbers::number_of(StreamHandle stream, std::uint32_t thread) {
  const CUstream which = stream.explicit_handle();
  if (which == CU_STREAM_LEGACY) return 0;
  std::uint64_t& number = which == CU_STREAM_PER_THREAD ? of_threads_[thread] : numbers_[which];
  if (number == 0) number = ++last_;
  return number;
}

}  // namespace vramlab::preload
