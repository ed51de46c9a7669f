// The picture of a step: each segment a row, each block a part of it. Widths follow the square root of
// sizes, so that small blocks stay visible; what changed in the step is framed.
import { element } from "../../../report/src/dom";
import { sizeText } from "../../../report/src/format";
import { blockName, poolText } from "./steps";
import type { Block, Segment, Spelling, Step } from "./steps";

const kinds = { active_allocated: "held", active_pending_free: "waiting", inactive: "free" } as const;
const motionMs = 350;

export interface Shown {
  step: Step;
  previous: Step | undefined;
  spelling: Spelling;
}

export class Picture {
  private before = new Map<number, Block>();
  private spelling: Spelling = "records";

  constructor(private readonly place: HTMLElement) {}

  /** `widest`: the largest segment of all steps. `moves`: from the step before. */
  show({ step, previous, spelling }: Shown, widest: number, moves: boolean): void {
    this.spelling = spelling;
    this.before = new Map((previous?.segments ?? []).flatMap(({ blocks }) => blocks)
      .map((block) => [block.address, block]));
    const rows = step.segments.map((segment) => this.row(segment, widest, moves));
    this.place.replaceChildren(...(rows.length > 0 ? rows : [element("p", {}, "No memory is reserved.")]));
  }

  private row(segment: Segment, widest: number, moves: boolean): HTMLElement {
    const pool = segment.pool.every((part) => part === 0) ? "" : `, pool ${poolText(segment.pool)}`;
    const name = `${segment.is_expandable ? "Expandable segment" : "Segment"} of ${sizeText(segment.bytes)}, ` +
      (segment.kind === "pinned" ? "pinned" : `${segment.kind}, stream ${segment.stream}${pool}`);
    const blocks = element("div", { class: "blocks", role: "list", "aria-label": name });
    blocks.style.width = `${Math.max(30, 100 * Math.sqrt(segment.bytes / widest))}%`;
    blocks.append(...segment.blocks.map((block) => this.part(block, moves)));
    return element("div", { class: "segment" }, element("p", {}, name), blocks);
  }

  private part(block: Block, moves: boolean): HTMLElement {
    const kind = kinds[block.state];
    const old = this.before.get(block.address);
    const isNew = old?.bytes !== block.bytes || old.state !== block.state || old.id !== block.id;
    const own = blockName(block, this.spelling);
    const who = block.id === null ? kind : kind === "waiting" ? `${own} waits` : own;
    const part = element("div", { role: "listitem", class: `block ${kind}${isNew ? " changed" : ""}`,
                                  title: `${who}: ${sizeText(block.bytes)} at 0x${block.address.toString(16)}` },
                         element("b", {}, who), element("span", {}, sizeText(block.bytes)));
    const width = Math.sqrt(block.bytes);
    part.style.flexGrow = String(width);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (moves && isNew && !still)
      part.animate([{ flexGrow: old ? Math.sqrt(old.bytes) : width / 10 }, { flexGrow: width }], motionMs);
    return part;
  }
}
