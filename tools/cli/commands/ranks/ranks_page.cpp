#include "tools/cli/commands/ranks/ranks_page.h"

#include <algorithm>
#include <vector>

#include "tools/cli/kit/several_files.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::MemoryLevel;

/// The drawing's own units.
constexpr std::uint64_t drawing_width = 240;
constexpr std::uint64_t drawing_height = 80;

constexpr const char* head_of_page = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>vramlab ranks</title>
<style>
:root{color-scheme:light dark;--line:#1f6feb;--area:#9dbfe8;--edge:#c9ccd1;--far:#b3261e}
@media(prefers-color-scheme:dark){:root{--line:#79b8ff;--area:#2d4a73;--edge:#4a4f57;--far:#ff8a80}}
body{font:14px/1.4 system-ui,sans-serif;margin:1.5rem;max-width:120rem}
h1{font-size:1.2rem;margin:0 0 .5rem}
ul{list-style:none;margin:1rem 0;padding:0;display:grid;gap:.75rem;
grid-template-columns:repeat(auto-fill,minmax(15rem,1fr))}
li{border:1px solid var(--edge);border-radius:4px;padding:.5rem;min-width:0}
li.far{border-color:var(--far)}
svg{display:block;width:100%;height:5rem;margin:.25rem 0}
.name{font-weight:600;overflow-wrap:anywhere}
.why{color:var(--far)}
.lines{white-space:pre-line}
.small{font-size:.85rem;overflow-wrap:anywhere}
.area{fill:var(--area)}
.line{fill:none;stroke:var(--line);stroke-width:1.5;vector-effect:non-scaling-stroke}
.key{display:inline-block;width:.9rem;height:.6rem;margin:0 .3rem 0 .8rem}
</style></head><body>
)";

std::uint64_t from_top(Bytes level, Bytes most) {
  const double share = static_cast<double>(level.count) / static_cast<double>(most.count);
  return drawing_height -
         static_cast<std::uint64_t>(std::min(share, 1.0) * static_cast<double>(drawing_height));
}

/// Each step is as high as the most held in it, from its left edge to its right one.
std::string steps_of(const std::vector<MemoryLevel>& levels, Bytes MemoryLevel::* held,
                     Bytes most) {
  std::string path;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string y = std::to_string(from_top(levels[i].*held, most));
    path += (i == 0 ? "M0 " + y : "V" + y) + "H" +
            std::to_string(drawing_width * (i + 1) / levels.size());
  }
  return path;
}

std::string drawing_of(const JobRow& row, Bytes most) {
  if (row.levels.empty() || most == Bytes{})
    return "<p class=\"small\">no memory over time in this recording</p>\n";
  const std::string bottom = std::to_string(drawing_height);
  const std::string size = std::to_string(drawing_width) + " " + bottom;
  return "<svg viewBox=\"0 0 " + size +
         "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"memory over time\">"
         "<path class=\"area\" d=\"" +
         steps_of(row.levels, &MemoryLevel::reserved, most) + "V" + bottom +
         "H0Z\"/>"
         "<path class=\"line\" d=\"" +
         steps_of(row.levels, &MemoryLevel::allocated, most) + "\"/></svg>\n";
}

std::string peak_text(const std::optional<Bytes>& bytes) {
  return bytes ? format_bytes(*bytes) : "not told";
}

std::string cell_of(const JobRow& row, const std::string& name, Bytes most) {
  std::string text = row.outlier.empty() ? "<li>" : "<li class=\"far\">";
  text += "<div class=\"name\">" + shown_markup(name) + ", GPU " + std::to_string(row.device) +
          "</div>\n";
  text += drawing_of(row, most);
  text += "<div class=\"small\">reserved " + peak_text(row.reserved) + ", allocated " +
          peak_text(row.allocated) + "</div>\n";
  for (const std::string& phrase : row.outlier)
    text += "<div class=\"small why\">" + shown_markup(phrase) + "</div>\n";
  if (!row.worst_line.empty())
    text += "<div class=\"small\">" + shown_markup(row.worst_line) + "</div>\n";
  return text + "</li>\n";
}

}  // namespace

std::string ranks_page(const JobRows& ranks, const std::string& summary) {
  std::vector<std::string> files;
  for (const JobRow& row : ranks.rows) files.push_back(row.file);
  const std::vector<std::string> names = short_names(files);
  std::string page = std::string(head_of_page) + "<h1>vramlab ranks</h1>\n";
  page += "<p class=\"lines\">" + shown_markup(summary) + "</p>\n";
  page +=
      "<p>Each drawing is a device of a recording, worst first: memory over its history, event by "
      "event, on one "
      "scale to " +
      format_bytes(ranks.most_reserved) +
      ".<span class=\"key\" style=\"background:var(--area)\"></span>reserved"
      "<span class=\"key\" style=\"background:var(--line)\"></span>allocated</p>\n<ul>\n";
  for (std::size_t i = 0; i < ranks.rows.size(); ++i)
    page += cell_of(ranks.rows[i], names[i], ranks.most_reserved);
  return page + "</ul>\n</body></html>\n";
}

}  // namespace vramlab::tools
