// SettingChoice: a place in a grid of settings, as the value of each option.
#pragma once

#include <map>
#include <string>

#include "replay/whatif/option_grid.h"

namespace vramlab::replay {

class SettingChoice {
 public:
  /// Empty where the option is left out.
  std::string value(const std::string& option) const {
    const auto found = values_.find(option);
    return found == values_.end() ? "" : found->second;
  }
  SettingChoice with(const std::string& option, const std::string& value) const {
    SettingChoice other = *this;
    if (value.empty() || value == left_out_value)
      other.values_.erase(option);
    else
      other.values_[option] = value;
    return other;
  }
  /// As an option string, in the order of the names.
  std::string conf() const {
    std::string text;
    for (const auto& [option, value] : values_)
      text += (text.empty() ? "" : ",") + option + ":" + value;
    return text;
  }
  friend auto operator<=>(const SettingChoice&, const SettingChoice&) = default;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace vramlab::replay
