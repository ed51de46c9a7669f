// The consistency checkers: they recompute every link, set, count and total of an allocator the
// slow way and name each broken rule in a sentence. For tests and long runs; they share no code
// with the rules that they check.
#pragma once

#include <string>
#include <vector>

#include "allocator/caching_allocator.h"
#include "allocator/pinned/pinned_allocator.h"

namespace vramlab::allocator {

/// A sentence for each broken rule; empty where every rule holds.
template <class L>
std::vector<std::string> find_broken_rules(const CachingAllocator<L>& allocator);

extern template std::vector<std::string> find_broken_rules(const BareAllocator&);
extern template std::vector<std::string> find_broken_rules(const CountingAllocator&);
extern template std::vector<std::string> find_broken_rules(const RecordingAllocator&);
extern template std::vector<std::string> find_broken_rules(const ExplainingAllocator&);

/// The first rule that the state breaks, as a sentence; empty where all hold.
std::string find_broken_host_rule(const PinnedAllocator& allocator);

}  // namespace vramlab::allocator
