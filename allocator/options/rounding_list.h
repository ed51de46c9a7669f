// The value of roundup_power2_divisions: one number for all sizes, or a list of sizes with a number
// each. What stands in a list before its first mistake has been written to its slots.
#pragma once

namespace vramlab::allocator {

struct OptionInHand;

void read_rounding_divisions(const OptionInHand& option);

}  // namespace vramlab::allocator
