#include "tools/cli/commands/fit/fit_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::RunLimit;

/// More points of a grid are in the table alone.
constexpr std::size_t most_pictures = 24;

constexpr const char* page_begin = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="vramlab fit">
<title>vramlab fit</title>
<link rel="icon" href="data:,">
<style>
:root{color-scheme:light dark;--paper:#f7f7f4;--panel:#fff;--ink:#1c2126;--soft:#59626b;--line:#dcdedb;--alarm:#b42318}
@media(prefers-color-scheme:dark){:root{--paper:#15191d;--panel:#1b2025;--ink:#e3e7ea;--soft:#9ba6af;--line:#30373e;--alarm:#f0705f}}
body{margin:0;padding:1rem clamp(.75rem,2.5vw,2rem);background:var(--paper);color:var(--ink);font:14px/1.45 system-ui,-apple-system,Segoe UI,Helvetica Neue,Arial,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.05rem}h2{font-size:1rem;margin:1.6rem 0 .5rem}p{color:var(--soft);margin:.3rem 0}
pre{background:var(--panel);border:1px solid var(--line);padding:.7rem;overflow-x:auto;font:12.5px/1.5 ui-monospace,SF Mono,Menlo,Consolas,monospace}
figure{margin:0 0 1.2rem;background:var(--panel);border:1px solid var(--line);padding:.6rem;max-width:920px}
svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font-size:12px}svg .name{fill:var(--ink)}
svg .axis{stroke:var(--line)}svg .memory{stroke:var(--alarm);stroke-dasharray:6 4}svg .over{fill:var(--alarm)}
svg .failed{stroke:var(--alarm);stroke-width:2}svg .reserved{fill:none;stroke:var(--ink);stroke-width:1.5}svg .run{fill:var(--ink)}svg .answer{fill:var(--panel);stroke:var(--ink);stroke-width:2}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;list-style:none;margin:.4rem 0 0;padding:0;color:var(--soft);font-size:.86rem}
.legend b{display:inline-block;width:.8rem;height:.6rem;margin-right:.35rem}
.scrolled{overflow-x:auto}table{border-collapse:collapse;background:var(--panel);font-size:.86rem}th,td{text-align:left;padding:.15rem .6rem;white-space:nowrap;border-bottom:1px solid var(--line)}th{color:var(--soft)}.number{text-align:right}
</style>
</head>
<body>
)";

constexpr std::array<const char*, 9> colours = {"#3b6e9c", "#d38b3a", "#4f9a8b",
                                                "#b5545c", "#7d6aa8", "#8a9a3f",
                                                "#c77ba0", "#6f8fb8", "#a9b0b5"};

std::string html_name(const std::string& text) { return shown_markup(shown_name(text)); }

/// Each holder has a colour, the rest the last one.
std::string colour_of(std::size_t holder, const std::vector<std::string>& holders) {
  return holder + 1 == holders.size() ? colours.back() : colours.at(holder);
}

std::string bytes_text(std::uint64_t bytes) { return format_bytes(Bytes{bytes}); }

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

/// The parts of a page that belong to one point of the grid, or to all of them.
struct Bar {
  std::string name;
  /// The place on the horizontal axis, where values are searched.
  double at = 0;
  const FitFigures* figures = nullptr;
};

/// A run that failed for memory or a limit, at its GPU's memory.
struct Failure {
  double at = 0;
  std::uint64_t memory = 0;
  std::string name;
};

/// The names of holders of all bars, the most bytes first and the rest last; each has a colour.
std::vector<std::string> holders_of(const std::vector<Bar>& bars) {
  std::map<std::string, std::uint64_t> totals;
  for (const Bar& bar : bars)
    for (const FitFigures::Held& held : bar.figures->held) totals[held.name] += held.bytes;
  std::vector<std::string> names;
  for (const auto& [name, bytes] : totals)
    if (name != rest_of_holders) names.push_back(name);
  std::ranges::stable_sort(names, std::greater<>(),
                           [&](const std::string& name) { return totals.at(name); });
  if (names.size() > colours.size() - 1) names.resize(colours.size() - 1);
  names.emplace_back(rest_of_holders);
  return names;
}

/// The bytes of each of the holders; others count as the rest.
std::vector<std::uint64_t> bytes_by_holder(const FitFigures& figures,
                                           const std::vector<std::string>& holders) {
  std::vector<std::uint64_t> bytes(holders.size());
  std::uint64_t known = 0;
  for (const FitFigures::Held& held : figures.held)
    for (std::size_t i = 0; i + 1 < holders.size(); ++i)
      if (holders[i] == held.name) {
        bytes[i] += held.bytes;
        known += held.bytes;
      }
  bytes.back() = figures.peak_allocated - std::min(known, figures.peak_allocated);
  return bytes;
}

