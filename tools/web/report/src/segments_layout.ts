// The places where segments and their blocks are drawn: pool by pool and stream by stream, in order
// of address, each run of blocks as long as it is large. A run that does not fit in a row goes on
// in the next.
import type { Block, Life } from "./states";

/** A part of a run of blocks, in one row. */
export interface Piece {
  life: Life;
  /** All of the run. */
  blocks: Block[];
  /** Offset of the piece's first byte in the run, and how many it has. */
  begin: number;
  bytes: number;
  left: number;
  top: number;
  width: number;
}
export interface Heading {
  text: string;
  top: number;
}

export const rowHeight = 18;
const rowGap = 4;
const headingHeight = 20;
const segmentGap = 2;
const leastWidth = 3;

interface BlockRun {
  heading: string;
  life: Life;
  blocks: Block[];
}

/** `most`: how many bytes there ever are. */
export function layOut(blocks: Block[], width: number, most: number):
  { pieces: Piece[]; headings: Heading[] } {
  const runs = runsOf(blocks);
  const rows = Math.max(4, Math.min(16, Math.ceil(runs.length / 12)));
  const scale = width * rows / most;
  const pieces: Piece[] = [];
  const headings: Heading[] = [];
  let top = -rowGap;
  let left = 0;
  let heading = "";
  for (const run of runs) {
    if (run.heading !== heading) {
      heading = run.heading;
      if (pieces.length > 0) top += rowHeight + rowGap;
      top = Math.max(0, top + rowGap);
      headings.push({ text: heading, top });
      top += headingHeight;
      left = 0;
    }
    const last = run.blocks.at(-1)!;
    let rest = last.address + last.size - run.blocks[0]!.address;
    // Less than a byte is what rounding leaves.
    for (let begin = 0; rest >= 1;) {
      const wanted = Math.max(leastWidth, rest * scale);
      if (width - left < leastWidth) {
        left = 0;
        top += rowHeight + rowGap;
      }
      const wide = Math.min(wanted, width - left);
      const bytes = wide >= wanted ? rest : wide / scale;
      pieces.push({ life: run.life, blocks: run.blocks, begin, bytes, left, top, width: wide });
      begin += bytes;
      rest -= bytes;
      left += wide + segmentGap;
    }
  }
  return { pieces, headings };
}

/** Runs of blocks without a gap, by pool. */
function runsOf(blocks: Block[]): BlockRun[] {
  const byHeading = new Map<string, BlockRun[]>();
  let last: BlockRun | null = null;
  let end = -1;
  for (const block of blocks) {
    if (last && last.life === block.life && end === block.address) {
      last.blocks.push(block);
    } else {
      const heading = `${poolText(block.life)}, stream ${block.life.stream}`;
      last = { heading, life: block.life, blocks: [block] };
      const runs = byHeading.get(heading);
      if (runs) runs.push(last);
      else byHeading.set(heading, [last]);
    }
    end = block.address + block.size;
  }
  return [...byHeading.keys()].sort(compareHeadings).flatMap((heading) => byHeading.get(heading)!);
}

export function poolText(life: Life): string {
  const half = life.isLarge ? "large" : "small";
  return `${life.pool === "default" ? half : `${half} of pool ${life.pool}`}` +
    (life.isExpandable ? ", expandable" : "");
}

const inOrder = new Intl.Collator("en", { numeric: true });
function compareHeadings(a: string, b: string): number {
  return inOrder.compare(a, b);
}

/** The first block that reaches beyond the address; their count where none does. */
export function firstReaching(blocks: Block[], address: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.address + blocks[middle]!.size > address) high = middle;
    else low = middle + 1;
  }
  return low;
}
