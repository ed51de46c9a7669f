// The allocated memory block by block, on the page's axis: each block is a shape (bands.ts) in the
// colour of its call site. The pointer tells the block below it with its stack, a click pins it,
// and the arrow keys go from block to block of the chosen moment. Heights can be zoomed, too.
import { eventText } from "./about_view";
import { Bands, nobody, others, severalColours, type BlockPlaces } from "./bands";
import { canvasPixels, element, factList, tableOf, type Hint } from "./dom";
import { numberText, sizeText } from "./format";
import { Plot, type PlotOptions } from "./plot";
import { shownStack } from "./stack_list";
import { lastNotAbove } from "./states";
import { colour, siteColour, siteColourCount } from "./theme";
import type { BlockList } from "./block_list";
import type { Chosen, Panel } from "./chosen";
import type uPlot from "uplot";

const height = 420;
const mostRowsOfTable = 200;
/** Blocks of one call site that lie on each other differ in brightness. */
const shades = 3;
const framesOfHint = 5;
const framesOfPinned = 60;
const noteDelayMs = 150;

export class BandsPlot {
  readonly node: HTMLElement;
  private readonly plot: Plot;
  private readonly note = element("p", { class: "note bands-note" });
  private readonly about = element("div", { class: "about-block", "aria-live": "polite" });
  private readonly blocks: BlockList;
  private readonly bands: Bands;
  /** By block of the list. */
  private readonly colours: Uint8Array;
  private places: BlockPlaces | null = null;
  private placedAxis = "";
  private pinned = -1;
  private noting = 0;
  private readonly layer = document.createElement("canvas");

  constructor(private readonly chosen: Chosen, private readonly panel: Panel,
              private readonly hint: Hint, options: PlotOptions) {
    this.blocks = panel.device.blocks;
    this.colours = this.coloursOfBlocks();
    this.bands = new Bands(this.blocks, this.colours);
    this.plot = new Plot(chosen, panel, {
      ...options, height, hasHeights: true, paint: (plot) => this.paint(plot),
      tableOf: () => ({ name: "the largest blocks in view", fill: () => this.tableOfBlocks() }),
    });
    this.plot.surface.classList.add("bands");
    this.node = element("div", {}, this.tools(), this.legend(), this.plot.node, this.note, this.about);
    const { allocated, step } = panel.device.moments;
    this.plot.show({
      xs: () => panel.xsOfMoments(chosen.axis), steps: step,
      lines: [{ name: "allocated", colour: "allocated", values: allocated, isDrawn: false }],
    });
    this.listen();
  }

  private coloursOfBlocks(): Uint8Array {
    const { siteOfNode, sites } = this.panel.run.stacks;
    const ofSite = sites.map((name) => this.chosen.siteColour(name || "no stack"));
    return Uint8Array.from(this.blocks.stack, (node) => ofSite[siteOfNode[node]!]!);
  }

  private tools(): HTMLElement {
    const button = (text: string, label: string, action: () => void) => {
      const made = element("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", action);
      return made;
    };
    return element("div", { class: "tools bands-tools" }, "Heights",
      element("div", { class: "zoom-tools", role: "group", "aria-label": "Heights in view" },
        button("+", "Show fewer bytes, higher", () => this.chosen.zoomHeights(0.5)),
        button("−", "Show more bytes, lower", () => this.chosen.zoomHeights(2)),
        button("↑", "Show what lies above", () => this.chosen.panHeights(0.25)),
        button("↓", "Show what lies below", () => this.chosen.panHeights(-0.25)),
        button("All", "Show all heights", () => this.chosen.setHeights(0, Infinity))));
  }

  private legend(): HTMLElement {
    const rest = `site-${siteColourCount - 1}`;
    const entries: [string, string, string][] = this.panel.device.sites
      .map(({ name }): [string, string, string] => [`site-${this.chosen.siteColour(name)}`, name, "key"])
      .filter(([name]) => name !== rest);
    entries.push([rest, "all others", "key"],
                 [rest, "thinner than a pixel, merged", "key striped"]);
    return element("ul", { class: "legend" }, ...entries.map(([name, text, look]) => {
      const key = element("span", { class: look });
      key.style.setProperty("--key", `var(--${name})`);
      return element("li", { title: text }, key, element("span", { class: "name" }, text));
    }));
  }

