// The code of a WebAssembly module, with numbers of one kind beside each other: all opcodes, then all
// local variables, all addresses, all constants. LZMA packs it a tenth smaller that way. Used where the
// page is made and where it is opened; both walk through the code alike.

/** Kinds of numbers, each with bytes of its own. */
const opcodes = 0;
const sizes = 1;
const locals = 2;
const places = 3;
const constants = 4;
const longConstants = 5;
const calls = 6;
const labels = 7;
const types = 8;
const alignments = 9;
const others = 10;
const kinds = 11;

/** The alignment that is usual at each access to memory, as a power of two: from 0x28 on. */
const usual = "23230011001122232301012";

/**
 * Moves a number on, and returns it: so many bytes, or as LEB128 where that is 0. Bits that are in the
 * mask change on the way.
 */
type Move = (kind: number, bytes: number, mask?: number) => number;

/** One instruction with what follows its opcode. */
function moveInstruction(move: Move): void {
  const opcode = move(opcodes, 1);
  const several = (kind: number, count: number) => {
    for (let i = 0; i < count; ++i) move(kind, 0);
  };
  if (opcode === 0x0e) several(labels, move(labels, 0) + 1);
  else if ([0x09, 0x0c, 0x0d, 0x18].includes(opcode)) move(labels, 0);
  else if (opcode === 0x10) move(calls, 0);
  else if (opcode >= 0x20 && opcode <= 0x22) move(locals, 0);
  else if (opcode >= 0x28 && opcode <= 0x3e) {
    move(alignments, 1, Number(usual[opcode - 0x28]));
    move(places, 0);
  } else if (opcode === 0x41) move(constants, 0);
  else if (opcode === 0x42) move(longConstants, 0);
  else if (opcode === 0x43 || opcode === 0x44) move(others, opcode === 0x43 ? 4 : 8);
  else if (opcode === 0xfc) {
    const further = move(others, 0);
    several(others, further < 8 ? 0 : further % 2 === 0 ? 2 : 1);
  } else if (opcode === 0x11) several(types, 2);
  else if (opcode >= 0x02 && opcode <= 0x08 && opcode !== 0x05) move(types, 0);
  else if ((opcode >= 0x23 && opcode <= 0x26) || [0x3f, 0x40, 0xd0, 0xd2].includes(opcode)) move(others, 0);
}

/** `at` is how much was moved so far. */
function moveCode(move: Move, at: () => number): void {
  for (let functions = move(sizes, 0); functions > 0; --functions) {
    const size = move(sizes, 0);
    const end = at() + size;
    for (let runs = move(sizes, 0); runs > 0; --runs) {
      move(sizes, 0);
      move(sizes, 1);
    }
    while (at() < end) moveInstruction(move);
  }
}

/** A source that gives its bytes one after the other. */
class Reader {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  /** Gives each byte that a number has to `use`. */
  number(count: number, use: (byte: number) => void, mask = 0): number {
    let value = 0;
    for (let i = 0, byte = 0x80; count > 0 ? i < count : byte >= 0x80; ++i) {
      byte = this.bytes[this.at++]! ^ mask;
      use(byte);
      value += (count > 0 ? byte : byte & 0x7f) * 2 ** (i * 7);
    }
    return value;
  }
}

/** The bytes before the code, the bytes behind it, and the code by kinds. */
export function split(module: Uint8Array): Uint8Array[] {
  const reader = new Reader(module);
  const skipped = () => undefined;
  reader.at = 8;
  let end = 0;
  for (let section = -1; section !== 10;) {
    reader.at = Math.max(reader.at, end);
    section = reader.number(1, skipped);
    const size = reader.number(0, skipped);
    end = reader.at + size;
  }
  const begin = reader.at;
  const found = Array.from({ length: kinds }, () => [] as number[]);
  moveCode((kind, bytes, mask) => reader.number(bytes, (byte) => found[kind]!.push(byte), mask), () => reader.at);
  if (reader.at !== end) throw new Error("the code has instructions that are not known here");
  return [module.subarray(0, begin), module.subarray(end), ...found.map((bytes) => Uint8Array.from(bytes))];
}

/** The module again. */
export function joined([before, behind, ...code]: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const readers = code.map((bytes) => new Reader(bytes));
  const length = [before!, behind!, ...code].reduce((sum, bytes) => sum + bytes.length, 0);
  const module = new Uint8Array(length);
  module.set(before!);
  module.set(behind!, length - behind!.length);
  let at = before!.length;
  const add = (byte: number) => {
    module[at++] = byte;
  };
  moveCode((kind, bytes, mask) => readers[kind]!.number(bytes, add, mask), () => at);
  return module;
}
