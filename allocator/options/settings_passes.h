// The two ways in which an option string takes effect, one function for each grammar. Both start
// with the options that every new string resets, and both throw OptionRefused at the first mistake,
// with what stands before it in effect.
#pragma once

#include "allocator/options/option_reader.h"

namespace vramlab::allocator {

void parse_in_single_pass(OptionParse& parse);
void parse_in_three_passes(OptionParse& parse);

}  // namespace vramlab::allocator
