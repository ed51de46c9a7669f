// The blocks that the page holds one by one, from their request to their free: the largest of a
// history, in the order in which they were handed out (replay/html_report/report_blocks.h).
import { ByteReader, columnOf, type Section } from "./bytes";
import { firstAbove } from "./states";

export interface BlocksJson {
  total: number;
  largest_other: number;
  begin: Section;
  lasts: Section;
  size: Section;
  stack: Section;
  /** Null where all blocks are in the list. */
  others: Section | null;
}

export interface BlockList {
  /** The number of blocks of the whole history. */
  total: number;
  /** The size of the largest block that is not in the list. */
  largestOther: number;
  /** The step that handed the block out, and the one that gave it back: infinite where none did. */
  begin: Float64Array;
  end: Float64Array;
  size: Float64Array;
  stack: Uint32Array;
  /** The blocks in use that are not in the list, by moment; empty where all are in it. */
  others: { count: Float64Array; bytes: Float64Array };
}

/** Steps of the moments, and what is allocated then. */
export interface AllocatedOverTime { step: Float64Array; allocated: Float64Array }

export function readBlocks(bytes: Uint8Array, json: BlocksJson, moments: AllocatedOverTime):
  BlockList {
  const begin = columnOf(bytes, json.begin);
  const end = new Float64Array(begin.length);
  const size = new Float64Array(begin.length);
  const stack = new Uint32Array(begin.length);
  const [lasts, sizes, stacks] = [json.lasts, json.size, json.stack].map(
    ([at]) => new ByteReader(bytes, at)) as [ByteReader, ByteReader, ByteReader];
  for (let i = 0; i < begin.length; ++i) {
    const steps = lasts.next();
    end[i] = steps === 0 ? Infinity : begin[i]! + steps - 1;
    size[i] = sizes.next();
    stack[i] = stacks.next();
  }
  const list: BlockList = {
    total: json.total, largestOther: json.largest_other, begin, end, size, stack,
    others: { count: new Float64Array(), bytes: new Float64Array() },
  };
  if (json.others)
    list.others = { count: columnOf(bytes, json.others), bytes: bytesOfOthers(list, moments) };
  return list;
}

/** The part of the allocated memory that no block of the list explains. */
function bytesOfOthers({ begin, end, size }: BlockList, { step, allocated }: AllocatedOverTime):
  Float64Array {
  const changes = new Float64Array(step.length + 1);
  const momentFrom = (at: number) => firstAbove(step, at - 1);
  for (let i = 0; i < begin.length; ++i) {
    changes[momentFrom(begin[i]!)]! += size[i]!;
    if (end[i] !== Infinity) changes[momentFrom(end[i]!)]! -= size[i]!;
  }
  let held = 0;
  return allocated.map((bytes, i) => Math.max(0, bytes - (held += changes[i]!)));
}
