#include "replay/compare/same_groups.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace vramlab::replay {
namespace {

using Groups = std::vector<HeldGroup>;
using Frames = std::vector<std::string_view>;

constexpr std::string_view between_frames = " < ";
constexpr std::string_view nameless = "??";

Frames frames_in(std::string_view key) {
  Frames frames;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find(between_frames, begin), key.size());
    frames.push_back(key.substr(begin, end - begin));
    begin = end + between_frames.size();
  }
  return frames;
}

bool is_python(std::string_view frame) { return frame.find(".py:") != std::string_view::npos; }

/// `project/train.py:12 step` becomes `train.py:12 step`. Names of functions have no folders.
std::string_view without_folder(std::string_view frame) {
  if (!is_python(frame)) return frame;
  const std::size_t slash = frame.substr(0, frame.find(".py:")).rfind('/');
  return slash == std::string_view::npos ? frame : frame.substr(slash + 1);
}

std::string without_folders(const std::string& key) {
  std::string text;
  for (const std::string_view frame : frames_in(key)) {
    if (!text.empty()) text += between_frames;
    text += without_folder(frame);
  }
  return text;
}

/// Such as `at::empty` of `Functions.cpp:12 at::empty [clone .cold]`: which source file a function
/// is from, a library without symbols does not say either.
std::string_view function_of(std::string_view frame) {
  constexpr std::string_view clone = " [clone ";
  frame = frame.substr(0, frame.find(clone));
  const std::size_t space = frame.find(' ');
  const std::string_view file = frame.substr(0, space);
  const bool has_file = space != std::string_view::npos &&
                        file.find("::") == std::string_view::npos &&
                        file.find('.') != std::string_view::npos;
  return has_file ? frame.substr(space + 1) : frame;
}

bool is_of_cpp(const Frames& frames) {
  const auto is_cpp = [](std::string_view frame) {
    return frame == nameless || frame.find("::") != std::string_view::npos;
  };
  return std::ranges::none_of(frames, is_python) && std::ranges::any_of(frames, is_cpp);
}

/// What a file's stacks of C++ name.
struct NamedFunctions {
  std::set<std::string_view> names;
  bool lacks_some = false;

  explicit NamedFunctions(const Groups& groups) {
    for (const HeldGroup& group : groups) {
      const Frames frames = frames_in(group.key);
      if (!is_of_cpp(frames)) continue;
      for (const std::string_view frame : frames) {
        if (frame == nameless)
          lacks_some = true;
        else
          names.insert(function_of(frame));
      }
    }
  }
};

/// The key as a file that names only the other's functions would have it; nothing for other keys.
std::optional<std::string> named_as_in(const std::string& key, const NamedFunctions& other) {
  const Frames frames = frames_in(key);
  if (!is_of_cpp(frames)) return std::nullopt;
  std::string text;
  for (const std::string_view frame : frames) {
    const std::string_view function = function_of(frame);
    if (frame == nameless || (other.lacks_some && !other.names.contains(function))) continue;
    text.append(text.empty() ? "" : between_frames).append(function);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

using KeysByText = std::map<std::string, std::vector<std::string>>;

template <class Reduced>
KeysByText keys_by(const Groups& groups, Reduced&& reduced) {
  KeysByText keys;
  for (const HeldGroup& group : groups)
    if (const std::optional<std::string> text = reduced(group.key))
      keys[*text].push_back(group.key);
  return keys;
}

/// Those of another folder, where each file has a single one.
void add_moved(const KeysByText& base, const KeysByText& now, GroupNames& names) {
  for (const auto& [text, keys] : base) {
    const auto found = now.find(text);
    if (found == now.end() || keys.size() != 1 || found->second.size() != 1) continue;
    names.base.emplace(keys.front(), found->second.front());
  }
}

/// Several that the other file can't tell apart are one.
void add_named(const KeysByText& base, const KeysByText& now, GroupNames& names) {
  for (const auto& [text, keys] : base) {
    const auto found = now.find(text);
    if (found == now.end()) continue;
    for (const std::string& key : keys) names.base.emplace(key, text);
    for (const std::string& key : found->second) names.now.emplace(key, text);
  }
}

}  // namespace

GroupNames same_groups(const Groups& base, const Groups& now) {
  GroupNames names;
  const auto moved = [](const std::string& key) {
    return is_of_cpp(frames_in(key)) ? std::nullopt : std::optional(without_folders(key));
  };
  add_moved(keys_by(base, moved), keys_by(now, moved), names);
  const NamedFunctions in_base(base);
  const NamedFunctions in_now(now);
  add_named(keys_by(base, [&](const std::string& key) { return named_as_in(key, in_now); }),
            keys_by(now, [&](const std::string& key) { return named_as_in(key, in_base); }), names);
  return names;
}

}  // namespace vramlab::replay
