// Plots over time: memory, the same by call site, fragmentation, calls to the device.
import { element, type Hint } from "./dom";
import { BandsPlot } from "./bands_plot";
import { numberText, roundSizeText, shareText, sizeText } from "./format";
import { hostDevice } from "./host_view";
import { externalFragmentation } from "./model";
import { ModulesView } from "./modules_view";
import { Plot, type Line, type PlotOptions } from "./plot";
import { siteColourCount } from "./theme";
import type { Chosen, Panel } from "./chosen";
import type { Band } from "./model";

function highest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; ++i) if (values[i]! > most) most = values[i]!;
  return most;
}

function combined(a: Float64Array, b: Float64Array, of: (a: number, b: number) => number) {
  return a.map((value, i) => of(value, b[i]!));
}

function plotOf(chosen: Chosen, panel: Panel, options: PlotOptions, lines: Line[]): Plot {
  const plot = new Plot(chosen, panel, options);
  plot.show({
    xs: () => panel.xsOfMoments(chosen.axis), steps: panel.device.moments.step, lines,
  });
  return plot;
}

function memoryLines(panel: Panel): Line[] {
  const { allocated, requested, active, reserved } = panel.device.moments;
  // The sizes of blocks are known of pinned memory, those of requests are not.
  const asked: Line[] = panel.device.number === hostDevice ? []
    : [{ name: "requested", colour: "requested", values: requested, dashed: true }];
  return [
    { name: "reserved", colour: "reserved", values: reserved, fill: true, width: 1.5 },
    { name: "allocated", colour: "allocated", values: allocated, fill: true },
    ...asked,
    { name: "waiting", colour: "waiting", values: combined(active, allocated, (a, b) => a - b) },
  ];
}

/** Each on top of those after it, so that what is drawn first is the highest. Bands that have the
 *  last colour are drawn as one. */
function stackedLines(panel: Panel, bands: Band[], colourOf: (name: string) => number): Line[] {
  const { allocated } = panel.device.moments;
  const rest = allocated.slice();
  const parts: Line[] = [];
  for (const band of bands) {
    const colour = colourOf(band.name);
    if (colour === siteColourCount - 1) continue;
    band.allocated.forEach((bytes, row) => (rest[row]! -= bytes));
    parts.push({ name: band.name, colour: `site-${colour}`, values: band.allocated });
  }
  if (highest(rest) > 0)
    parts.push({ name: "all others", colour: `site-${siteColourCount - 1}`, values: rest });
  const sum = new Float64Array(allocated.length);
  const stacked = parts.map((part): Line => {
    for (let row = 0; row < sum.length; ++row) sum[row]! += part.values[row]!;
    return { ...part, values: sum.slice(), told: part.values, fill: true, width: 0.75 };
  });
  return stacked.reverse();
}

/** Sums; the allocated memory by call site, by kind, by module, or block by block. */
export type Curves = "sums" | "sites" | "kinds" | "modules" | "blocks";

const stackNames = {
  sites: "Allocated memory by call site",
  kinds: "Allocated memory by kind",
  modules: "Allocated memory by module",
};

export class MemoryView {
  readonly node = element("div");
  private readonly modules: ModulesView;

  constructor(private readonly chosen: Chosen, private readonly panel: Panel,
              private readonly hint: Hint) {
    this.modules = new ModulesView(chosen, panel);
    this.show("sums");
  }

  show(curves: Curves): void {
    this.node.replaceChildren(this.viewOf(curves));
    if (curves !== "modules" || !this.panel.device.holders) return;
    this.node.append(this.modules.node);
    this.modules.show();
  }

  private viewOf(curves: Curves): HTMLElement {
    const { chosen, panel } = this;
    if (curves === "blocks")
      return new BandsPlot(chosen, panel, this.hint,
                           this.options("Allocated memory block by block", "allocated")).node;
    if (curves === "sums")
      return plotOf(chosen, panel, this.options("Memory over time", "reserved"), memoryLines(panel)).node;
    const lines = stackedLines(panel, panel.device[curves],
                               (name) => chosen.bandColour(curves, name));
    return plotOf(chosen, panel, this.options(stackNames[curves], "allocated"), lines).node;
  }

  private options(name: string, highestOf: "reserved" | "allocated"): PlotOptions {
    return {
      name, height: 260, spanHint: this.hint, axisText: roundSizeText, valueText: sizeText,
      top: () => Math.max(...this.chosen.panels.map((each) =>
        highest(each.device.moments[highestOf]))),
    };
  }
}

export function fragmentationView(chosen: Chosen, panel: Panel): HTMLElement {
  const { active, reserved, largest_free } = panel.device.moments;
  const free = combined(reserved, active, (a, b) => a - b);
  const topFree = () => Math.max(...chosen.panels.map((each) => highest(
    combined(each.device.moments.reserved, each.device.moments.active, (a, b) => a - b))));
  const bytes = plotOf(chosen, panel, {
    name: "Free memory over time", height: 170, axisText: roundSizeText, valueText: sizeText,
    top: topFree,
  }, [
    { name: "free", colour: "free", values: free, fill: true },
    { name: "largest free block", colour: "allocated", values: largest_free },
  ]);
  const parts = new Plot(chosen, panel, {
    name: "What a release of all that is free would do", height: 150, axisText: roundSizeText,
    valueText: sizeText, top: topFree,
  });
  const { step, time_us, stranded, releasable, inactive_split } = panel.device.fragmentation;
  parts.show({
    steps: step,
    xs: () => chosen.axis === "event" ? step : time_us.map((time) => time - panel.device.firstTime),
    lines: [
      { name: "stranded", colour: "alarm-soft", values: stranded, width: 1.5 },
      { name: "releasable", colour: "requested", values: releasable },
      { name: "in pieces of split segments", colour: "waiting", values: inactive_split, dashed: true },
    ],
  });
  const share = plotOf(chosen, panel, {
    name: "External fragmentation over time", height: 120, axisText: (value) => `${value * 100} %`,
    valueText: shareText, top: () => 1, increments: [0.25, 0.5, 1],
  }, [{
    name: "external fragmentation", colour: "alarm-soft",
    values: combined(free, largest_free, externalFragmentation), width: 1.5,
  }]);
  return element("div", {}, bytes.node, share.node, parts.node);
}

export function deviceCallsView(chosen: Chosen, panel: Panel): HTMLElement {
  const { device_gets, device_releases } = panel.device.moments;
  return plotOf(chosen, panel, {
    name: "Calls to the device, added up", height: 140, axisText: numberText, valueText: numberText,
    top: () => Math.max(1, ...chosen.panels.map((each) => highest(each.device.moments.device_gets))),
    increments: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
  }, [
    { name: "got memory", colour: "allocated", values: device_gets },
    { name: "gave memory back", colour: "waiting", values: device_releases },
  ]).node;
}
