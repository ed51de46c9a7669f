#include "allocator/checks/out_of_memory.h"

#include <algorithm>

#include "allocator/options/size_rules.h"

namespace vramlab::allocator {
namespace {

std::string rejection_message(const OutOfMemory& failure) {
  return "Out of memory: refused before the device was asked, because the request of " +
         format_bytes(failure.request) + " would exceed per_process_memory_fraction.";
}

std::string device_sentence(const OutOfMemory& failure) {
  std::string text = "Out of memory: " + format_bytes(failure.device_size) + " were asked of GPU " +
                     std::to_string(failure.device) + ", which has " +
                     format_bytes(failure.device_total) + " in total and " +
                     format_bytes(failure.device_free) + " free.";
  if (failure.allowed)
    text += " The memory fraction allows " + format_bytes(*failure.allowed) + ".";
  return text;
}

/// Free blocks of private pools serve their own pool only, so they count as allocated.
std::string allocator_sentence(const OutOfMemory& failure) {
  const Bytes in_private_pools = failure.free_in_private_pools;
  const Bytes allocated = failure.allocated + in_private_pools;
  const Bytes unallocated = failure.reserved - std::min(failure.reserved, allocated);
  std::string text = " The allocator holds " + format_bytes(allocated) + " allocated";
  if (in_private_pools.count > 0)
    text += ", " + format_bytes(in_private_pools) + " of it free in private pools";
  return text + ", and " + format_bytes(unallocated) + " reserved but unallocated.";
}

std::string advice_sentence(const OutOfMemory& failure) {
  if (failure.exceeded_reserve)
    return " The request exceeds the " + format_bytes(*failure.exceeded_reserve) +
           " of addresses that an expandable segment reserves, and no request spans two segments:"
           " expandable_segments_reserve or expandable_segments_reserve_by_class has to be at"
           " least " +
           format_bytes(failure.device_size) + ", or unset.";
  return " If much is reserved but unallocated, expandable_segments:True may help against"
         " fragmentation.";
}

}  // namespace

std::string out_of_memory_message(const OutOfMemory& failure) {
  if (failure.outcome == MallocOutcome::rejected) return rejection_message(failure);
  if (failure.request >= request_limit)
    return "Out of memory: more than 1EB was asked for, which no device has.";
  return device_sentence(failure) + allocator_sentence(failure) + advice_sentence(failure);
}

}  // namespace vramlab::allocator
