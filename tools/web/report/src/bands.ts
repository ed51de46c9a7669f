// Bands: each block as a shape over time, in pixels. A shape lasts as long as its block and is as
// high as the block is large. It lies on the shapes of the older blocks, so it moves down when one
// of them is freed. A column of pixels shows the moment in it at which most is allocated; blocks
// that come and go between two such moments are not drawn. Blocks thinner than a pixel are drawn
// together with the thin ones that were handed out next to them, as one merged shape.
import type { BlockList } from "./block_list";
import { firstAbove } from "./states";

/** The part of the picture that is drawn; x and bytes are those of the left and lower edges. */
export interface BandsView {
  columns: number;
  rows: number;
  left: number;
  perColumn: number;
  bottom: number;
  perRow: number;
}

/** The moments of the history, in order. */
export interface MomentsOfBands {
  xs: ArrayLike<number>;
  allocated: ArrayLike<number>;
}

/** How many blocks of the list are in view, by what became of them. */
export interface BandCounts {
  alone: number;
  merged: number;
  tooShort: number;
}

/** Blocks of the list from `first` to `last` that are thinner than a pixel. */
interface Group {
  first: number;
  last: number;
  /** The colour that all its blocks have; `severalColours` where they differ. */
  colour: number;
}

export interface BlockPlaces {
  /** On the axis. A block is in use from its begin to before its end. */
  begin: Float64Array;
  end: Float64Array;
}

export const severalColours = 255;
/** The owner of a pixel that no block covers. */
export const nobody = 0;
/** The owner of the pixels of all blocks that are not in the list. */
export const others = -1;

/** A merged shape of one colour is at least so many pixels high, so that stripes can be told apart. */
const leastRowsOfColour = 3;

export class Bands {
  view: BandsView = { columns: 0, rows: 0, left: 0, perColumn: 1, bottom: 0, perRow: 1 };
  counts: BandCounts = { alone: 0, merged: 0, tooShort: 0 };
  /** Column by column from the left, in each from its lowest pixel up: the number of the block + 1,
   *  `others`, `nobody`, or of a merged shape: -2 - its number. */
  owners = new Int32Array();
  /** The place on the axis that each column shows, and the moment of the history before it. */
  shown = new Float64Array();
  moments = new Uint32Array();
  private groups: Group[] = [];
  /** The bytes below the next shape, by column. */
  private base = new Float64Array();
  /** Thin blocks that wait to be drawn together: all of them, the columns that they cover, and the
   *  changes of their bytes from column to column. */
  private waiting = { first: -1, last: -1, colour: 0, bytes: 0, from: 0, to: 0 };
  private thin = new Float64Array();

  constructor(private readonly blocks: BlockList, private readonly colours: Uint8Array) {}

  draw(view: BandsView, places: BlockPlaces, history: MomentsOfBands): void {
    this.view = view;
    this.groups = [];
    this.counts = { alone: 0, merged: 0, tooShort: 0 };
    const { columns, rows } = view;
    if (this.owners.length !== columns * rows) this.owners = new Int32Array(columns * rows);
    else this.owners.fill(nobody);
    this.base = new Float64Array(columns);
    this.thin = new Float64Array(columns + 1);
    this.waiting = { first: -1, last: -1, colour: 0, bytes: 0, from: columns, to: 0 };
    this.chooseMoments(history);
    this.drawBlocks(places);
    this.drawOthers();
  }

  groupOf(owner: number): Group {
    return this.groups[-2 - owner]!;
  }

  /** The blocks of a merged shape in this column. */
  membersAt(group: Group, column: number, { begin, end }: BlockPlaces): number[] {
    const at = this.shown[column]!;
    const members: number[] = [];
    for (let i = group.first; i <= group.last; ++i)
      if (begin[i]! <= at && end[i]! > at && this.blocks.size[i]! < this.view.perRow) members.push(i);
    return members;
  }

  private chooseMoments({ xs, allocated }: MomentsOfBands): void {
    const { columns, left, perColumn } = this.view;
    this.shown = new Float64Array(columns);
    this.moments = new Uint32Array(columns);
    let next = firstAbove(xs, left);
    for (let column = 0; column < columns; ++column) {
      const end = left + (column + 1) * perColumn;
      let best = Math.max(0, next - 1);
      let at = left + column * perColumn;
      for (; next < xs.length && xs[next]! < end; ++next)
        if (allocated[next]! > allocated[best]!) {
          best = next;
          at = xs[next]!;
        }
      this.shown[column] = at;
      this.moments[column] = best;
    }
  }

