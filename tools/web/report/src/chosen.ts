// The choices on the page: the panels beside each other, the moment, the range in view, and what
// the horizontal axis counts. Views listen; nothing here knows them.
import { lastNotAbove } from "./states";
import { siteColourCount } from "./theme";
import type { Band, Device, Run } from "./model";

export type Axis = "time" | "event";

/** A part of a history that has a name, in microseconds since its first event. */
export interface NamedSpan {
  name: string;
  from: number;
  to: number;
  /** How many others it lies in. */
  depth: number;
}

/** A run beside others, with the device of it that is shown. */
export class Panel {
  readonly spans: NamedSpan[];
  private timesOfMoments: Float64Array | null = null;

  constructor(readonly number: number, readonly run: Run, readonly device: Device) {
    this.spans = spansOf(run, device);
  }

  /** The number of the state that is shown. */
  state = 0;

  get title(): string {
    return this.run.json.title;
  }
  /** By state, on the axis. */
  xOf(state: number, axis: Axis): number {
    const { steps, times } = this.device.states;
    return axis === "event" ? steps[state]! : times[state]! - this.device.firstTime;
  }
  xsOfMoments(axis: Axis): Float64Array {
    const { step, time_us } = this.device.moments;
    if (axis === "event") return step;
    return (this.timesOfMoments ??= time_us.map((time) => time - this.device.firstTime));
  }
  stateAtX(x: number, axis: Axis): number {
    const { steps, times } = this.device.states;
    return axis === "event" ? lastNotAbove(steps, x)
                            : lastNotAbove(times, x + this.device.firstTime);
  }
  stateAtStep(step: number): number {
    return lastNotAbove(this.device.states.steps, step);
  }
  /** The end of the whole history, on the axis. */
  lastX(axis: Axis): number {
    const { step, time_us } = this.device.json.last;
    return axis === "event" ? step : time_us - this.device.firstTime;
  }
}

function spansOf(run: Run, device: Device): NamedSpan[] {
  const end = device.json.last.time_us - device.firstTime;
  const spans = run.json.spans.filter((span) => span.device === device.number)
    .map(({ name, begin_us, end_us }) => ({
      name, depth: 0, from: begin_us === undefined ? 0 : begin_us - device.firstTime,
      to: end_us === undefined ? end : end_us - device.firstTime }))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  const open: NamedSpan[] = [];
  for (const span of spans) {
    while (open.length > 0 && open.at(-1)!.to <= span.from) open.pop();
    span.depth = open.length;
    open.push(span);
  }
  return spans;
}

type Listener = () => void;

/** The lists of bands that a device has. */
export type BandsOf = "sites" | "kinds" | "modules";

/** Colours by name, those with the highest peaks in any panel. */
function coloursOf(lists: Band[][]): Map<string, number> {
  const peaks = new Map<string, number>();
  for (const { name, allocated } of lists.flat())
    peaks.set(name, allocated.reduce((most, bytes) => Math.max(most, bytes), peaks.get(name) ?? 0));
  const names = [...peaks.keys()].sort((a, b) => peaks.get(b)! - peaks.get(a)!);
  return new Map(names.slice(0, siteColourCount - 1).map((name, i) => [name, i]));
}

/** In bytes: eight blocks of the smallest size. */
const leastHeight = 4096;

export class Chosen {
  panels: Panel[] = [];
  axis: Axis = "event";
  /** The number of the panel where the moment was chosen; the other panels show what was there at
   *  the same place of the axis. */
  leader = 0;
  range: [number, number] = [0, 1];
  /** The bytes in view where heights can be zoomed; null for all. */
  heights: [number, number] | null = null;
  private colours: Record<BandsOf, Map<string, number>> =
    { sites: new Map(), kinds: new Map(), modules: new Map() };
  private readonly momentListeners: Listener[] = [];
  private readonly rangeListeners: Listener[] = [];
  private isAnnounced = false;

  onMoment(listener: Listener): void {
    this.momentListeners.push(listener);
  }
  onRange(listener: Listener): void {
    this.rangeListeners.push(listener);
  }