std::string legend(const std::vector<std::string>& holders, bool is_by_kind) {
  std::string text = "<ul class=\"legend\"><li>allocated at its peak by " +
                     std::string(is_by_kind ? "kind of memory:" : "line:") + "</li>";
  for (std::size_t i = 0; i < holders.size(); ++i)
    text += "<li><b style=\"background:" + colour_of(i, holders) + "\"></b>" +
            html_name(holders[i]) + "</li>";
  return text + "</ul>";
}

std::string titled(const std::string& shape, const std::string& attributes,
                   const std::string& title) {
  return "<" + shape + " " + attributes + "><title>" + html_name(title) + "</title></" + shape +
         ">\n";
}

std::string text_at(double x, double y, const std::string& text, const std::string& more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"" + more + ">" + html_name(text) +
         "</text>\n";
}

std::string line_at(double x1, double y1, double x2, double y2, const std::string& kind) {
  return "<line class=\"" + kind + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" +
         number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
}

/// The end of the axis of bytes: all peaks and the GPUs' memory, unless that is far above them.
std::uint64_t top_of(const FitSearch& search, const std::vector<Bar>& bars) {
  std::uint64_t top = 1;
  for (const Bar& bar : bars) top = std::max(top, bar.figures->peak_reserved);
  const std::uint64_t far = 3 * top;
  for (const FitGpu& gpu : search.question().gpus)
    if (gpu.memory.count < far) top = std::max(top, gpu.memory.count);
  return top;
}

// ---- Peaks by value -----------------------------------------------------------------------------

/// The picture of a point of the grid where values are searched.
class PeaksByValue {
 public:
  PeaksByValue(const FitSearch& search, std::size_t point) : search_(search), point_(point) {
    std::map<std::size_t, const FitFigures*> found;
    for (const auto& [key, made] : search.runs()) {
      if (key.point != point) continue;
      const double value = search.values(point)[key.value].number;
      if (key.limit == RunLimit::memory_of_gpu && made.figures.failures > 0)
        failures_.push_back(
            {value, search.question().gpus[key.gpu].memory.count,
             search.value_name(key.point, key.value) + ", " + search.question().gpus[key.gpu].name +
                 ": out of memory" +
                 (made.figures.failed_at.empty() ? "" : " at " + made.figures.failed_at)});
      else if (made.figures.used_memory())
        found.try_emplace(key.value, &made.figures);
    }
    for (const auto& [value, figures] : found)
      bars_.push_back(
          {search.value_name(point, value), search.values(point)[value].number, figures});
    holders_ = holders_of(bars_);
    top_ = 1.06 * static_cast<double>(top_of(search, bars_));
    for (const Bar& bar : bars_) widen(bar.at);
    for (const Failure& failure : failures_) widen(failure.at);
    if (to_ <= from_) to_ = from_ + 1;
  }

  bool is_empty() const { return bars_.empty(); }

  std::string text() const {
    const std::string name = search_.point_name(point_);
    return "<figure><svg viewBox=\"0 0 900 360\" role=\"img\" aria-label=\"Peaks by " +
           html_name(search_.question().searched->name) +
           (name.empty() ? "" : ", " + html_name(name)) + "\">\n" + axes() + areas() + reserved() +
           memories() + failures() + answers() + "</svg>" +
           legend(holders_, bars_.front().figures->is_held_by_kind) + "</figure>\n";
  }

 private:
  static constexpr double left = 90;
  static constexpr double right = 880;
  static constexpr double upper = 14;
  static constexpr double lower = 316;

  void widen(double value) {
    from_ = from_ < 0 ? value : std::min(from_, value);
    to_ = std::max(to_, value);
  }
  double x(double value) const { return left + (right - left) * (value - from_) / (to_ - from_); }
  double y(double bytes) const { return lower - (lower - upper) * bytes / top_; }

  std::string axes() const {
    std::string text = line_at(left, lower, right, lower, "axis");
    constexpr int steps = 4;
    for (int i = 0; i <= steps; ++i) {
      const double bytes = top_ * i / steps;
      text += line_at(left, y(bytes), right, y(bytes), "axis") +
              text_at(left - 8, y(bytes) + 4, bytes_text(static_cast<std::uint64_t>(bytes)),
                      " text-anchor=\"end\"");
    }
    double free_from = 0;
    for (const Bar& bar : bars_) {
      if (x(bar.at) < free_from) continue;
      free_from = x(bar.at) + 44;
      text += text_at(x(bar.at), lower + 18, value_text(bar.at), " text-anchor=\"middle\"");
    }
    return text + text_at((left + right) / 2, lower + 38, search_.question().searched->name,
                          " text-anchor=\"middle\" class=\"name\"");
  }

  static std::string value_text(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
  }

