// Pinned host memory below the memory of a GPU: how much was pinned and in use, on the GPU's own
// axis, the largest blocks at the chosen moment, and the stack of the one that is clicked. All of it
// has the page when it is chosen as the device.
import { addressText, roundSizeText, sizeText } from "./format";
import { element, tableOf } from "./dom";
import { Plot, type Line } from "./plot";
import { stackList } from "./stack_list";
import { lastNotAbove, type Block } from "./states";
import type { Chosen, Panel } from "./chosen";
import type { Device } from "./model";

/** The number of what is shown as a device and is none. */
export const hostDevice = -1;
export const hostName = "pinned host memory";
const mostBlocks = 8;
const mostFrames = 60;

export function deviceText(number: number): string {
  return number === hostDevice ? hostName : String(number);
}

function hostOf(panel: Panel): Device | undefined {
  if (panel.device.number === hostDevice || !panel.device.hasHistory) return undefined;
  const host = panel.run.devices.find((each) => each.number === hostDevice);
  return host?.hasHistory ? host : undefined;
}

export function hasHostLane(panel: Panel): boolean {
  return hostOf(panel) !== undefined;
}

/** One value more than there are moments: the last one lasts until the GPU's end. */
function lasting(values: Float64Array): Float64Array {
  const longer = new Float64Array(values.length + 1);
  longer.set(values);
  longer[values.length] = values.at(-1) ?? 0;
  return longer;
}

/** Steps of the GPU at the moments of the host. */
function stepsOf(panel: Panel, host: Device): Float64Array {
  const { step, time_us } = panel.device.moments;
  const last = panel.device.json.last;
  return lasting(host.moments.time_us).map((time, i) =>
    i === host.moments.time_us.length || time > last.time_us ? last.step
      : time < time_us[0]! ? 0 : step[lastNotAbove(time_us, time)]!);
}

/** Within the GPU's history. */
function timesOf(panel: Panel, host: Device): Float64Array {
  const end = panel.device.json.last.time_us;
  return lasting(host.moments.time_us).map((time, i) =>
    Math.max(0, (i === host.moments.time_us.length ? end : Math.min(time, end)) -
      panel.device.firstTime));
}

export class HostView {
  readonly node = element("div", { class: "host-lane" });
  private readonly table = element("div", {
    class: "scrolled", tabindex: "0", role: "region", "aria-label": "Blocks of pinned host memory" });
  private readonly about = element("div", { class: "about-block", "aria-live": "polite" });
  private readonly host: Device;
  private shown = -1;
  /** By address. */
  private selected = -1;

  constructor(chosen: Chosen, private readonly panel: Panel) {
    this.host = hostOf(panel)!;
    const { allocated, active, reserved } = this.host.moments;
    const lines: Line[] = [
      { name: "pinned", colour: "reserved", values: lasting(reserved), fill: true, width: 1.5 },
      { name: "active", colour: "waiting", values: lasting(active) },
      { name: "in use", colour: "allocated", values: lasting(allocated), fill: true },
    ];
    const plot = new Plot(chosen, panel, {
      name: "Pinned host memory over time", height: 150, axisText: roundSizeText,
      valueText: sizeText, top: () => this.host.json.peak_reserved.reserved,
    });
    const steps = stepsOf(panel, this.host);
    const times = timesOf(panel, this.host);
    plot.show({ xs: () => chosen.axis === "event" ? steps : times, steps, lines });
    this.node.append(plot.node, this.table, this.about);
    chosen.onMoment(() => this.showBlocks());
  }

  private showBlocks(): void {
    const { times } = this.panel.device.states;
    const time = times[this.panel.state]!;
    const { states } = this.host;
    // The end of the one is the end of the other, also where the host's last frees come later.
    const state = this.panel.state === times.length - 1 ? states.times.length - 1
      : time < states.times[0]! ? 0 : lastNotAbove(states.times, time);
    if (state === this.shown) return;
    this.shown = state;
    const held = states.stateAt(state).filter((block) => block.use !== "free");
    const largest = [...held].sort((a, b) => b.size - a.size).slice(0, mostBlocks);
    this.table.replaceChildren(held.length === 0
      ? element("p", { class: "note" }, "No block of pinned memory is in use.")
      : tableOf(this.captionOf(held), ["block", "size", "state", "call site"],
                largest.map((block) => this.rowOf(block)), [1]));
    this.tell(held.find((block) => block.address === this.selected));
  }

  private tell(block: Block | undefined): void {
    this.selected = block?.address ?? -1;
    const { stacks } = this.panel.run;
    this.about.replaceChildren(...(block === undefined ? [] : [
      element("div", {}, `${sizeText(block.size)} at ${addressText(block.address)}: ` +
        stacks.siteText(block.stack)),
      ...stackList(stacks.framesOf(block.stack), mostFrames)]));
  }

  private captionOf(held: Block[]): string {
    const bytes = held.reduce((sum, block) => sum + block.size, 0);
    return `Pinned host memory: ${sizeText(bytes)} in ${held.length} ` +
      (held.length === 1 ? "block" : held.length > mostBlocks
        ? `blocks, the largest ${mostBlocks} of them` : "blocks");
  }

  private rowOf(block: Block): (Node | string)[] {
    const button = element("button", { type: "button", class: "link" }, addressText(block.address));
    button.addEventListener("click", () => this.tell(block));
    return [button, sizeText(block.size),
            block.use === "live" ? "in use" : "waiting",
            this.panel.run.stacks.siteText(block.stack)];
  }
}
