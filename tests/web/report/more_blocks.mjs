// A page of a report whose list of blocks is another one, so that the page can be measured with
// more blocks than vramlab gives it.
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const runOfPage = /(<script type="application\/octet-stream" class="run">)([^<]*)(<\/script>)/;

/** As packed_parts.h packs numbers. */
class Packer {
  #bytes = [];
  add(number) {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.#bytes.push((rest % 128) | 0x80);
    this.#bytes.push(rest);
  }
  addSigned(number) {
    this.add(number < 0 ? -2 * number - 1 : 2 * number);
  }
  get bytes() {
    return Buffer.from(this.#bytes);
  }
}

/** Calls `use` with the JSON of a page's run and a function that appends a section to its bytes. */
export function changeRun(page, output, use) {
  const html = readFileSync(page, "utf8");
  const all = gunzipSync(Buffer.from(runOfPage.exec(html)[2], "base64"));
  const length = all.readUInt32LE(0);
  const json = JSON.parse(all.subarray(4, 4 + length).toString());
  const parts = [all.subarray(4 + length)];
  let size = parts[0].length;
  use(json, (numbers, isColumn) => {
    const packer = new Packer();
    let before = 0;
    for (const number of numbers) {
      if (isColumn) packer.addSigned(number - before);
      else packer.add(number);
      before = number;
    }
    const { bytes } = packer;
    const section = [size, bytes.length, numbers.length];
    parts.push(bytes);
    size += bytes.length;
    return section;
  });
  const text = Buffer.from(JSON.stringify(json));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(text.length);
  const packed = gzipSync(Buffer.concat([head, text, ...parts])).toString("base64");
  writeFileSync(output, html.replace(runOfPage, (_, begin, __, end) => begin + packed + end));
}

/** Gives the first device of a page this many blocks: of an iteration's hundreds of blocks, most
 *  live for a part of it, the first ones to the end. With a share of the history each lives for at
 *  most that; with others the page does not hold so many more one by one. */
export function withBlocks(page, output, count, { longestShare = 0, others = 0 } = {}) {
  changeRun(page, output, (json, section) => {
    const [device] = json.devices;
    const steps = device.last.step;
    let seed = 7;
    const below = (end) => (seed = (seed * 48271) % 2147483647) % end;
    const [begin, lasts, size, stack] = [[], [], [], []];
    const wanted = device.peak_allocated.allocated / 600;
    for (let i = 0; i < count; ++i) {
      begin.push(Math.floor(i * steps / count));
      if (longestShare > 0) {
        lasts.push(2 + below(Math.floor(steps * longestShare)));
        size.push(512 * (1 + below(Math.floor(2 * device.peak_allocated.allocated / (512 * count * longestShare / 2)))));
      } else {
        lasts.push(i < 200 ? 0 : 2 + below(i % 10 === 0 ? 4000 : 400));
        size.push(512 * Math.max(1, Math.round(wanted * (i % 5 === 0 ? 3 : 0.1 + below(100) / 200) / 512)));
      }
      stack.push(below(json.stacks.nodes[2]));
    }
    const moments = device.moments.step[2];
    device.blocks = {
      total: count + others, largest_other: others === 0 ? 0 : 4096, begin: section(begin, true),
      lasts: section(lasts), size: section(size), stack: section(stack),
      others: others === 0 ? null : section(Array(moments).fill(others), true) };
  });
}