  /// A band for each holder, straight between the runs.
  std::string areas() const {
    std::vector<double> below(bars_.size());
    std::string text;
    for (std::size_t holder = 0; holder < holders_.size(); ++holder) {
      std::string upper_edge;
      std::string lower_edge;
      for (std::size_t i = 0; i < bars_.size(); ++i) {
        const double bytes =
            static_cast<double>(bytes_by_holder(*bars_[i].figures, holders_)[holder]);
        // A single run is a bar.
        const double half = bars_.size() == 1 ? 14 : 0;
        for (const double side : {-half, half}) {
          const std::string at = number(x(bars_[i].at) + side) + ",";
          upper_edge += at + number(y(below[i] + bytes)) + " ";
          lower_edge = at + number(y(below[i])) + " " + lower_edge;
        }
        below[i] += bytes;
      }
      text += titled(
          "polygon",
          "fill=\"" + colour_of(holder, holders_) + "\" points=\"" + upper_edge + lower_edge + "\"",
          holders_[holder]);
    }
    return text;
  }

  std::string reserved() const {
    std::string points;
    std::string runs;
    for (const Bar& bar : bars_) {
      const double at = y(static_cast<double>(bar.figures->peak_reserved));
      points += number(x(bar.at)) + "," + number(at) + " ";
      runs += titled(
          "circle",
          "class=\"run\" r=\"3.5\" cx=\"" + number(x(bar.at)) + "\" cy=\"" + number(at) + "\"",
          bar.name + ": " + bytes_text(bar.figures->peak_reserved) + " reserved, " +
              bytes_text(bar.figures->peak_allocated) + " allocated");
    }
    return "<polyline class=\"reserved\" points=\"" + points + "\"/>\n" + runs;
  }

  std::string memories() const {
    std::string text;
    double above = left + 6;
    for (const FitGpu& gpu : search_.question().gpus) {
      const std::string name = gpu.name + ", " + bytes_text(gpu.memory.count);
      const double at = y(static_cast<double>(gpu.memory.count));
      if (at < upper) {
        text += text_at(above, upper - 3, "above: " + name, " class=\"over\"");
        above += 12.0 * static_cast<double>(name.size());
      } else {
        text += line_at(left, at, right, at, "memory") +
                text_at(left + 6, at - 4, name, " class=\"over\"");
      }
    }
    return text;
  }

  std::string failures() const {
    std::string text;
    for (const Failure& failure : failures_) {
      const double at = x(failure.at);
      const double height = std::max(upper, y(static_cast<double>(failure.memory)));
      text += "<g class=\"failed\"><title>" + html_name(failure.name) + "</title>" +
              line_at(at - 5, height - 5, at + 5, height + 5, "failed") +
              line_at(at - 5, height + 5, at + 5, height - 5, "failed") + "</g>\n";
    }
    return text;
  }

  std::string answers() const {
    std::string text;
    for (const FitCell& cell : search_.cells()) {
      const auto fits = largest_value(cell.facts).fits;
      if (cell.point != point_ || !fits || !cell.problem.empty()) continue;
      const FitFigures& figures = *search_.limited_run(cell, *fits);
      text += titled("circle",
                     "class=\"answer\" r=\"6\" cx=\"" + number(x(cell.facts.values[*fits])) +
                         "\" cy=\"" + number(y(static_cast<double>(figures.peak_reserved))) + "\"",
                     search_.value_name(point_, *fits) + " is the largest that fits on " +
                         search_.question().gpus[cell.gpu].name + ": " +
                         bytes_text(figures.peak_reserved) + " reserved");
    }
    return text;
  }

  const FitSearch& search_;
  std::size_t point_;
  std::vector<Bar> bars_;
  std::vector<Failure> failures_;
  std::vector<std::string> holders_;
  double top_ = 1;
  double from_ = -1;
  double to_ = 0;
};

// ---- A grid alone -------------------------------------------------------------------------------

/// A run of each point, the least peak first.
std::vector<Bar> bars_of_grid(const FitSearch& search) {
  std::vector<Bar> bars;
  std::optional<std::size_t> last;
  for (const auto& [key, made] : search.runs()) {
    if (key.point == last || made.figures.failures > 0 || !made.figures.used_memory()) continue;
    last = key.point;
    bars.push_back({search.point_name(key.point), 0, &made.figures});
  }
  std::ranges::stable_sort(bars, {}, [](const Bar& bar) { return bar.figures->peak_reserved; });
  return bars;
}

