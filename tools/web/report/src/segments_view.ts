// The allocator's state at the chosen moment: segments in order of address, pool by pool, each as
// long as it is large, its blocks where they are. Long segments go on in the next row.
import { canvasContext, element, factList, Hint, openable, tableOf } from "./dom";
import { addressText, numberText, sizeText, timeText } from "./format";
import { colour, onThemeChange, siteColour, siteColourCount } from "./theme";
import type { Chosen, Panel } from "./chosen";
import {
  firstReaching, layOut, poolText, rowHeight, type Heading, type Piece,
} from "./segments_layout";
import { shownStack } from "./stack_list";
import type { Block } from "./states";

export type BlockColours = "site" | "age" | "stream" | "state";

type Fill = string | CanvasPattern;
const mostRowsOfTable = 500;
const restColour = `site-${siteColourCount - 1}`;

export class SegmentsView {
  readonly node: HTMLElement;
  private readonly canvas = element("canvas", { class: "segments" });
  private readonly about = element("div", { class: "about-block", "aria-live": "polite" });
  private readonly table: { details: HTMLDetailsElement; refresh: () => void };
  private readonly legend = element("ul", { class: "legend" });
  private colours: BlockColours = "site";
  private blocks: Block[] = [];
  private pieces: Piece[] = [];
  private headings: Heading[] = [];
  private selected: Block | null = null;
  /** Asked of the observer, not of the page: that would lay it out anew at each step. */
  private width = 0;
  /** By site of the run. */
  private readonly siteColours: number[];

