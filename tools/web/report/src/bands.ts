// Bands: each block as a shape over time, in pixels. A shape lasts as long as its block and is as
// high as the block is large. It lies on the shapes of the older blocks, so it moves down when one
// of them is freed. A column of pixels shows the moment in it at which most is allocated; blocks
// that come and go between two such moments are not drawn. Blocks thinner than a pixel are drawn
// together with the thin ones that were handed out next to them, as one merged shape.
//
// Blocks are taken in parts, in the order in which they were handed out. Columns in which a whole
// part lies below or above the picture only add its bytes up, so that zoomed heights cost no more
// than all of them.
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

/** So many blocks are a part. */
const partLength = 1024;
/** A merged shape of one colour is at least so many pixels high, so that stripes can be told apart. */
const leastRowsOfColour = 3;

export class Bands {
  view: BandsView = { columns: 0, rows: 0, left: 0, perColumn: 1, bottom: 0, perRow: 1 };
  counts: BandCounts = { alone: 0, merged: 0, tooShort: 0 };
  /** How often a shape was put into a column: the work of drawing. */
  filled = 0;
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
  /** The columns of each block of a part: from the first to before the last, none where equal. */
  private readonly firsts = new Int32Array(partLength);
  private readonly lasts = new Int32Array(partLength);
  /** The picture may have blocks below or above it. */
  private hidesHeights = false;
  /** The changes of a part's bytes from column to column, and those that are for columns in which
   *  the part cannot be seen. */
  private changes = new Float64Array();
  private hidden = new Float64Array();
  /** By column: itself if the part can be seen in it, otherwise the next such column, and the one
   *  before. */
  private seen = new Int32Array();
  private seenBefore = new Int32Array();
  /** The columns of the part. */
  private part = { from: 0, to: 0 };

  constructor(private readonly blocks: BlockList, private readonly colours: Uint8Array) {}

