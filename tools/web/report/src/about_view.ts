// A list of what the page shows, of what, and how sure it is: files, settings, what was left out,
// notes.
import { element, factList } from "./dom";
import { numberText, sizeText } from "./format";
import { deviceText } from "./host_view";
import type { Panel } from "./chosen";

export function aboutView(panel: Panel): HTMLElement {
  const { run, device } = panel;
  const { json } = device;
  const facts: [string, string][] = [];
  const add = (name: string, text: string) => facts.push([name, text]);
  add("file", run.json.file);
  add("device", deviceText(device.number));
  add("states", !device.hasHistory ? "the final state that the file shows; it has no history"
    : run.json.origin === "recorded" ? "as recorded: every block where the file says"
                                     : "of a replay by vramlab");
  add("allocator", `PyTorch ${run.json.reference}`);
  add("options", run.json.options || "none");
  if (device.hasHistory) addHistory(panel, add);
  if (json.best_packing) add("best packing", packingText(json.best_packing));
  const notes = [...run.json.notes, ...json.notes];
  const box = element("div", {}, factList(facts));
  if (notes.length > 0) {
    const items = element("ul", { class: "notes" });
    notes.forEach((note) => items.append(element("li", {}, note)));
    box.append(element("h4", {}, "Notes"), items);
  }
  return box;
}

/** Parts of the history that the page has, and parts that were left out. */
function addHistory(panel: Panel, add: (name: string, text: string) => void): void {
  const { json } = panel.device;
  add("events", numberText(json.events_total));
  add("plots", json.events_per_stretch <= 1 ? "a point for every event"
    : `of each ${numberText(json.events_per_stretch)} events the moments at which a figure is ` +
      "highest or lowest: no peak is lost. Call sites are shown at the same moments.");
  add("scrubbing", stepsText(panel));
  add("fragmentation", `looked at ${numberText(json.fragmentation.step[2])} moments`);
  const { total, begin: [, , drawn] } = json.blocks;
  add("block by block", drawn === total ? `all ${numberText(total)} blocks`
    : `the ${numberText(drawn)} largest of ${numberText(total)} blocks, the others together`);
  const held = json.events.index[2];
  add("table of events", held === json.events_total ? "all"
    : `${numberText(held)}: every call to the device, every failure, the largest requests and frees`);
  add("peaks", `${sizeText(json.peak_allocated.allocated)} allocated at event ` +
    `${eventText(json.peak_allocated.step)}, ${sizeText(json.peak_reserved.reserved)} reserved at ` +
    `event ${eventText(json.peak_reserved.step)}`);
}

function packingText(packing: { bytes: number; load_bound: number }): string {
  const above = packing.bytes / packing.load_bound - 1;
  return `${sizeText(packing.bytes)} for a planner that knows all blocks in advance, ` +
    (above === 0 ? "which is optimal" : `at most ${(100 * above).toFixed(2)} % above the lowest possible`);
}

export function eventText(step: number): string {
  return step === 0 ? "the beginning" : numberText(step - 1);
}

function stepsText({ device }: Panel): string {
  const { steps, count } = device.states;
  if (count <= 1) return "one state";
  const apart = steps[count - 1]! / (count - 1);
  return apart <= 1.5 ? "a state after every event"
    : `${numberText(count)} states, about ${numberText(Math.round(apart))} events apart, and at ` +
      "the peaks and failures";
}