  constructor(private readonly chosen: Chosen, private readonly panel: Panel,
              private readonly hint: Hint) {
    this.siteColours = panel.run.stacks.sites.map((name) => chosen.siteColour(name || "no stack"));
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.table = openable("Table: blocks at this moment", () => this.tableOfBlocks());
    this.node = element("div", {}, this.legend,
      element("div", { class: "segments-box" }, this.canvas), this.about, this.table.details);
    chosen.onMoment(() => this.show());
    onThemeChange(() => this.draw());
    new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry!.contentRect.width) - 1;
      this.layOutAndDraw();
    }).observe(this.canvas.parentElement!);
    this.listen();
    this.showLegend();
  }

  colourBy(colours: BlockColours): void {
    this.colours = colours;
    this.showLegend();
    this.draw();
  }

  show(): void {
    this.blocks = this.panel.device.states.stateAt(this.panel.state);
    const before = this.selected;
    this.selected = before
      ? this.blocks.find((block) => block.address === before.address) ?? null : null;
    if (before) this.tellSelected();
    this.layOutAndDraw();
    this.table.refresh();
    const lives = new Set(this.blocks.map((block) => block.life)).size;
    this.canvas.setAttribute("aria-label", `Segments of ${this.panel.title}: ${numberText(lives)} ` +
      `segments with ${numberText(this.blocks.length)} blocks. Arrow keys go from block to block.`);
  }

  private showLegend(): void {
    const entries: [string, string][] =
      this.colours === "site"
        ? [...this.panel.device.sites.map((site): [string, string] =>
               [`site-${this.chosen.siteColour(site.name)}`, site.name])
             .filter(([name]) => name !== restColour), [restColour, "all others"]]
        : this.colours === "age"
          ? [["age-0", "newest"], ["age-2", ""], ["age-4", "oldest"]]
          : this.colours === "state" ? [["allocated", "in use"]]
          : this.streams().slice(0, siteColourCount).map((stream, i): [string, string] =>
              [`site-${i}`, `stream ${stream}`]);
    entries.push(["waiting", "waiting for streams"], ["hole", "free"]);
    this.legend.replaceChildren(...entries.map(([name, text]) => {
      const key = element("span", { class: name === "waiting" ? "key striped" : "key" });
      key.style.setProperty("--key", `var(--${name})`);
      return element("li", { title: text }, key, element("span", { class: "name" }, text));
    }));
  }

  private streams(): number[] {
    return [...new Set(this.panel.device.lives.map((life) => life.stream))].sort((a, b) => a - b);
  }

  private layOutAndDraw(): void {
    if (this.width < 50) return;
    // As long as at the peak, so that lengths can be compared from moment to moment.
    const most = Math.max(...this.chosen.panels.map((p) => p.device.json.peak_reserved.reserved), 1);
    const laidOut = layOut(this.blocks, this.width, most);
    this.pieces = laidOut.pieces;
    this.headings = laidOut.headings;
    this.draw();
  }

  private draw(): void {
    const last = this.pieces.at(-1);
    const context = canvasContext(this.canvas, this.width, last ? last.top + rowHeight + 2 : rowHeight);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "alphabetic";
    for (const heading of this.headings) {
      context.fillStyle = colour("ink-soft");
      context.fillText(heading.text, 0, heading.top + 14);
    }
    const colourOf = this.colourOfBlocks(context);
    for (const piece of this.pieces) this.drawPiece(context, piece, colourOf);
    this.drawSelected(context);
  }

  private drawPiece(context: CanvasRenderingContext2D, piece: Piece,
                    colourOf: (block: Block) => Fill): void {
    context.fillStyle = colour("hole");
    context.fillRect(piece.left, piece.top, piece.width, rowHeight);
    const scale = piece.width / piece.bytes;
    const first = piece.blocks[0]!.address + piece.begin;
    const end = first + piece.bytes;
    let drawnTo = piece.left;
    for (let i = firstReaching(piece.blocks, first); i < piece.blocks.length; ++i) {
      const block = piece.blocks[i]!;
      if (block.address >= end) break;
      if (block.use === "free") continue;
      const left = piece.left + Math.max(0, block.address - first) * scale;
      const right = piece.left + Math.min(piece.bytes, block.address + block.size - first) * scale;
      // A block that is narrower than the gaps between pixels is drawn once a pixel.
      if (right - drawnTo < 0.5 && drawnTo > piece.left) continue;
      context.fillStyle = colourOf(block);
      const wide = right - left;
      context.fillRect(left, piece.top, Math.max(0.5, wide > 3 ? wide - 0.5 : wide), rowHeight);
      drawnTo = right;
    }
    context.strokeStyle = colour("segment-edge");
    context.lineWidth = 1;
    context.strokeRect(piece.left + 0.5, piece.top + 0.5, Math.max(1, piece.width - 1), rowHeight - 1);
  }

  private colourOfBlocks(context: CanvasRenderingContext2D): (block: Block) => Fill {
    const waiting = stripes(context, colour("waiting"), colour("hole"));
    const { siteOfNode } = this.panel.run.stacks;
    if (this.colours === "site")
      return (block) => block.use === "waiting" ? waiting
        : siteColour(this.siteColours[siteOfNode[block.stack]!]!);
    if (this.colours === "stream") {
      const numbers = new Map(this.streams().map((stream, i) => [stream, i]));
      return (block) => block.use === "waiting" ? waiting : siteColour(numbers.get(block.life.stream)!);
    }
    if (this.colours === "state") {
      const live = colour("allocated");
      return (block) => (block.use === "waiting" ? waiting : live);
    }
    const now = this.panel.device.states.steps[this.panel.state]!;
    return (block) => block.use === "waiting" ? waiting
      : colour(`age-${ageClass(now - block.since, now)}`);
  }

  private drawSelected(context: CanvasRenderingContext2D): void {
    if (!this.selected) return;
    for (const piece of this.pieces) {
      const first = piece.blocks[0]!.address + piece.begin;
      if (piece.life !== this.selected.life || this.selected.address >= first + piece.bytes ||
          this.selected.address + this.selected.size <= first) continue;
      const scale = piece.width / piece.bytes;
      const left = piece.left + Math.max(0, this.selected.address - first) * scale;
      const right = piece.left +
        Math.min(piece.bytes, this.selected.address + this.selected.size - first) * scale;
      context.strokeStyle = colour("accent");
      context.lineWidth = 2;
      context.strokeRect(left - 1, piece.top - 1, Math.max(3, right - left + 2), rowHeight + 2);
    }
  }

  private blockAt(event: MouseEvent): Block | null {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    for (const piece of this.pieces) {
      if (y < piece.top || y > piece.top + rowHeight || x < piece.left ||
          x > piece.left + piece.width) continue;
      const address = piece.blocks[0]!.address + piece.begin +
        (x - piece.left) / piece.width * piece.bytes;
      return piece.blocks[Math.min(piece.blocks.length - 1, firstReaching(piece.blocks, address))]!;
    }
    return null;
  }

  private listen(): void {
    this.canvas.addEventListener("mousemove", (event) => {
      const block = this.blockAt(event);
      if (block) this.hint.show(event, this.factsOf(block, 4));
      else this.hint.hide();
    });
    this.canvas.addEventListener("mouseleave", () => this.hint.hide());
    this.canvas.addEventListener("click", (event) => this.select(this.blockAt(event)));
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const at = this.selected ? this.blocks.indexOf(this.selected) : -1;
      const moves: Record<string, () => number> = {
        ArrowRight: () => at + 1, ArrowLeft: () => at - 1,
        ArrowDown: () => this.neighbourSegment(at, 1), ArrowUp: () => this.neighbourSegment(at, -1),
        Escape: () => -1,
      };
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      const to = move();
      this.select(to < 0 ? null : this.blocks[Math.min(to, this.blocks.length - 1)] ?? null);
    });
  }

  private neighbourSegment(at: number, direction: 1 | -1): number {
    if (at < 0) return 0;
    let to = at;
    const life = this.blocks[at]!.life;
    while (this.blocks[to]?.life === life) to += direction;
    if (direction < 0)
      while (to > 0 && this.blocks[to - 1]!.life === this.blocks[to]?.life) --to;
    return Math.max(0, to);
  }

  select(block: Block | null): void {
    this.selected = block;
    this.tellSelected();
    this.draw();
  }

  selectAt(address: number): void {
    this.select(this.blocks.find((block) => block.address === address) ?? null);
  }

  private tellSelected(): void {
    this.about.replaceChildren(...(this.selected ? [this.factsOf(this.selected, 60)] : []));
  }

  private factsOf(block: Block, frames: number): HTMLElement {
    const { life } = block;
    const { states } = this.panel.device;
    const facts: [string, string][] = [];
    const add = (name: string, text: string) => facts.push([name, text]);
    add("block", `${sizeText(block.size)} (${numberText(block.size)} B) at ${addressText(block.address)}`);
    add("state", block.use === "live" ? "in use" : block.use === "free" ? "free" : "waiting for other streams");
    if (block.use !== "free") {
      add("requested", sizeText(block.requested));
      const step = states.steps[this.panel.state]!;
      const age = numberText(step - block.since);
      add("age", block.since === 0 ? "there before the first event"
        : `${age} events, handed out by event ${numberText(block.since - 1)}${this.ageInTime(block)}`);
      add("call site", this.panel.run.stacks.siteText(block.stack));
      const { holders } = this.panel.device;
      if (holders) add("holds", holders.text(block.holder));
      const label = this.panel.device.labels.get(block.since);
      if (label) add("label", label);
    }
    add("stream, pool", `${life.stream}, ${poolText(life)}`);
    add("segment", `${sizeText(life.size)}${life.isExpandable ? " of addresses" : ""} at ${addressText(life.base)}`);
    return element("div", {}, factList(facts),
                   ...shownStack(this.panel.run.stacks.framesOf(block.stack), frames));
  }

  /** The age of the block in time; empty where the moment of its event is not on the page. */
  private ageInTime(block: Block): string {
    const { step, time_us } = this.panel.device.moments;
    const { states, json } = this.panel.device;
    if (json.events_per_stretch > 1) return "";
    const row = step.indexOf(block.since);
    return row < 0 ? "" : `, ${timeText(states.times[this.panel.state]! - time_us[row]!)} ago`;
  }

  private tableOfBlocks(): Node {
    const rows = [...this.blocks].sort((a, b) => b.size - a.size || a.address - b.address)
      .slice(0, mostRowsOfTable).map((block) => [
        addressText(block.address), numberText(block.size), numberText(block.requested),
        block.use === "live" ? "in use" : block.use, String(block.life.stream), poolText(block.life),
        block.use === "free" ? "" : this.panel.run.stacks.siteText(block.stack)]);
    return tableOf(`Blocks of ${this.panel.title}, the largest first: ${numberText(rows.length)} of ` +
      numberText(this.blocks.length),
      ["address", "bytes", "requested", "state", "stream", "pool", "call site"], rows, [1, 2, 4]);
  }
}

/** For what is neither in use nor free. */
function stripes(context: CanvasRenderingContext2D, line: string, ground: string): Fill {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const of = tile.getContext("2d")!;
  of.fillStyle = ground;
  of.fillRect(0, 0, 6, 6);
  of.strokeStyle = line;
  of.lineWidth = 2.4;
  for (const shift of [-6, 0, 6]) {
    of.beginPath();
    of.moveTo(shift - 1, 7);
    of.lineTo(shift + 7, -1);
    of.stroke();
  }
  return context.createPattern(tile, "repeat") ?? line;
}

/** 0 for what came last, 4 for what has been there longest: each class covers four times the age. */
function ageClass(age: number, oldest: number): number {
  if (oldest <= 0) return 4;
  const share = age / oldest;
  return share > 0.5 ? 4 : share > 0.12 ? 3 : share > 0.03 ? 2 : share > 0.008 ? 1 : 0;
}