  draw(view: BandsView, places: BlockPlaces, history: MomentsOfBands): void {
    this.view = view;
    this.groups = [];
    this.counts = { alone: 0, merged: 0, tooShort: 0 };
    this.filled = 0;
    const { columns, rows } = view;
    if (this.owners.length !== columns * rows) this.owners = new Int32Array(columns * rows);
    else this.owners.fill(nobody);
    this.base = new Float64Array(columns);
    this.thin = new Float64Array(columns + 1);
    this.changes = new Float64Array(columns + 1);
    this.hidden = new Float64Array(columns + 1);
    this.seen = new Int32Array(columns + 1);
    this.seenBefore = new Int32Array(columns);
    this.waiting = { first: -1, last: -1, colour: 0, bytes: 0, from: columns, to: 0 };
    this.chooseMoments(history);
    this.hidesHeights = this.view.bottom > 0 || this.highest(history) > rows * view.perRow;
    for (let column = 0; column <= columns; ++column) this.seen[column] = column;
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

  /** The most bytes that a column shows. */
  private highest({ allocated }: MomentsOfBands): number {
    return this.moments.reduce((most, moment) => Math.max(most, allocated[moment]!), 0);
  }

  private drawBlocks(places: BlockPlaces): void {
    const { columns, left, perColumn } = this.view;
    const past = firstAbove(places.begin, left + columns * perColumn);
    for (let from = 0; from < past; from += partLength) {
      const to = Math.min(past, from + partLength);
      this.placePart(from, to, places);
      if (!this.hidesHeights || this.findSeenColumns()) this.drawPart(from, to);
      else this.addToBase(this.changes, () => true);
    }
    this.drawWaiting();
  }

  /** Finds the columns of a part's blocks and of the whole part, and the changes of its bytes. */
  private placePart(part: number, past: number, { begin, end }: BlockPlaces): void {
    const { columns, left, perColumn, perRow } = this.view;
    const { shown, firsts, lasts, changes, hidesHeights } = this;
    const { size } = this.blocks;
    const right = left + columns * perColumn;
    const scale = 1 / perColumn;
    let [leftmost, rightmost] = [columns, 0];
    let [alone, merged, tooShort] = [0, 0, 0];
    for (let i = part; i < past; ++i) {
      const from = begin[i]!;
      const to = end[i]!;
      lasts[i - part] = -1;
      if (to <= left) continue;
      let first = from <= left ? 0 : Math.min(columns - 1, ((from - left) * scale) | 0);
      if (shown[first]! < from) ++first;
      if (first === columns || shown[first]! >= to) {
        ++tooShort;
        continue;
      }
      let last = to >= right ? columns : Math.min(columns, ((to - left) * scale) | 0);
      if (last < columns && shown[last]! < to) ++last;
      if (size[i]! < perRow) ++merged;
      else ++alone;
      firsts[i - part] = first;
      lasts[i - part] = last;
      if (!hidesHeights) continue;
      changes[first]! += size[i]!;
      changes[last]! -= size[i]!;
      if (first < leftmost) leftmost = first;
      if (last > rightmost) rightmost = last;
    }
    this.part = { from: leftmost, to: rightmost };
    this.counts.alone += alone;
    this.counts.merged += merged;
    this.counts.tooShort += tooShort;
  }

  /** Finds the columns in which a block of the part may be seen; false where there is none. */
  private findSeenColumns(): boolean {
    const { base, seen, seenBefore, changes, waiting, part: { from, to } } = this;
    const { bottom, perRow, rows, columns } = this.view;
    const top = bottom + rows * perRow;
    let bytes = waiting.bytes;
    let before = -1;
    for (let column = from; column < to; ++column) {
      bytes += changes[column]!;
      const below = base[column]!;
      if (below < top && below + bytes > bottom) before = column;
      seenBefore[column] = before;
    }
    let next = columns;
    seen[to] = columns;
    for (let column = to - 1; column >= from; --column) {
      if (seenBefore[column] === column) next = column;
      seen[column] = next;
    }
    return before >= 0;
  }

  private drawPart(part: number, past: number): void {
    const { firsts, lasts, seen, seenBefore, waiting, hidesHeights } = this;
    const { perRow } = this.view;
    const { size } = this.blocks;
    for (let i = part; i < past; ++i) {
      let last = lasts[i - part]!;
      if (last < 0) continue;
      let first = firsts[i - part]!;
      const bytes = size[i]!;
      if (hidesHeights) {
        const from = seen[first]!;
        const to = seenBefore[last - 1]! + 1;
        const isMerged = from < to && bytes < perRow;
        this.hide(bytes, first, isMerged ? from : last);
        if (isMerged) this.hide(bytes, to, last);
        if (from >= to) continue;
        first = from;
        last = to;
      }
      if (bytes < perRow) {
        this.addThin(i, first, last);
      } else {
        if (waiting.bytes >= perRow) this.drawWaiting();
        this.drawBlock(i, bytes, first, last);
      }
    }
    if (!hidesHeights) return;
    this.changes.fill(0, this.part.from, this.part.to + 1);
    this.addToBase(this.hidden, (column) => seen[column] !== column);
  }

  /** Adds the bytes of a block to columns in which its part cannot be seen. */
  private hide(bytes: number, first: number, last: number): void {
    this.hidden[first]! += bytes;
    this.hidden[last]! -= bytes;
  }

  /** Adds the bytes of a part to the columns for which that holds. */
  private addToBase(changes: Float64Array, holds: (column: number) => boolean): void {
    const { base, part: { from, to } } = this;
    let bytes = 0;
    for (let column = from; column < to; ++column) {
      bytes += changes[column]!;
      if (holds(column)) base[column]! += bytes;
    }
    changes.fill(0, from, to + 1);
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
    this.filled += waiting.to - waiting.from;
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
    const { base, owners, seen } = this;
    const { bottom, perRow, rows } = this.view;
    let filled = 0;
    for (let column = first; column < last; column = seen[column + 1]!) {
      ++filled;
      const below = base[column]!;
      base[column] = below + bytes;
      const low = Math.round((below - bottom) / perRow);
      const high = Math.round((below + bytes - bottom) / perRow);
      if (high <= 0 || low >= rows) continue;
      const start = column * rows;
      const stop = start + (high < rows ? high : rows);
      for (let at = start + (low > 0 ? low : 0); at < stop; ++at) owners[at] = block + 1;
    }
    this.filled += filled;
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
    if (below + bytes <= bottom) return;
    const low = Math.max(0, Math.round((below - bottom) / perRow));
    const high = Math.min(rows, Math.round((below + bytes - bottom) / perRow));
    const stop = column * rows + high;
    for (let at = column * rows + low; at < stop; ++at) this.owners[at] = owner;
  }
}
