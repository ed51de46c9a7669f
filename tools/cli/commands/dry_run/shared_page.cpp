#include "tools/cli/commands/dry_run/shared_page.h"

#include <algorithm>

#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

/// The drawing's own units.
constexpr std::uint64_t lane_width = 1000;
constexpr std::uint64_t lane_height = 100;
constexpr std::size_t most_events_drawn = 4000;

constexpr const char* head_of_shared_page = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>vramlab dry-run --shared</title>
<style>
:root{color-scheme:light dark;--line:#1f6feb;--area:#9dbfe8;--edge:#c9ccd1;--far:#b3261e;--peak:#6b7280}
@media(prefers-color-scheme:dark){:root{--line:#79b8ff;--area:#2d4a73;--edge:#4a4f57;--far:#ff8a80;--peak:#9aa3af}}
body{font:14px/1.4 system-ui,sans-serif;margin:1.5rem;max-width:80rem}
h1{font-size:1.2rem;margin:0 0 .5rem}
h2{font-size:1.05rem;margin:1.5rem 0 .25rem}
.lane{display:grid;grid-template-columns:16rem minmax(0,1fr);gap:.75rem;border-top:1px solid var(--edge);padding:.35rem 0}
.name{font-weight:600}
.small{font-size:.85rem;overflow-wrap:anywhere}
.why{color:var(--far)}
svg{display:block;width:100%;height:4rem;border-bottom:1px solid var(--edge)}
.area{fill:var(--area);stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.peak{stroke:var(--peak);stroke-width:1;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}
.no{stroke:var(--far);stroke-width:2;vector-effect:non-scaling-stroke}
.times{display:flex;justify-content:space-between}
.key{display:inline-block;width:.9rem;height:.6rem;margin:0 .3rem 0 .8rem}
@media(max-width:45rem){.lane{grid-template-columns:minmax(0,1fr)}}
</style></head><body>
)";

/// One row of the page: a process, or all of them.
struct Lane {
  std::string name;
  std::string command;
  Bytes peak;
  bool has_ended = false;
  /// From each time on, what it held.
  std::vector<std::pair<std::uint64_t, Bytes>> held;
  std::vector<const SharedEvent*> refusals;
};

class DeviceDrawing {
 public:
  DeviceDrawing(const SharedMemory& shared, const SharedDevice& device, Bytes room)
      : shared_(shared), device_(device), room_(std::max(room, device.peak)) {
    events_ = main_events(device, most_events_drawn);
    if (!device.events.empty()) end_us_ = device.events.back().time_us;
  }

  std::string text() const {
    std::string text =
        "<h2>GPU " + std::to_string(device_.index) + ": at most " + format_bytes(device_.peak) +
        " held by all processes, at " + duration_text(device_.peak_time_us) +
        "</h2>\n<p class=\"small\">Each lane is " + format_bytes(room_) + " high.</p>\n";
    for (const Lane& lane : lanes()) text += lane_text(lane);
    return text + "<div class=\"lane small\"><div></div><div class=\"times\"><span>0</span><span>" +
           duration_text(end_us_) + "</span></div></div>\n";
  }

 private:
  std::vector<Lane> lanes() const {
    Lane all{.name = "all processes", .command = {}, .peak = {}, .held = {}, .refusals = {}};
    std::vector<Lane> found;
    std::map<std::int64_t, std::size_t> places;
    for (const SharedEvent& event : events_) {
      const auto [place, is_new] = places.emplace(event.process, found.size());
      if (is_new) found.push_back(lane_of(event.process));
      take(found[place->second], event, event.held);
      take(all, event, event.held_by_all);
    }
    found.insert(found.begin(), std::move(all));
    return found;
  }

  Lane lane_of(std::int64_t process) const {
    const auto command = shared_.processes.find(process);
    return {.name = "process " + std::to_string(process),
            .command = command == shared_.processes.end() ? "" : command->second,
            .peak = {},
            .held = {},
            .refusals = {}};
  }

  static void take(Lane& lane, const SharedEvent& event, Bytes held) {
    lane.held.emplace_back(event.time_us, held);
    lane.peak = std::max(lane.peak, held);
    lane.has_ended = event.use == "ended";
    if (event.use == "refused") lane.refusals.push_back(&event);
  }

  std::string lane_text(const Lane& lane) const {
    std::string text = "<div class=\"lane\"><div><div class=\"name\">" + lane.name + "</div>";
    if (!lane.command.empty())
      text += "<div class=\"small\">" + shown_markup(lane.command) + "</div>";
    text += "<div class=\"small\">at most " + format_bytes(lane.peak) + "</div>";
    if (!lane.refusals.empty())
      text += "<div class=\"small why\">no room " + refusals_text(lane) + "</div>";
    return text + "</div>" + drawing_of(lane) + "</div>\n";
  }

  static std::string refusals_text(const Lane& lane) {
    const SharedEvent& last = *lane.refusals.back();
    const std::size_t count = lane.refusals.size();
    return (count == 1 ? "" : counted(count, "time", "times") + ", lastly ") + "for " +
           format_bytes(last.bytes) + " at " + duration_text(last.time_us);
  }

  std::string drawing_of(const Lane& lane) const {
    const std::string bottom = std::to_string(lane_height);
    std::string text = "<svg viewBox=\"0 0 " + std::to_string(lane_width) + " " + bottom +
                       "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"" + lane.name +
                       ": memory over time\"><path class=\"area\" d=\"" + area_of(lane) + "\"/>";
    text += upright("peak", device_.peak_time_us, "the peak of all processes");
    for (const SharedEvent* const refusal : lane.refusals)
      text += upright("no", refusal->time_us,
                      "no room for " + format_bytes(refusal->bytes) + " of process " +
                          std::to_string(refusal->process));
    return text + "</svg>";
  }

  std::string area_of(const Lane& lane) const {
    std::string path =
        "M" + std::to_string(x_of(lane.held.front().first)) + " " + std::to_string(lane_height);
    for (const auto& [time_us, held] : lane.held)
      path += "H" + std::to_string(x_of(time_us)) + "V" + std::to_string(y_of(held));
    return path + "H" + std::to_string(lane.has_ended ? x_of(lane.held.back().first) : lane_width) +
           "V" + std::to_string(lane_height) + "Z";
  }

  std::string upright(const std::string& kind, std::uint64_t time_us,
                      const std::string& title) const {
    const std::string x = std::to_string(x_of(time_us));
    return "<line class=\"" + kind + "\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"" +
           std::to_string(lane_height) + "\"><title>" + title + ", at " + duration_text(time_us) +
           "</title></line>";
  }

  std::uint64_t x_of(std::uint64_t time_us) const {
    return end_us_ == 0 ? 0 : lane_width * std::min(time_us, end_us_) / end_us_;
  }
  std::uint64_t y_of(Bytes held) const {
    const double share = static_cast<double>(held.count) / static_cast<double>(room_.count);
    return lane_height -
           static_cast<std::uint64_t>(std::min(share, 1.0) * static_cast<double>(lane_height));
  }

  const SharedMemory& shared_;
  const SharedDevice& device_;
  Bytes room_;
  std::vector<SharedEvent> events_;
  std::uint64_t end_us_ = 0;
};

}  // namespace

std::string shared_page(const SharedMemory& shared, Bytes room) {
  std::string page = std::string(head_of_shared_page) + "<h1>vramlab dry-run --shared</h1>\n";
  page +=
      "<p>A lane shows what a process held of a GPU, its context included, in the order of the "
      "calls, by the wall clock of this machine."
      "<span class=\"key\" style=\"background:var(--area)\"></span>held"
      "<span class=\"key\" style=\"background:var(--far)\"></span>no room"
      "<span class=\"key\" style=\"background:var(--peak)\"></span>peak of all</p>\n";
  for (const SharedDevice& device : shared.devices)
    page += DeviceDrawing(shared, device, room).text();
  if (shared.is_empty()) page += "<p>No process asked for memory.</p>\n";
  return page + "</body></html>\n";
}

}  // namespace vramlab::tools
