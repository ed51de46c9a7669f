#include <algorithm>

#include "tools/cli/commands/diff/diff_report.h"
#include "traces/io/letters.h"

namespace vramlab::tools {
namespace {

/// U+FFFE and U+FFFF are UTF-8, but no letters of XML.
bool begins_with_no_letter(std::string_view text) {
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
}

/// Letters that XML can't hold become question marks.
std::string escaped(const std::string& text) {
  const std::string utf8 = traces::as_utf8(text);
  std::string safe;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (begins_with_no_letter(std::string_view(utf8).substr(i))) {
      safe += '?';
      i += 2;
      continue;
    }
    const char letter = utf8[i];
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\n':
        safe += "&#10;";
        break;
      default:
        safe += static_cast<unsigned char>(letter) < ' ' ? '?' : letter;
    }
  }
  return safe;
}

std::string case_text(const DiffOutcome& outcome, const replay::JudgedLimit& limit) {
  std::string text = "    <testcase classname=\"vramlab.diff\" name=\"" +
                     escaped(limit.limit.text) + "\" time=\"0\"";
  if (!limit.is_broken) return text + "/>\n";
  const std::string culprits = culprits_text(outcome.comparison);
  text += ">\n      <failure type=\"limit\" message=\"" + escaped(limit_text(limit)) + "\">" +
          escaped(limit_text(limit) + (culprits.empty() ? "" : "\ngrew most: " + culprits)) +
          "</failure>\n    </testcase>\n";
  return text;
}

}  // namespace

std::string diff_junit(const DiffOutcome& outcome) {
  const auto& limits = outcome.comparison.limits;
  const std::string counts =
      " tests=\"" + std::to_string(limits.size()) + "\" failures=\"" +
      std::to_string(std::ranges::count_if(limits, &replay::JudgedLimit::is_broken)) +
      "\" errors=\"0\" time=\"0\"";
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vramlab diff\"" + counts +
      ">\n  <testsuite name=\"" +
      escaped(outcome.comparison.base.name + " to " + outcome.comparison.now.name) + "\"" + counts +
      " skipped=\"0\">\n";
  for (const replay::JudgedLimit& limit : limits) text += case_text(outcome, limit);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace vramlab::tools
