// The allocator's state at the chosen moment: segments in order of address, pool by pool, each as
// long as it is large, its blocks where they are. Long segments go on in the next row.
import { canvasContext, element, Hint, openable, tableOf } from "./dom";
import { addressText, frameText, numberText, sizeText, timeText } from "./format";
import { colour, onThemeChange, siteColour, siteColourCount } from "./theme";
import type { Chosen, Panel } from "./chosen";
import type { Block, Life } from "./states";

export type BlockColours = "site" | "age" | "stream" | "state";

interface Piece {
  life: Life;
  /** Of the segment's blocks: first and after the last. */
  blocks: Block[];
  /** Offset of the piece's first byte in the run of blocks that it is of, and how many it has. */
  begin: number;
  bytes: number;
  left: number;
  top: number;
  width: number;
}
interface Heading { text: string; top: number }

const rowHeight = 18;
const rowGap = 4;
const headingHeight = 20;
const segmentGap = 2;
const leastWidth = 3;
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
      const key = element("span", { class: "key" });
      key.style.setProperty("--key", `var(--${name})`);
      return element("li", { title: text }, key, element("span", { class: "name" }, text));
    }));
  }

  private streams(): number[] {
    return [...new Set(this.panel.device.lives.map((life) => life.stream))].sort((a, b) => a - b);
  }

  /** Runs of blocks without a gap, by pool. */
  private runs(): { heading: string; life: Life; blocks: Block[] }[] {
    const runs: { heading: string; life: Life; blocks: Block[] }[] = [];
    let end = -1;
    for (const block of this.blocks) {
      const last = runs.at(-1);
      if (last && last.life === block.life && end === block.address) last.blocks.push(block);
      else runs.push({ heading: headingOf(block.life), life: block.life, blocks: [block] });
      end = block.address + block.size;
    }
    const order = [...new Set(runs.map((run) => run.heading))].sort(compareHeadings);
    return order.flatMap((heading) => runs.filter((run) => run.heading === heading));
  }

  private layOutAndDraw(): void {
    const { width } = this;
    if (width < 50) return;
    const runs = this.runs();
    // As large as at the peak, so that lengths can be compared from moment to moment.
    const most = Math.max(...this.chosen.panels.map((p) => p.device.json.peak_reserved.reserved), 1);
    const rows = Math.max(4, Math.min(16, Math.ceil(runs.length / 12)));
    const scale = width * rows / most;
    this.pieces = [];
    this.headings = [];
    let top = -rowGap;
    let left = width;
    let heading = "";
    for (const run of runs) {
      if (run.heading !== heading) {
        heading = run.heading;
        if (left > 0 && this.pieces.length > 0) top += rowHeight + rowGap;
        this.headings.push({ text: heading, top: Math.max(0, top + rowGap) });
        top = Math.max(0, top + rowGap) + headingHeight;
        left = 0;
      }
      let begin = 0;
      let rest = run.blocks.at(-1)!.address + run.blocks.at(-1)!.size - run.blocks[0]!.address;
      while (rest > 0) {
        const wanted = Math.max(leastWidth, rest * scale);
        if (width - left < Math.min(wanted, leastWidth)) {
          left = 0;
          top += rowHeight + rowGap;
        }
        const pieceWidth = Math.min(wanted, width - left);
        const bytes = pieceWidth >= wanted ? rest : pieceWidth / scale;
        this.pieces.push({ life: run.life, blocks: run.blocks, begin, bytes, left, top,
                           width: pieceWidth });
        begin += bytes;
        rest -= bytes;
        left += pieceWidth + segmentGap;
        if (rest < 1) break;
      }
    }
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
    const colourOf = this.colourOfBlocks();
    for (const piece of this.pieces) this.drawPiece(context, piece, colourOf);
    this.drawSelected(context);
  }

  private drawPiece(context: CanvasRenderingContext2D, piece: Piece,
                    colourOf: (block: Block) => string): void {
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
      // What is narrower than the gaps between pixels is drawn once a pixel.
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

  private colourOfBlocks(): (block: Block) => string {
    const waiting = colour("waiting");
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
    const facts = element("dl", { class: "facts" });
    const add = (name: string, text: string) =>
      facts.append(element("dt", {}, name), element("dd", {}, text));
    add("block", `${sizeText(block.size)} (${numberText(block.size)} B) at ${addressText(block.address)}`);
    add("state", block.use === "live" ? "in use" : block.use === "free" ? "free" : "waiting for other streams");
    if (block.use !== "free") {
      add("requested", sizeText(block.requested));
      const step = states.steps[this.panel.state]!;
      const age = numberText(step - block.since);
      add("age", block.since === 0 ? "there before the first event"
        : `${age} events, handed out by event ${numberText(block.since - 1)}${this.ageInTime(block)}`);
      add("call site", this.panel.run.stacks.siteText(block.stack));
    }
    add("stream, pool", `${life.stream}, ${poolText(life)}`);
    add("segment", `${sizeText(life.size)}${life.isExpandable ? " of addresses" : ""} at ${addressText(life.base)}`);
    const box = element("div", {}, facts);
    const stack = this.panel.run.stacks.framesOf(block.stack);
    if (stack.length > 0) {
      const list = element("ol", { class: "stack" });
      stack.slice(0, frames).forEach((frame) => list.append(element("li", {}, frameText(frame))));
      if (stack.length > frames) list.append(element("li", {}, `and ${stack.length - frames} more`));
      box.append(list);
    }
    return box;
  }

  /** Where the moment of its event is on the page. */
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

export function poolText(life: Life): string {
  const half = life.isLarge ? "large" : "small";
  return `${life.pool === "default" ? half : `${half} of pool ${life.pool}`}` +
    (life.isExpandable ? ", expandable" : "");
}

function headingOf(life: Life): string {
  return `${poolText(life)}, stream ${life.stream}`;
}

function compareHeadings(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** The first block that reaches beyond the address. */
function firstReaching(blocks: Block[], address: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.address + blocks[middle]!.size > address) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** 0 for what came last, 4 for what has been there longest: each class covers four times the age. */
function ageClass(age: number, oldest: number): number {
  if (oldest <= 0) return 4;
  const share = age / oldest;
  return share > 0.5 ? 4 : share > 0.12 ? 3 : share > 0.03 ? 2 : share > 0.008 ? 1 : 0;
}
