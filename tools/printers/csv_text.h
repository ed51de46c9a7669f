// How every command writes texts in CSV (RFC 4180).
#pragma once

#include <string>

namespace vramlab::tools {

/// A text as one value: between quotes where a comma, a quote or a line break is in it, with each
/// quote twice.
std::string csv_text(const std::string& text);

}  // namespace vramlab::tools