  /** Places of all blocks on the axis that is chosen. */
  private placesOfBlocks(): BlockPlaces {
    const { axis } = this.chosen;
    if (this.places && this.placedAxis === axis) return this.places;
    this.placedAxis = axis;
    const { begin, end } = this.blocks;
    if (axis === "event") return (this.places = { begin, end });
    const { step } = this.panel.device.moments;
    const xs = this.panel.xsOfMoments("time");
    // Between moments of a thinned history, time is taken to pass evenly.
    const timeOf = (at: number) => {
      if (at === Infinity) return Infinity;
      const row = lastNotAbove(step, at);
      const next = Math.min(row + 1, step.length - 1);
      const part = next === row ? 0 : (at - step[row]!) / (step[next]! - step[row]!);
      return xs[row]! + part * (xs[next]! - xs[row]!);
    };
    return (this.places = { begin: begin.map(timeOf), end: end.map(timeOf) });
  }

  private paint(plot: uPlot): void {
    const { left, top, width, height: tall } = plot.bbox;
    const [columns, rows] = [Math.round(width), Math.round(tall)];
    const { x, y } = plot.scales as { x: uPlot.Scale; y: uPlot.Scale };
    if (columns < 1 || rows < 1 || x.min === undefined || y.min === undefined) return;
    const { allocated } = this.panel.device.moments;
    this.bands.draw({
      columns, rows, left: x.min!, perColumn: (x.max! - x.min!) / columns,
      bottom: y.min!, perRow: (y.max! - y.min!) / rows,
    }, this.placesOfBlocks(), { xs: this.panel.xsOfMoments(this.chosen.axis), allocated });
    // For tests: a loaded machine changes times, and this not.
    this.plot.surface.dataset.filled = String(this.bands.filled);
    canvasPixels(this.layer, columns, rows, (pixels) => this.colourPixels(pixels));
    plot.ctx.drawImage(this.layer, Math.round(left), Math.round(top));
    this.tellSoon();
  }

  /** Rows of pixels go down, those of the bands up. A few columns at a time, which lie near each
   *  other in memory. */
  private colourPixels(pixels: Int32Array): void {
    const { columns, rows } = this.bands.view;
    const together = 16;
    const palette = paletteOfSites();
    for (let from = 0; from < columns; from += together) {
      const to = Math.min(columns, from + together);
      for (let row = 0; row < rows; ++row) this.colourRow(pixels, palette, row, from, to);
    }
    if (this.pinned >= 0) this.framePinned(pixels);
  }

  /** Edges are drawn where a shape is large enough for them, stripes in merged shapes. */
  private colourRow(pixels: Int32Array, palette: Int32Array, row: number, from: number,
                    to: number): void {
    const { colours, bands } = this;
    const { owners, view: { columns, rows } } = bands;
    const half = palette.length >> 1;
    const start = (rows - 1 - row) * columns;
    for (let column = from; column < to; ++column) {
      const at = column * rows + row;
      const owner = owners[at]!;
      if (owner === nobody) continue;
      let code: number;
      let isEdge: boolean;
      if (owner < 0) {
        const site = owner === others ? severalColours : bands.groupOf(owner).colour;
        code = Math.min(site, siteColourCount - 1) * shades;
        isEdge = (column + row) % 6 < 2;
      } else {
        code = colours[owner - 1]! * shades + owner % shades;
        isEdge = (owners[at + 1] !== owner && row >= 3 && owners[at - 2] === owner) ||
          (column > 0 && owners[at - rows] !== owner && column + 3 < columns &&
            owners[at + 3 * rows] === owner);
      }
      pixels[start + column] = palette[isEdge ? code + half : code]!;
    }
  }

  private framePinned(pixels: Int32Array): void {
    const { owners, view: { columns, rows } } = this.bands;
    const accent = pixelOf(colour("accent"));
    const owner = this.pinned + 1;
    for (let at = owners.indexOf(owner); at >= 0; at = owners.indexOf(owner, at + 1)) {
      const row = at % rows;
      const isInside = row > 0 && row + 1 < rows && owners[at - 1] === owner &&
        owners[at + 1] === owner && owners[at - rows] === owner && owners[at + rows] === owner;
      if (!isInside) pixels[(rows - 1 - row) * columns + Math.floor(at / rows)] = accent;
    }
  }

  private tellSoon(): void {
    window.clearTimeout(this.noting);
    this.noting = window.setTimeout(() => {
      this.note.textContent = this.noteText();
      this.plot.refreshTable();
    }, noteDelayMs);
  }

