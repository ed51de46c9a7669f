// Texts of reports for people: lines and columns, shares, durations; and values in CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "replay/metrics/metrics.h"

namespace vramlab::tools {

/// The text filled up with spaces behind it, or before it.
std::string padded(std::string text, std::size_t width);
std::string right(const std::string& text, std::size_t width);

/// The longest line of an answer that people read.
inline constexpr std::size_t widest_line = 100;
inline constexpr std::size_t line_name_width = 18;
/// The value is kept on its line, as shown_name() shows it.
void add_line(std::string& text, const std::string& name, const std::string& value);

/// A text in lines of at most so many letters, broken at blanks; a unit stays with its number. A
/// word that is longer has a line of its own.
std::vector<std::string> broken_lines(std::string_view text, std::size_t width);
/// A sentence in lines of at most widest_line letters, as shown_name() shows them; nothing for no
/// text.
std::string paragraph(const std::string& sentence);

/// A text as one value of CSV: quoted if it has a comma, a quote or a line break, with each quote
/// doubled. A text that spreadsheets would take for a formula gets an apostrophe before it.
std::string csv_text(const std::string& text);

/// `1 block`, `2 blocks`.
std::string counted(std::uint64_t count, const std::string& one, const std::string& many);

/// `12.3 %`.
std::string percent_text(double percent);
/// The share in percent; 0 of nothing.
std::string percent_of(std::uint64_t part, std::uint64_t whole);
/// The same of a ratio in millionths.
std::string ratio_text(std::int64_t millionths);
/// `+12.34 %`: how much the size is above the other; `+0 %` if it is not.
std::string percent_above(Bytes size, Bytes other);

/// An amount in the unit of a metric. Requires: the metric is no ratio.
std::string amount_text(const replay::Metric& metric, std::uint64_t amount);

std::string duration_text(std::uint64_t time_us);
/// From nanoseconds on: `12 ns`, `3.40 us`, then as above.
std::string nanoseconds_text(std::uint64_t time_ns);

}  // namespace vramlab::tools