  show(panels: Panel[]): void {
    this.panels = panels;
    this.leader = 0;
    if (this.lastX === 0) this.axis = "event";
    this.range = [0, this.lastX];
    this.colours = {
      sites: coloursOf(panels.map(({ device }) => device.sites)),
      kinds: coloursOf(panels.map(({ device }) => device.kinds)),
      modules: coloursOf(panels.map(({ device }) => device.modules)),
    };
  }

  /** The same in all panels; the last one stands for all that have none of their own. */
  bandColour(of: BandsOf, name: string): number {
    return this.colours[of].get(name) ?? siteColourCount - 1;
  }
  siteColour(name: string): number {
    return this.bandColour("sites", name);
  }

  get lead(): Panel {
    return this.panels[this.leader]!;
  }
  get lastX(): number {
    return Math.max(...this.panels.map((panel) => panel.lastX(this.axis)));
  }
  /** With a little room above. */
  private get mostBytes(): number {
    return 1.04 * Math.max(1, ...this.panels.map(({ device }) => device.json.peak_allocated.allocated));
  }
  get x(): number {
    return this.lead.xOf(this.lead.state, this.axis);
  }

  choose(panel: Panel, state: number): void {
    this.leader = panel.number;
    panel.state = Math.max(0, Math.min(panel.device.states.count - 1, state));
    const x = this.x;
    for (const other of this.panels)
      if (other !== panel) other.state = other.stateAtX(x, this.axis);
    this.announceMoment();
  }
  chooseX(panel: Panel, x: number): void {
    this.choose(panel, panel.stateAtX(x, this.axis));
  }
  step(by: number): void {
    this.choose(this.lead, this.lead.state + by);
  }

  setAxis(axis: Axis): void {
    if (axis === this.axis) return;
    this.axis = axis;
    this.choose(this.lead, this.lead.state);
    this.showAll();
  }

  setRange(from: number, to: number): void {
    const last = this.lastX;
    const least = Math.min(last, this.axis === "event" ? 2 : 1);
    const width = Math.max(least, Math.min(last, to - from));
    const begin = Math.max(0, Math.min(last - width, from));
    if (begin === this.range[0] && begin + width === this.range[1]) return;
    this.range = [begin, begin + width];
    this.rangeListeners.forEach((listener) => listener());
  }
  setHeights(from: number, to: number): void {
    const height = Math.max(leastHeight, to - from);
    const begin = Math.max(0, Math.min(this.mostBytes - height, from));
    this.heights = height >= this.mostBytes ? null : [begin, begin + height];
    this.rangeListeners.forEach((listener) => listener());
  }
  showAll(): void {
    this.range = [0, this.lastX];
    this.heights = null;
    this.rangeListeners.forEach((listener) => listener());
  }
  zoomHeights(factor: number, around?: number): void {
    const [from, to] = this.heights ?? [0, this.mostBytes];
    const middle = Math.max(from, Math.min(to, around ?? (from + to) / 2));
    this.setHeights(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }
  panHeights(share: number): void {
    if (!this.heights) return;
    const [from, to] = this.heights;
    this.setHeights(from + (to - from) * share, to + (to - from) * share);
  }
  zoom(factor: number, around = this.x): void {
    const [from, to] = this.range;
    const middle = Math.max(from, Math.min(to, around));
    this.setRange(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }
  pan(share: number): void {
    const [from, to] = this.range;
    this.setRange(from + (to - from) * share, to + (to - from) * share);
  }

  /** However often something is chosen, it is drawn once a frame. */
  private announceMoment(): void {
    if (this.isAnnounced) return;
    this.isAnnounced = true;
    requestAnimationFrame(() => {
      this.isAnnounced = false;
      const begin = performance.now();
      this.momentListeners.forEach((listener) => listener());
      // Behind what the browser does to show it.
      setTimeout(() =>
        performance.measure("scrub", { start: begin, end: performance.now() }));
    });
  }
}
