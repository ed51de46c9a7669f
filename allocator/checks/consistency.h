// The consistency checker: recomputes every link, set, count and total of an allocator the slow way
// and says what does not hold, as sentences. For tests and long runs; it shares no code with the
// rules that it checks.
#pragma once

#include <string>
#include <vector>

#include "allocator/caching_allocator.h"

namespace vramlab::allocator {

/// Empty where every rule holds.
template <class L>
std::vector<std::string> find_broken_rules(const CachingAllocator<L>& allocator);

extern template std::vector<std::string> find_broken_rules(const BareAllocator&);
extern template std::vector<std::string> find_broken_rules(const CountingAllocator&);
extern template std::vector<std::string> find_broken_rules(const RecordingAllocator&);
extern template std::vector<std::string> find_broken_rules(const ExplainingAllocator&);

}  // namespace vramlab::allocator
