#include "tools/cli/printers/text_lines.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "allocator/types/real_numbers.h"
#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {
namespace {

/// Spreadsheets run a text that begins like this; a number is none.
bool begins_like_a_formula(const std::string& text) {
  if (text.size() < 2 || std::string_view("=+-@").find(text.front()) == std::string_view::npos)
    return false;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = read_number(text.data(), end, number);
  return read.ec != std::errc() || read.ptr != end;
}

/// The last blank before the limit at which a text is broken; a unit stays with its number. npos if
/// there is none.
std::size_t break_in(std::string_view text, std::size_t limit) {
  const std::size_t begin = text.find_first_not_of(' ');
  const auto is_unit = [&](std::size_t blank) {
    const std::string_view next = text.substr(blank + 1);
    return std::ranges::any_of(std::array{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "%"},
                               [&](const char* unit) { return next.starts_with(unit); });
  };
  std::size_t blank = text.rfind(' ', limit);
  while (blank != std::string_view::npos && blank > begin && is_unit(blank))
    blank = text.rfind(' ', blank - 1);
  return blank != std::string_view::npos && blank > begin ? blank : text.find(' ', limit);
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

void add_line(std::string& text, const std::string& name, const std::string& value) {
  text += "  " + padded(name, line_name_width) + " " + shown_name(value) + "\n";
}

std::vector<std::string> broken_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const std::size_t blank = break_in(text, width);
    if (blank == std::string_view::npos) break;
    // Two blanks may stand between columns.
    lines.emplace_back(text.substr(0, text.find_last_not_of(' ', blank) + 1));
    text.remove_prefix(blank + 1);
  }
  lines.emplace_back(text);
  return lines;
}

std::string paragraph(const std::string& sentence) {
  std::string text;
  if (sentence.empty()) return text;
  for (const std::string& line : broken_lines(shown_name(sentence), widest_line))
    text += line + "\n";
  return text;
}

std::string csv_text(const std::string& text) {
  if (begins_like_a_formula(text)) return csv_text("'" + text);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string percent_text(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", percent);
  return text;
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return percent_text(0);
  return percent_text(100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string ratio_text(std::int64_t millionths) {
  return percent_text(static_cast<double>(millionths) / 1e4);
}

std::string percent_above(Bytes size, Bytes other) {
  if (size <= other) return "+0 %";
  char text[32];
  std::snprintf(text, sizeof text, "+%.2f %%",
                other.count == 0 ? 0.0
                                 : static_cast<double>((size - other).count) * 100.0 /
                                       static_cast<double>(other.count));
  return text;
}

std::string amount_text(const replay::Metric& metric, std::uint64_t amount) {
  if (metric.unit == replay::MetricUnit::bytes) return format_bytes(Bytes{amount});
  if (metric.unit == replay::MetricUnit::nanoseconds) return nanoseconds_text(amount);
  return std::to_string(amount);
}

std::string duration_text(std::uint64_t time_us) {
  std::array<char, 48> text{};
  const auto us = static_cast<double>(time_us);
  if (time_us < 1000)
    std::snprintf(text.data(), text.size(), "%.0f us", us);
  else if (time_us < 1'000'000)
    std::snprintf(text.data(), text.size(), "%.2f ms", us / 1e3);
  else
    std::snprintf(text.data(), text.size(), "%.2f s", us / 1e6);
  return text.data();
}

std::string nanoseconds_text(std::uint64_t time_ns) {
  if (time_ns < 1000) return std::to_string(time_ns) + " ns";
  if (time_ns >= 1'000'000) return duration_text(time_ns / 1000);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.2f us", static_cast<double>(time_ns) / 1e3);
  return text.data();
}

}  // namespace vramlab::tools
