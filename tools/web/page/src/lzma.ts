// Unpacks what `xz --format=lzma` packs, which takes three quarters of gzip's room. Browsers unpack
// gzip alone by themselves, and the page is opened far more often than it is built.

const minimalBits = 11;
const topOfRange = 2 ** 24;
const half = 1 << (minimalBits - 1);
const adaptation = 5;

class RangeDecoder {
  private range = 0xffffffff;
  private code = 0;

  /** `at` is behind the header; the first byte of the stream is always 0. */
  constructor(private readonly bytes: Uint8Array, private at: number) {
    for (let i = 0; i < 5; ++i) this.code = ((this.code << 8) | this.next()) >>> 0;
  }

  private next(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error("the packed program ends early");
    return byte;
  }

  private normalize(): void {
    if (this.range >= topOfRange) return;
    this.range = (this.range << 8) >>> 0;
    this.code = ((this.code << 8) | this.next()) >>> 0;
  }

  bit(probabilities: Uint16Array, index: number): number {
    const probability = probabilities[index]!;
    const bound = (this.range >>> minimalBits) * probability;
    let bit = 0;
    if (this.code < bound) {
      this.range = bound;
      probabilities[index] = probability + (((1 << minimalBits) - probability) >> adaptation);
    } else {
      this.range -= bound;
      this.code -= bound;
      probabilities[index] = probability - (probability >> adaptation);
      bit = 1;
    }
    this.normalize();
    return bit;
  }

  /** Bits of equal probability, the highest first. */
  direct(count: number): number {
    let value = 0;
    for (let i = 0; i < count; ++i) {
      this.range >>>= 1;
      const bit = this.code >= this.range ? 1 : 0;
      if (bit) this.code -= this.range;
      value = value * 2 + bit;
      this.normalize();
    }
    return value;
  }

  /** A number of so many bits, the highest first. */
  tree(probabilities: Uint16Array, from: number, bits: number): number {
    let node = 1;
    for (let i = 0; i < bits; ++i) node = (node << 1) | this.bit(probabilities, from + node);
    return node - (1 << bits);
  }

  /** The same, the lowest first. */
  reversed(probabilities: Uint16Array, from: number, bits: number): number {
    let node = 1;
    let value = 0;
    for (let i = 0; i < bits; ++i) {
      const bit = this.bit(probabilities, from + node);
      node = (node << 1) | bit;
      value |= bit << i;
    }
    return value;
  }
}

const fresh = (count: number) => new Uint16Array(count).fill(half);

/** The length of a match: three trees, chosen by two bits. */
class LengthDecoder {
  private readonly choice = fresh(2);
  private readonly low = fresh(16 * 8);
  private readonly middle = fresh(16 * 8);
  private readonly high = fresh(256);

  next(decoder: RangeDecoder, position: number): number {
    if (decoder.bit(this.choice, 0) === 0) return 2 + decoder.tree(this.low, position * 8, 3);
    if (decoder.bit(this.choice, 1) === 0) return 10 + decoder.tree(this.middle, position * 8, 3);
    return 18 + decoder.tree(this.high, 0, 8);
  }
}

class DistanceDecoder {
  private readonly slots = fresh(4 * 64);
  private readonly special = fresh(128);
  private readonly aligned = fresh(16);

  next(decoder: RangeDecoder, length: number): number {
    const slot = decoder.tree(this.slots, Math.min(length - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + decoder.reversed(this.special, base - slot, bits);
    return base + decoder.direct(bits - 4) * 16 + decoder.reversed(this.aligned, 0, 4);
  }
}

export function unpackLzma(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const properties = packed[0]!;
  const contextBits = properties % 9;
  const positionOfLiteral = Math.floor(properties / 9) % 5;
  const positionMask = (1 << Math.floor(properties / 45)) - 1;
  const view = new DataView(packed.buffer, packed.byteOffset);
  // Behind them the size, 64 bits; all ones stand for a size that only the end tells.
  const size = view.getUint32(5, true) + view.getUint32(9, true) * 2 ** 32;
  const output = new Uint8Array(size);
  const decoder = new RangeDecoder(packed, 13);

  const literals = fresh(0x300 << (contextBits + positionOfLiteral));
  const isMatch = fresh(12 * 16);
  const isRepeated = fresh(12);
  const repeatedIsLater = fresh(12);
  const isLong = fresh(12 * 16);
  const isThird = fresh(12);
  const isFourth = fresh(12);
  const matchLength = new LengthDecoder();
  const repeatedLength = new LengthDecoder();
  const distance = new DistanceDecoder();

  let state = 0;
  let last = [0, 0, 0, 0];
  let at = 0;

  const literal = () => {
    const before = at > 0 ? output[at - 1]! : 0;
    const place = ((at & ((1 << positionOfLiteral) - 1)) << contextBits) + (before >> (8 - contextBits));
    const from = 0x300 * place;
    let symbol = 1;
    if (state >= 7) {
      let match = output[at - last[0]! - 1]!;
      while (symbol < 0x100) {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const bit = decoder.bit(literals, from + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | decoder.bit(literals, from + symbol);
    output[at++] = symbol & 0xff;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  const copy = (length: number) => {
    const from = at - last[0]! - 1;
    if (from < 0 || at + length > size) throw new Error("the packed program is damaged");
    for (let i = 0; i < length; ++i) output[at + i] = output[from + i]!;
    at += length;
  };

  while (at < size) {
    const position = at & positionMask;
    if (decoder.bit(isMatch, state * 16 + position) === 0) {
      literal();
      continue;
    }
    if (decoder.bit(isRepeated, state) === 0) {
      const length = matchLength.next(decoder, position);
      last = [distance.next(decoder, length), last[0]!, last[1]!, last[2]!];
      // The mark of an end.
      if (last[0] === 0xffffffff) break;
      state = state < 7 ? 7 : 10;
      copy(length);
      continue;
    }
    if (decoder.bit(repeatedIsLater, state) === 0) {
      if (decoder.bit(isLong, state * 16 + position) === 0) {
        state = state < 7 ? 9 : 11;
        copy(1);
        continue;
      }
    } else if (decoder.bit(isThird, state) === 0) {
      last = [last[1]!, last[0]!, last[2]!, last[3]!];
    } else if (decoder.bit(isFourth, state) === 0) {
      last = [last[2]!, last[0]!, last[1]!, last[3]!];
    } else {
      last = [last[3]!, last[0]!, last[1]!, last[2]!];
    }
    const length = repeatedLength.next(decoder, position);
    state = state < 7 ? 8 : 11;
    copy(length);
  }
  return output;
}