std::string grid_picture(const FitSearch& search) {
  const std::vector<Bar> bars = bars_of_grid(search);
  if (bars.empty()) return "";
  const std::vector<std::string> holders = holders_of(bars);
  const double top = 1.06 * static_cast<double>(top_of(search, bars));
  constexpr double left = 300;
  constexpr double right = 880;
  constexpr double row = 26;
  const double lower = 24 + row * static_cast<double>(bars.size());
  const auto x = [&](double bytes) { return left + (right - left) * bytes / top; };
  std::string text = "<figure><svg viewBox=\"0 0 900 " + number(lower + 26) +
                     "\" role=\"img\" aria-label=\"Peaks of the grid\">\n";
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = 24 + row * static_cast<double>(i);
    const FitFigures& figures = *bars[i].figures;
    text += text_at(left - 8, y + 14, shortened(bars[i].name, 44),
                    " text-anchor=\"end\" class=\"name\"");
    double below = 0;
    const auto bytes = bytes_by_holder(figures, holders);
    for (std::size_t holder = 0; holder < holders.size(); ++holder) {
      const auto part = static_cast<double>(bytes[holder]);
      text +=
          titled("rect",
                 "fill=\"" + colour_of(holder, holders) + "\" x=\"" + number(x(below)) + "\" y=\"" +
                     number(y) + "\" height=\"18\" width=\"" + number(x(part) - left) + "\"",
                 holders[holder] + ": " + bytes_text(bytes[holder]));
      below += part;
    }
    const double reserved = x(static_cast<double>(figures.peak_reserved));
    text += line_at(reserved, y - 2, reserved, y + 20, "reserved") +
            text_at(reserved + 5, y + 14, bytes_text(figures.peak_reserved));
  }
  for (const FitGpu& gpu : search.question().gpus)
    if (const double at = x(static_cast<double>(gpu.memory.count)); at <= right)
      text += line_at(at, 18, at, lower, "memory") +
              text_at(at, 12, gpu.name + ", " + bytes_text(gpu.memory.count),
                      " class=\"over\" text-anchor=\"end\"");
  return text + "</svg>" + legend(holders, bars.front().figures->is_held_by_kind) + "</figure>\n";
}

std::string pictures(const FitSearch& search) {
  if (search.question().searched == nullptr) return grid_picture(search);
  std::string text;
  std::size_t shown = 0;
  for (std::size_t point = 0; point < search.question().points.size(); ++point) {
    const PeaksByValue picture(search, point);
    if (picture.is_empty()) continue;
    if (shown++ == most_pictures)
      return text + "<p>The other points of the grid are in the table of runs.</p>\n";
    if (const std::string name = search.point_name(point); !name.empty())
      text += "<h2>" + html_name(name) + "</h2>\n";
    text += picture.text();
  }
  return text;
}

std::string run_row(const FitSearch& search, const FitRunKey& key, const MadeFitRun& made) {
  const FitFigures& figures = made.figures;
  const bool has_limit = key.limit == RunLimit::memory_of_gpu;
  const FitGpu& gpu = search.question().gpus[key.gpu];
  const std::string end =
      figures.failures > 0
          ? "out of memory" + (figures.failed_at.empty() ? "" : " at " + figures.failed_at)
      : !figures.error.empty() ? figures.error
                               : "status " + std::to_string(figures.status);
  const auto cell = [](const std::string& text) { return "<td>" + html_name(text) + "</td>"; };
  const auto amount = [](const std::string& text) {
    return "<td class=\"number\">" + html_name(text) + "</td>";
  };
  return "<tr>" + cell(search.value_name(key.point, key.value)) +
         cell(has_limit ? gpu.name + ", " + bytes_text(gpu.memory.count)
                        : gpu.name + ", no limit") +
         cell(search.question().confs[key.conf].value_or("of the environment")) + cell(end) +
         amount(bytes_text(figures.peak_allocated)) + amount(bytes_text(figures.peak_reserved)) +
         cell(figures.worst_process) +
         amount(made.was_kept ? "known before" : number(figures.processor_s) + " s") +
         amount(bytes_text(figures.host_bytes)) + "</tr>\n";
}

std::string runs_table(const FitSearch& search) {
  std::string text =
      "<h2>All runs</h2>\n<div class=\"scrolled\"><table><thead><tr><th>values</th><th>GPU</th>"
      "<th>options</th><th>end</th><th class=\"number\">peak allocated</th>"
      "<th class=\"number\">peak reserved</th><th>worst process</th>"
      "<th class=\"number\">processor time</th><th class=\"number\">memory of the host</th></tr>"
      "</thead><tbody>\n";
  for (const auto& [key, made] : search.runs()) text += run_row(search, key, made);
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string fit_report(const FitOutcome& outcome) {
  return page_begin + std::string("<h1>vramlab fit</h1>\n<pre>") +
         shown_markup(fit_printed(outcome, "text")) + "</pre>\n<h2>Peaks</h2>\n" +
         "<p>The line with dots is reserved memory at its peak, a dot for each run; a ring is the "
         "largest value that fits; a cross is a run out of memory.</p>\n" +
         pictures(*outcome.search) + runs_table(*outcome.search) + "</body>\n</html>\n";
}

}  // namespace vramlab::tools
