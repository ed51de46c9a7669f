// SettingChoice: a place in a grid of settings, as the value of each option. RequestShapes: the
// sizes that recordings request, which tell the values that change nothing.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "replay/replayer/replayer.h"
#include "replay/settings_search/sweep.h"

namespace vramlab::replay {

namespace option_names {
inline constexpr const char* expandable = "expandable_segments";
inline constexpr const char* rounding = "roundup_power2_divisions";
inline constexpr const char* splitting = "max_split_size_mb";
inline constexpr const char* garbage = "garbage_collection_threshold";
inline constexpr const char* large_segment = "large_segment_size_mb";
}  // namespace option_names

class SettingChoice {
 public:
  /// The value of an option; empty where it is left out.
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

class RequestShapes {
 public:
  explicit RequestShapes(const Replayers& recordings);

  /// Whether any request gets another block than without the options.
  bool are_rounded_by(const Settings& settings) const;
  /// Whether a segment can be as large, with the next power of two for each request at most.
  bool reach(Bytes size) const { return largest_ >= size; }
  /// Whether any size is of those that share segments of the large pool.
  bool has_medium() const;
  /// Whether a value of the choice changes nothing here, so that the choice without it is the same.
  bool is_inert(const SettingChoice& choice, const ReferenceVersion& version) const;

 private:
  void add(const Replayer& recording);

  std::set<Bytes> sizes_;
  Bytes largest_;
};

}  // namespace vramlab::replay
