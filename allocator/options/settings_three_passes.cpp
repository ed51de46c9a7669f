// Three walks over the string: the segment size, wherever it stands, since other bounds depend on
// it; then the options that all accelerators share; then the allocator's own. A mistake in one walk
// leaves the options of the next as they were.
#include "allocator/options/settings_passes.h"

namespace vramlab::allocator {
namespace {

/// Looks at every token, so it also finds names in places where a value should be.
void read_segment_size(OptionParse& parse) {
  parse.tokens.start_again();
  while (!parse.tokens.at_end()) {
    const OptionRow* row = find_option(parse.rules, parse.tokens.next());
    const std::string name = parse.tokens.take();
    if (row != nullptr && row->pass == OptionPass::segment_size) read_option({parse, *row, name});
  }
}

/// Reads the options of one pass and skips the others, which must be known and complete.
void read_pass(OptionParse& parse, OptionPass pass) {
  parse.tokens.start_again();
  while (!parse.tokens.at_end()) {
    const OptionInHand option = take_option_name(parse);
    if (option.row.pass == pass)
      read_option(option);
    else
      skip_option(option);
    take_separator_after(option);
  }
}

}  // namespace

void parse_in_three_passes(OptionParse& parse) {
  read_segment_size(parse);
  parse.settings.max_non_split_rounding = parse.settings.large_segment_size;
  read_pass(parse, OptionPass::shared);
  read_pass(parse, OptionPass::own);
}

}  // namespace vramlab::allocator
