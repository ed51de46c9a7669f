#include "replay/conformance/reference_errors.h"

#include <array>

#include "allocator/types/check.h"

namespace vramlab::replay {
namespace {

using Kind = allocator::SettingsErrorKind;

/// A text of the reference: its start, the name of the option where the text has it, and its end.
struct ErrorText {
  std::string_view before;
  /// Given here where the text implies the option without naming it.
  std::string_view option;
  /// Empty if the text may end in any way and names no option.
  std::string_view after;
  std::vector<Kind> kinds;
};

const std::vector<ErrorText>& error_texts() {
  // The first row that fits counts.
  static const std::vector<ErrorText> texts = {
      // Both versions.
      {"CachingAllocator option ", "", " too small, must be >", {Kind::out_of_range}},
      {"CachingAllocator option ", "", " must be >", {Kind::out_of_range}},
      {"For roundups, the ", "roundup_power2_divisions", "", {Kind::out_of_range}},
      {"Number of register threads ", "pinned_num_register_threads", "", {Kind::out_of_range}},
      {"Unknown allocator backend", "backend", "", {Kind::unknown_backend}},
      {"Allocator backend parsed at runtime !=", "backend", "", {Kind::other_backend}},
      {"garbage_collect_threshold ", "garbage_collection_threshold", "", {Kind::out_of_range}},
      // 2.6.
      {"Unrecognized CachingAllocator option: ", "", "\n", {Kind::unknown_option}},
      {"Error parsing CachingAllocator settings, expected ", "", "", {Kind::missing_separator}},
      {"Error parsing backend value", "backend", "", {Kind::missing_value}},
      {"Error, expecting ", "", " value", {Kind::missing_value}},
      {"Expected a single True/False argument for ", "", "\n", {Kind::not_a_boolean}},
      // 2.12.
      {"Unrecognized key '", "", "' in ", {Kind::unknown_option}},
      {"Expected 'True' or 'False' at index ", "", "", {Kind::not_a_boolean}},
      {"Pinned reserve segment size ", "pinned_reserve_segment_size_mb", "", {Kind::out_of_range}},
      {"per_process_memory_fraction ", "per_process_memory_fraction", "", {Kind::out_of_range}},
      {"Expected closing bracket ']'", "", "", {Kind::unclosed_list}},
      // The end of the text, whatever was expected there.
      {"Index out of bounds in ConfigTokenizer",
       "",
       "",
       {Kind::missing_separator, Kind::missing_value, Kind::unclosed_list}},
      // The library's number parsers, for any other text in place of a number, also a separator.
      {"stoull", "", "", {Kind::not_a_number, Kind::missing_value}},
      {"stoul", "", "", {Kind::not_a_number, Kind::missing_value}},
      {"stoi", "", "", {Kind::not_a_number, Kind::missing_value}},
      {"stod", "", "", {Kind::not_a_number, Kind::missing_value}},
  };
  return texts;
}

std::optional<ReferenceSettingsError> read_as(const ErrorText& row, std::string_view text) {
  if (!text.starts_with(row.before)) return std::nullopt;
  if (row.after.empty()) return ReferenceSettingsError{row.kinds, std::string(row.option)};
  text.remove_prefix(row.before.size());
  // A line break stands for the text's end.
  const std::size_t end = row.after == "\n" ? text.size() : text.rfind(row.after);
  if (end == std::string_view::npos) return std::nullopt;
  return ReferenceSettingsError{row.kinds, std::string(text.substr(0, end))};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The unit right after a number; empty where it has none.
std::string_view unit_at(std::string_view text) {
  static constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "EB"};
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const std::string_view unit : units)
    if (text.starts_with(unit)) return unit;
  return {};
}

/// As format_bytes() prints it: the reference goes up to 1024 of each unit.
std::string figure_of(const std::string& number, std::string_view unit) {
  if (number == "1024" && unit == "bytes") return "1.00 KiB";
  if (number == "1024.00" && unit == "KiB") return "1.00 MiB";
  if (number == "1024.00" && unit == "MiB") return "1.00 GiB";
  return number + " " + std::string(unit);
}

}  // namespace

std::optional<ReferenceSettingsError> understand_settings_error(std::string_view text) {
  for (const ErrorText& row : error_texts())
    if (auto understood = read_as(row, text)) return understood;
  return std::nullopt;
}

std::optional<MallocOutcome> understand_malloc_error(std::string_view text) {
  if (text.starts_with("beginAllocateToPool: already recording to mempool_id"))
    return MallocOutcome::scope_already_open;
  return std::nullopt;
}

std::string reference_text(allocator::HostErrorKind kind) {
  switch (kind) {
    case allocator::HostErrorKind::internal:
      return "internal assert";
    case allocator::HostErrorKind::unknown_pool:
      return "unknown pool";
    case allocator::HostErrorKind::already_recording:
      return "beginAllocateToPool: already recording to mempool_id";
    case allocator::HostErrorKind::not_recording:
      return "endAllocatePool: not currently recording to mempool_id";
  }
  check_failed("an error is of a known kind", __FILE__, __LINE__);
}

std::vector<std::string> figures_of_message(std::string_view text) {
  std::vector<std::string> figures;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
    std::string number(text.substr(begin, i - begin));
    // A full stop may end the sentence.
    while (number.ends_with('.')) number.pop_back();
    const std::string_view unit = unit_at(text.substr(i));
    const bool is_gpu = begin >= 4 && text.substr(begin - 4, 4) == "GPU ";
    if (!unit.empty()) figures.push_back(figure_of(number, unit));
    if (is_gpu && unit.empty()) figures.push_back("GPU " + number);
  }
  return figures;
}

}  // namespace vramlab::replay
