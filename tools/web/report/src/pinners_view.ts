// Which blocks keep memory from being given back. They are found beforehand, at moments of their
// own: what is shown is as of the last one before the chosen moment.
import { element, tableOf } from "./dom";
import { eventText } from "./about_view";
import { addressText, numberText, sizeText } from "./format";
import { poolText } from "./segments_layout";
import { lastNotAbove } from "./states";
import type { Chosen, Panel } from "./chosen";

export class PinnersView {
  readonly node = element("div");
  private readonly summary = element("p", { class: "note" });
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
    this.summary.textContent = this.summaryOf(row) + (step === now ? ""
      : ` This is as of ${step === 0 ? "the beginning" : `event ${eventText(step)}`}.`);
    if (row === this.shownRow) return;
    this.shownRow = row;
    const pinners = device.pinnersAtRow(row);
    if (pinners.length === 0) return this.node.replaceChildren(this.summary);
    const rows = pinners.map((pinner) => {
      const button = element("button", { type: "button", class: "link" }, addressText(pinner.address));
      button.addEventListener("click", () => this.select(pinner.address));
      return [button, sizeText(pinner.size), sizeText(pinner.strands), sizeText(pinner.releasedAlone),
              sizeText(pinner.segmentSize), numberText(pinner.beside), poolText(pinner.life),
              pinner.age === step ? "from before" : numberText(pinner.age),
              this.panel.run.stacks.siteText(pinner.stack)];
    });
    this.node.replaceChildren(this.summary, element("div", {
      class: "scrolled", tabindex: "0", role: "region", "aria-label": "Pinners" },
      tableOf(`The ${numberText(rows.length)} blocks that strand most`,
        ["block", "size", "strands", "freed alone gives back", "segment", "beside", "pool",
         "age in events", "call site"], rows, [1, 2, 3, 4, 5, 7])));
  }

  private summaryOf(row: number): string {
    const stranded = this.panel.device.fragmentation.stranded[row]!;
    return stranded === 0 ? "Nothing is stranded: whatever is free could be given back."
      : `${sizeText(stranded)} of free memory can't be given back. The blocks that keep most:`;
  }
}
