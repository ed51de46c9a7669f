// What reports are read on: how wide it is, and in which locale.
#pragma once

#include <cstddef>
#include <string>

namespace vramlab::tools {

/// Of the terminal that standard output is; 80 where it is none.
std::size_t screen_columns();

/// The one that says how letters are written, such as `de_DE.UTF-8`; empty where none is set.
std::string locale_of_environment();

}  // namespace vramlab::tools