  private noteText(): string {
    const { alone, merged, tooShort } = this.bands.counts;
    const { total, begin, largestOther } = this.blocks;
    const parts = [`${blocksText(alone + merged + tooShort)} in the time in view: ` +
                   `${numberText(alone)} drawn one by one`];
    if (merged > 0) parts.push(`${numberText(merged)} thinner than a pixel and merged into striped shapes`);
    if (tooShort > 0) parts.push(`${numberText(tooShort)} not drawn, as they come and go within a pixel`);
    const left = total - begin.length;
    return `${parts.join(", ")}.` + (left === 0 ? "" : ` The page holds the ${numberText(begin.length)} ` +
      `largest of ${blocksText(total)} one by one; the other ${numberText(left)}, of at most ` +
      `${sizeText(largestOther)} each, are the striped shape on top.`);
  }

  private listen(): void {
    const { surface } = this.plot;
    surface.addEventListener("mousemove", (event) => {
      const owner = this.ownerAt(event);
      if (owner === null || owner.number === nobody) return this.hint.hide();
      this.hint.show(event, this.factsOf(owner.number, owner.column, framesOfHint));
    });
    surface.addEventListener("mouseleave", () => this.hint.hide());
    surface.addEventListener("click", (event) => {
      const owner = this.ownerAt(event);
      if (event.shiftKey || owner === null) return;
      if (owner.number > 0) return this.pin(owner.number - 1);
      this.pin(-1);
      if (owner.number !== nobody)
        this.about.replaceChildren(this.factsOf(owner.number, owner.column, framesOfPinned));
    });
    surface.addEventListener("keydown", (event) => this.pressed(event));
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => number> = {
      ArrowUp: () => this.neighbour(1), ArrowDown: () => this.neighbour(-1), Escape: () => -1 };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    this.pin(move());
  }

  /** The block above or below the pinned one at the chosen moment; at first the lowest. */
  private neighbour(by: 1 | -1): number {
    const { begin, end } = this.blocks;
    const now = this.panel.device.states.steps[this.panel.state]!;
    const isThere = (i: number) => begin[i]! <= now && end[i]! > now;
    const { pinned } = this;
    for (let i = pinned < 0 ? (by > 0 ? 0 : begin.length - 1) : pinned + by;
         i >= 0 && i < begin.length; i += by)
      if (isThere(i)) return i;
    return pinned;
  }

  private pin(block: number): void {
    this.pinned = block;
    this.about.replaceChildren(...(block < 0 ? [] : [this.factsOfBlock(block, framesOfPinned),
                                                     this.waysOf(block)]));
    this.plot.redraw();
  }

  /** The moments of a block that can be gone to. */
  private waysOf(block: number): HTMLElement {
    const ways = element("div", { class: "tools" });
    const add = (text: string, step: number) => {
      const button = element("button", { type: "button", class: "small" }, text);
      button.addEventListener("click", () =>
        this.chosen.choose(this.panel, this.panel.stateAtStep(step)));
      ways.append(button);
    };
    const { begin, end } = this.blocks;
    if (begin[block]! > 0) add("Go to its request", begin[block]!);
    if (end[block] !== Infinity) add("Go to its free", end[block]!);
    return ways;
  }

  private ownerAt(event: MouseEvent): { number: number; column: number } | null {
    const place = this.plot.placeOf(event);
    if (!place) return null;
    const { columns, rows } = this.bands.view;
    const column = Math.min(columns - 1, Math.floor(place.x * devicePixelRatio));
    const row = rows - 1 - Math.min(rows - 1, Math.floor(place.y * devicePixelRatio));
    return { number: this.bands.owners[column * rows + row] ?? nobody, column };
  }

