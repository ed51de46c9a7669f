// States of the blocks at the steps that the page holds. A state is the number of removed blocks
// and their addresses, then the number of new ones, each with address, size, life * 3 + use, and
// unless it is free: size - requested, steps since it was handed out, node of its stack, and the
// number of its holder where kinds are known. Addresses are distances from the one before. A whole state stands alone.
import { ByteReader, columnOf, type Section } from "./bytes";

export interface Life {
  number: number;
  base: number;
  size: number;
  stream: number;
  isLarge: boolean;
  isExpandable: boolean;
  pool: string;
  begin: number;
}

export type Use = "live" | "waiting" | "free";
const uses: Use[] = ["live", "waiting", "free"];

export interface Block {
  address: number;
  size: number;
  life: Life;
  use: Use;
  requested: number;
  /** The step that handed it out; 0 where it was there at the beginning. */
  since: number;
  stack: number;
  /** The number of its holder among those of the device; 0 where nobody knows what blocks hold. */
  holder: number;
}

type Blocks = Map<number, Block>;

export class StateReader {
  readonly steps: Float64Array;
  readonly times: Float64Array;
  private readonly offsets: Float64Array;
  private readonly isWhole: Float64Array;
  private at = -1;
  private blocks: Blocks = new Map();
  private sorted: Block[] | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    sections: Record<"step" | "time_us" | "offset" | "is_whole" | "bytes", Section>,
    private readonly lives: Life[],
    private readonly hasHolders: boolean,
  ) {
    this.steps = columnOf(bytes, sections.step);
    this.times = columnOf(bytes, sections.time_us);
    this.offsets = columnOf(bytes, sections.offset).map((offset) => offset + sections.bytes[0]);
    this.isWhole = columnOf(bytes, sections.is_whole);
  }

  get count(): number {
    return this.steps.length;
  }

  /** By ascending address; valid until the next call. */
  stateAt(index: number): Block[] {
    if (index !== this.at) this.goTo(index);
    this.sorted ??= [...this.blocks.values()].sort((a, b) => a.address - b.address);
    return this.sorted;
  }

  private goTo(index: number): void {
    let from = index;
    // Forwards from where it is, or from the last whole state.
    while (from > 0 && this.isWhole[from] === 0 && from !== this.at + 1) --from;
    for (let i = from; i <= index; ++i) this.apply(i);
    this.at = index;
    this.sorted = null;
  }

  private apply(index: number): void {
    if (this.isWhole[index] !== 0) this.blocks.clear();
    const reader = new ByteReader(this.bytes, this.offsets[index]!);
    let address = 0;
    for (let left = reader.next(); left > 0; --left)
      this.blocks.delete((address += reader.nextSigned()));
    for (let left = reader.next(); left > 0; --left) {
      address += reader.nextSigned();
      const size = reader.next();
      const lifeAndUse = reader.next();
      const use = uses[lifeAndUse % 3]!;
      const block: Block = {
        address, size, use, life: this.lives[Math.floor(lifeAndUse / 3)]!,
        requested: 0, since: 0, stack: 0, holder: 0,
      };
      if (use !== "free") {
        block.requested = size - reader.nextSigned();
        block.since = this.steps[index]! - reader.nextSigned();
        block.stack = reader.next();
        if (this.hasHolders) block.holder = reader.next();
      }
      this.blocks.set(address, block);
    }
  }
}

/** The first of ascending numbers that is above `value`; their count where none is. */
export function firstAbove(numbers: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The last of ascending numbers that is not above `value`; 0 where all are. */
export function lastNotAbove(numbers: ArrayLike<number>, value: number): number {
  return Math.max(0, firstAbove(numbers, value) - 1);
}
