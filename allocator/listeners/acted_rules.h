// ActedRules: which rules of docs/reference/fidelity.md decided something since they were last
// asked for, each once, in the order in which they acted for the first time.
#pragma once

#include <bitset>
#include <utility>
#include <vector>

#include "allocator/listeners/listeners.h"

namespace vramlab::allocator {

class ActedRules : public Listener {
 public:
  static constexpr bool hears_rules = true;

  void acted(Rule rule) {
    const auto place = std::size_t{rule.section} * numbers_of_a_section + rule.number;
    if (seen_[place]) return;
    seen_.set(place);
    rules_.push_back(rule);
  }
  /// They are forgotten here then.
  std::vector<Rule> take_rules() {
    seen_.reset();
    return std::exchange(rules_, {});
  }

 private:
  static constexpr std::size_t numbers_of_a_section = 32;
  static constexpr std::size_t sections = 19;
  std::bitset<sections * numbers_of_a_section> seen_;
  std::vector<Rule> rules_;
};

}  // namespace vramlab::allocator