  private factsOf(owner: number, column: number, frames: number): HTMLElement {
    if (owner > 0) return this.factsOfBlock(owner - 1, frames);
    if (owner === others) return this.factsOfOthers(column);
    const group = this.bands.groupOf(owner);
    const members = this.bands.membersAt(group, column, this.placesOfBlocks());
    const bytes = members.reduce((sum, i) => sum + this.blocks.size[i]!, 0);
    const largest = members.reduce((most, i) => Math.max(most, this.blocks.size[i]!), 0);
    const sites = new Map<string, number>();
    for (const i of members) {
      const site = this.panel.run.stacks.siteText(this.blocks.stack[i]!);
      sites.set(site, (sites.get(site) ?? 0) + this.blocks.size[i]!);
    }
    const facts: [string, string][] = [
      ["merged", `${blocksText(members.length)}, each thinner than a pixel`],
      ["together", sizeText(bytes)], ["largest", sizeText(largest)],
      ...[...sites].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([site, held]): [string, string] =>
        ["call site", `${site}, ${sizeText(held)}`])];
    return factList(facts);
  }

  private factsOfOthers(column: number): HTMLElement {
    const { count, bytes } = this.blocks.others;
    const moment = this.bands.moments[column]!;
    return factList([
      ["merged", `${blocksText(count[moment]!)} that the page does not hold one by one`],
      ["together", sizeText(bytes[moment]!)],
      ["largest", `at most ${sizeText(this.blocks.largestOther)}`]]);
  }

  private factsOfBlock(block: number, frames: number): HTMLElement {
    const { begin, end, size, stack } = this.blocks;
    const { stacks } = this.panel.run;
    const facts: [string, string][] = [
      ["block", `${sizeText(size[block]!)} (${numberText(size[block]!)} B)`],
      ["from", begin[block] === 0 ? "before the first event" : `event ${eventText(begin[block]!)}`],
      ["until", end[block] === Infinity ? "the end: it is not freed"
        : `event ${eventText(end[block]!)}, ${numberText(end[block]! - begin[block]!)} events later`],
      ["call site", stacks.siteText(stack[block]!)]];
    const label = this.panel.device.labels.get(begin[block]!);
    if (label) facts.push(["label", label]);
    if (size[block]! < this.bands.view.perRow)
      facts.push(["in the picture", "merged with others, as it is thinner than a pixel"]);
    return element("div", {}, factList(facts), ...shownStack(stacks.framesOf(stack[block]!), frames));
  }

  private tableOfBlocks(): Node {
    const { begin, end, size, stack } = this.blocks;
    const places = this.placesOfBlocks();
    const [from, to] = this.chosen.range;
    const inView: number[] = [];
    for (let i = 0; i < begin.length && places.begin[i]! < to; ++i)
      if (places.end[i]! > from) inView.push(i);
    const rows = [...inView].sort((a, b) => size[b]! - size[a]! || a - b).slice(0, mostRowsOfTable)
      .map((i) => [
        numberText(size[i]!), begin[i] === 0 ? "before" : eventText(begin[i]!),
        end[i] === Infinity ? "not freed" : eventText(end[i]!),
        this.panel.run.stacks.siteText(stack[i]!)]);
    return tableOf(`Blocks in view of ${this.panel.title}, the largest first: ` +
      `${numberText(rows.length)} of ${numberText(inView.length)}`,
      ["bytes", "from event", "until event", "call site"], rows, [0, 1, 2]);
  }
}

function blocksText(count: number): string {
  return `${numberText(count)} ${count === 1 ? "block" : "blocks"}`;
}

/** The shades of each call site's colour, then the same colours for edges and stripes. */
function paletteOfSites(): Int32Array<ArrayBuffer> {
  const palette = new Int32Array(siteColourCount * shades * 2);
  const edge = rgbOf(colour("panel"));
  for (let site = 0; site < siteColourCount; ++site) {
    const fill = rgbOf(siteColour(site));
    for (let shade = 0; shade < shades; ++shade) {
      const shaded = mixed(fill, edge, shade * 0.09);
      palette[site * shades + shade] = pixelOfRgb(shaded);
      palette[(siteColourCount + site) * shades + shade] = pixelOfRgb(mixed(shaded, edge, 0.45));
    }
  }
  return palette;
}

type Rgb = [number, number, number];

/** The parts of a colour of the style sheet, which has six or eight hexadecimal digits. */
function rgbOf(text: string): Rgb {
  const digits = parseInt(text.slice(1, 7), 16);
  return [digits >> 16, (digits >> 8) & 0xff, digits & 0xff];
}

function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return a.map((part, i) => Math.round(part + (b[i]! - part) * share)) as Rgb;
}

/** As image data has it in memory, the lowest byte first. */
function pixelOfRgb([red, green, blue]: Rgb): number {
  return 0xff000000 | (blue << 16) | (green << 8) | red;
}

function pixelOf(text: string): number {
  return pixelOfRgb(rgbOf(text));
}
