// Which blocks keep free memory from being given back at the chosen moment.
import { element, tableOf } from "./dom";
import { addressText, numberText, sizeText } from "./format";
import { poolText } from "./segments_view";
import type { Chosen, Panel } from "./chosen";
import type { Block } from "./states";

const mostShown = 25;

export interface Pinned {
  block: Block;
  /** How many blocks in use hold the segment with it. */
  holders: number;
  free: number;
  total: number;
}

/** Of each segment that is more free than in use, its blocks in use. Those that hold most alone
 *  come first. */
export function pinnersOf(blocks: Block[]): Pinned[] {
  const segments: Block[][] = [];
  let end = -1;
  for (const block of blocks) {
    const last = segments.at(-1);
    if (last && last[0]!.life === block.life && end === block.address) last.push(block);
    else segments.push([block]);
    end = block.address + block.size;
  }
  const pinners: Pinned[] = [];
  for (const segment of segments) {
    const holders = segment.filter((block) => block.use === "live");
    const free = segment.reduce((sum, block) => sum + (block.use === "live" ? 0 : block.size), 0);
    const total = segment.reduce((sum, block) => sum + block.size, 0);
    if (free * 2 < total) continue;
    for (const block of holders) pinners.push({ block, holders: holders.length, free, total });
  }
  return pinners.sort((a, b) => b.free / b.holders - a.free / a.holders ||
                                a.block.address - b.block.address);
}

export class PinnersView {
  readonly node = element("div");
  constructor(chosen: Chosen, private readonly panel: Panel,
              private readonly select: (address: number) => void) {
    chosen.onMoment(() => this.show());
  }

  show(): void {
    const pinners = pinnersOf(this.panel.device.states.stateAt(this.panel.state));
    if (pinners.length === 0) {
      this.node.replaceChildren(element("p", { class: "note" },
        "No segment is mostly free at this moment."));
      return;
    }
    const rows = pinners.slice(0, mostShown).map(({ block, holders, free, total }) => {
      const button = element("button", { type: "button", class: "link" }, addressText(block.address));
      button.addEventListener("click", () => this.select(block.address));
      return [button, sizeText(block.size), sizeText(free), sizeText(total), numberText(holders),
              `${poolText(block.life)}, stream ${block.life.stream}`,
              this.panel.run.stacks.siteText(block.stack)];
    });
    this.node.replaceChildren(element("div", { class: "scrolled", tabindex: "0", role: "region",
                                               "aria-label": "Pinners" }, tableOf(
      `${numberText(rows.length)} of ${numberText(pinners.length)} blocks in segments that are ` +
      "mostly free, those that hold most first",
      ["block", "size", "held free", "segment", "holders", "pool", "call site"], rows,
      [1, 2, 3, 4])));
  }
}