  private drawBlocks({ begin, end }: BlockPlaces): void {
    const { columns, left, perColumn, perRow } = this.view;
    const { shown, counts } = this;
    const { size } = this.blocks;
    const right = left + columns * perColumn;
    const scale = 1 / perColumn;
    const past = firstAbove(begin, right);
    for (let i = 0; i < past; ++i) {
      const from = begin[i]!;
      const to = end[i]!;
      if (to <= left) continue;
      let first = from <= left ? 0 : Math.min(columns - 1, ((from - left) * scale) | 0);
      if (shown[first]! < from) ++first;
      if (first === columns || shown[first]! >= to) {
        ++counts.tooShort;
        continue;
      }
      let last = to >= right ? columns : Math.min(columns, ((to - left) * scale) | 0);
      if (last < columns && shown[last]! < to) ++last;
      if (size[i]! < perRow) {
        ++counts.merged;
        this.addThin(i, first, last);
      } else {
        ++counts.alone;
        if (this.waiting.bytes >= perRow) this.drawWaiting();
        this.drawBlock(i, size[i]!, first, last);
      }
    }
    this.drawWaiting();
  }

  /** The block waits for others that are drawn with it. */
  private addThin(block: number, first: number, last: number): void {
    const { waiting, thin } = this;
    const bytes = this.blocks.size[block]!;
    if (waiting.first >= 0 && waiting.colour !== this.colours[block]) {
      if (waiting.bytes >= leastRowsOfColour * this.view.perRow) this.drawWaiting();
      else waiting.colour = severalColours;
    }
    if (waiting.first < 0) {
      waiting.first = block;
      waiting.colour = this.colours[block]!;
    }
    waiting.last = block;
    waiting.bytes += bytes;
    if (first < waiting.from) waiting.from = first;
    if (last > waiting.to) waiting.to = last;
    thin[first]! += bytes;
    thin[last]! -= bytes;
  }

  private drawWaiting(): void {
    const { waiting, thin } = this;
    if (waiting.first < 0) return;
    const owner = -2 - this.groups.length;
    this.groups.push({ first: waiting.first, last: waiting.last, colour: waiting.colour });
    let bytes = 0;
    for (let column = waiting.from; column < waiting.to; ++column) {
      bytes += thin[column]!;
      thin[column] = 0;
      if (bytes > 0) this.fill(column, bytes, owner);
    }
    thin[waiting.to] = 0;
    waiting.first = -1;
    waiting.bytes = 0;
    waiting.from = this.view.columns;
    waiting.to = 0;
  }

  private drawBlock(block: number, bytes: number, first: number, last: number): void {
    const { base, owners } = this;
    const { bottom, perRow, rows } = this.view;
    for (let column = first; column < last; ++column) {
      const below = base[column]!;
      base[column] = below + bytes;
      const low = Math.round((below - bottom) / perRow);
      const high = Math.round((below + bytes - bottom) / perRow);
      if (high <= 0 || low >= rows) continue;
      const start = column * rows;
      const stop = start + (high < rows ? high : rows);
      for (let at = start + (low > 0 ? low : 0); at < stop; ++at) owners[at] = block + 1;
    }
  }

  private drawOthers(): void {
    const { bytes } = this.blocks.others;
    if (bytes.length === 0) return;
    for (let column = 0; column < this.view.columns; ++column)
      if (bytes[this.moments[column]!]! > 0)
        this.fill(column, bytes[this.moments[column]!]!, others);
  }

  private fill(column: number, bytes: number, owner: number): void {
    const { bottom, perRow, rows } = this.view;
    const below = this.base[column]!;
    this.base[column] = below + bytes;
    const low = Math.max(0, Math.round((below - bottom) / perRow));
    const high = Math.min(rows, Math.round((below + bytes - bottom) / perRow));
    if (low < high) this.owners.fill(owner, column * rows + low, column * rows + high);
  }
}
