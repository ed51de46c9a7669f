// The report page without its data, as tools/report_page/build.sh makes it; the build puts it into
// the program.
#pragma once

#include <string_view>

namespace vramlab::tools {

/// The place of the data; once in the template.
inline constexpr std::string_view report_data_mark = "@VRAMLAB_REPORT_DATA@";

std::string_view report_template();

}  // namespace vramlab::tools
