// Texts as they may be shown: names of frames, files, annotations and options may be any bytes, and
// some of them act on a terminal, reverse the direction of a line, or end it. These become escapes,
// such as `\x1b`, `\n` or `\u202e`, also in Markdown, CSV and JUnit. JSON keeps its texts: it has
// escapes of its own.
//
// Everything that is printed goes through shown_lines(). A name that must stay on its line goes
// through shown_name() first, as the cells of tables and the values of add_line() do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vramlab::tools {

/// The text on one line, with an escape for each letter that is not for reading.
std::string shown_name(std::string_view text);

/// The same in at most so many letters: a longer name keeps its beginning and its end, with three
/// dots between them. Requires: a width of at least 8.
std::string shortened(std::string_view name, std::size_t width);

/// A call site in at most so many letters: it loses its folder, then its function; file and line
/// stay. Other names become shorter as above. Requires: a width of at least 8.
std::string shortened_call_site(std::string_view site, std::size_t width);
/// The letters of a call site that stay.
std::size_t least_width_of_call_site(std::string_view site);

/// The text on one or more lines: line breaks and tabs stay.
std::string shown_lines(std::string_view text);

/// The text in an element or an attribute of XML or HTML. Letters that XML can't hold are no shown
/// ones.
std::string shown_markup(std::string_view text);

/// A document of JSON that means the same, with JSON's own escapes for these letters.
/// Requires: the document is UTF-8.
std::string shown_json(std::string_view document);

}  // namespace vramlab::tools
