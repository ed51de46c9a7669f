// One walk over the string: each option takes effect where it stands.
#include "allocator/options/settings_passes.h"

namespace vramlab::allocator {

void parse_in_single_pass(OptionParse& parse) {
  while (!parse.tokens.at_end()) {
    const OptionInHand option = take_option_name(parse);
    read_option(option);
    take_separator_after(option);
  }
}

}  // namespace vramlab::allocator
