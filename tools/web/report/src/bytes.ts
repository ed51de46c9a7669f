// Numbers as replay/html_report/packed_parts.h packs them: seven bits a byte, the lowest first; signed ones with
// the sign in the lowest bit; columns as distances from the number before.

export class ByteReader {
  constructor(private readonly bytes: Uint8Array, private at = 0) {}

  /** Exact up to 2^53; addresses and sizes are far below. */
  next(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  nextSigned(): number {
    const bits = this.next();
    return bits % 2 === 0 ? bits / 2 : -(bits + 1) / 2;
  }
}

/** The place of a list of numbers: begin, length in bytes, how many. */
export type Section = [begin: number, length: number, count: number];

export function columnOf(bytes: Uint8Array, section: Section): Float64Array {
  const reader = new ByteReader(bytes, section[0]);
  const numbers = new Float64Array(section[2]);
  let now = 0;
  for (let i = 0; i < numbers.length; ++i) numbers[i] = now += reader.nextSigned();
  return numbers;
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function unpacked(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A run of the page: its JSON, and the bytes that the JSON points to. */
export async function readRun(base64: string): Promise<{ json: unknown; bytes: Uint8Array }> {
  const all = await unpacked(bytesOfBase64(base64));
  const length = new DataView(all.buffer).getUint32(0, true);
  const json: unknown = JSON.parse(new TextDecoder().decode(all.subarray(4, 4 + length)));
  return { json, bytes: all.subarray(4 + length) };
}
