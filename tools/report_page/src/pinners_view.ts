// Which blocks keep memory from being given back. They are found beforehand, at moments of their
// own: what is shown is as of the last one before the chosen moment.
import { element, tableOf } from "./dom";
import { eventText } from "./about_view";
import { addressText, numberText, sizeText } from "./format";
import { poolText } from "./segments_view";
import { lastNotAbove } from "./states";
import type { Chosen, Panel } from "./chosen";

export class PinnersView {
  readonly node = element("div");
  private shownRow = -1;

  constructor(chosen: Chosen, private readonly panel: Panel,
              private readonly select: (address: number) => void) {
    chosen.onMoment(() => this.show());
  }

  private show(): void {
    const { device } = this.panel;
    const now = device.states.steps[this.panel.state]!;
    const row = lastNotAbove(device.fragmentation.step, now);
    const step = device.fragmentation.step[row]!;
    if (row === this.shownRow && step !== now) return;
    this.shownRow = row;
    const asOf = step === now ? "" : ` (as of ${step === 0 ? "the beginning" : `event ${eventText(step)}`})`;
    const stranded = device.fragmentation.stranded[row]!;
    const pinners = device.pinnersAtRow(row);
    const summary = element("p", { class: "note" }, stranded === 0
      ? `Nothing is stranded: whatever is free could be given back${asOf}.`
      : `${sizeText(stranded)} of free memory can't be given back${asOf}. The blocks that keep most:`);
    if (pinners.length === 0) return this.node.replaceChildren(summary);
    const blocks = new Map(device.states.stateAt(this.panel.state).map((b) => [b.address, b]));
    const rows = pinners.map((pinner) => {
      const button = element("button", { type: "button", class: "link" }, addressText(pinner.address));
      button.addEventListener("click", () => this.select(pinner.address));
      const block = blocks.get(pinner.address);
      return [button, sizeText(pinner.size), sizeText(pinner.strands), sizeText(pinner.releasedAlone),
              sizeText(pinner.segmentSize), numberText(pinner.beside),
              block ? poolText(block.life) : "",
              block ? (block.since === 0 ? "from before" : numberText(now - block.since)) : "",
              block && block.use !== "free" ? this.panel.run.stacks.siteText(block.stack) : ""];
    });
    this.node.replaceChildren(summary, element("div", {
      class: "scrolled", tabindex: "0", role: "region", "aria-label": "Pinners" },
      tableOf(`The ${numberText(rows.length)} blocks that strand most`,
        ["block", "size", "strands", "freed alone gives back", "segment", "beside", "pool",
         "age in events", "call site"], rows, [1, 2, 3, 4, 5, 7])));
  }
}
