// Files that are too deep, too large or cut where 32 bits and small stacks break: each one by name.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const sample = (name) => readFileSync(new URL(`../../../traces/samples/${name}`, import.meta.url));
const header = '{"format":"vramlab-trace","version":1}\n';
const native = (...lines) => () => header + lines.join("\n") + "\n";
const json = (text) => () => text;
const deep = 1_000_000;

function number(value, bytes) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt.asUintN(64, value));
  return buffer.subarray(0, bytes);
}
const pickle = (...parts) => () =>
  Buffer.concat([Buffer.from([0x80, 4]), ...parts.map((part) => Buffer.from(part))]);
const segments = Buffer.concat([Buffer.from("}\x8c\x08segments", "latin1")]);

/** A binary trace in which a number of 64 bits is another one. */
const binary = (place, value) => (madeIn) => {
  const bytes = Buffer.from(madeIn("binary.vtrace", "convert",
                                   new URL("../../../traces/samples/leak.vtrace", import.meta.url).pathname, "--force"));
  number(value, 8).copy(bytes, place < 0 ? bytes.length + place : place);
  return bytes;
};

/** In a frame of blocks that are not compressed. */
function zstd(bytes) {
  const most = 2 ** 17;
  const blocks = [];
  for (let at = 0; at < bytes.length; at += most) {
    const block = bytes.subarray(at, at + most);
    const isLast = at + most >= bytes.length;
    blocks.push(number(BigInt(block.length * 8 + (isLast ? 1 : 0)), 3), block);
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58]), ...blocks]);
}

const sizes = [2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 32n + 1n, 2n ** 63n, 2n ** 64n - 1n];
const each = (name, values, make) =>
  Object.fromEntries(values.map((value) => [`${name} ${value}`, make(value)]));

export const extremes = {
  "lists in lists in JSON": json("[".repeat(deep)),
  "lists in lists, closed": json(`{"segments":[],"device_traces":[[]],"x":${"[".repeat(deep)}${"]".repeat(deep)}}`),
  "dicts in dicts in JSON": json('{"segments":'.repeat(deep)),
  "lists in lists in a pickle": pickle(Buffer.alloc(deep, "](")),
  "tuples in tuples in a pickle": pickle("(", Buffer.alloc(deep, "("), Buffer.alloc(deep, "t"), "."),
  "lists in lists in a key of a pickle": pickle("}", Buffer.alloc(deep, "]"), Buffer.alloc(deep, "a"), "."),
  "values in values in a native trace": native(`{"value":1,"is":${"[".repeat(deep)}${"]".repeat(deep)}}`),
  "values of values": native(...Array.from({ length: 200 }, (_, i) =>
    `{"value":${i + 1},"is":[${i === 0 ? 0 : `{"$value":${i}},{"$value":${i}}`}]}`)),
  "a number that no double holds": json('{"segments":[{"address":1e999999999,"total_size":1}],"device_traces":[]}'),
  "a number of a million digits": json(`{"segments":[{"address":${"9".repeat(deep)}}],"device_traces":[]}`),
  ...each("a request of", sizes, (size) => native(`{"malloc":1,"bytes":${size}}`, '{"malloc":1,"bytes":1}')),
  "a request beyond 64 bits": native(`{"malloc":1,"bytes":${2n ** 64n}}`),
  ...each("a device", sizes, (size) => native(`{"malloc":1,"bytes":1,"device":${size}}`)),
  ...each("a stack", sizes, (size) => native(`{"malloc":1,"bytes":1,"stack":${size}}`)),
  ...each("a frame", sizes, (size) => native(`{"stack":1,"frames":[${size}]}`)),
  ...each("a place of a block", sizes, (size) => json(
    `{"segments":[{"device":0,"address":${size},"total_size":${size},"stream":0,"segment_type":"small",` +
    `"blocks":[{"size":${size},"state":"inactive"}]}],"device_traces":[[{"action":"alloc","addr":${size},` +
    `"size":${size},"stream":0}, 7]]}`)),
  ...each("as many blocks as", sizes, (size) => native('{"section":"segments"}',
    `{"segment":{"device":0,"address":4096,"total_size":2097152,"stream":0,"segment_type":"small","blocks":${size}}}`)),
  ...each("a text of the length", sizes, (size) => pickle(segments, Buffer.from([0x8d]), number(size, 8), "text")),
  ...each("bytes of the length", sizes, (size) => pickle(segments, Buffer.from([0x8e]), number(size, 8), "text")),
  ...each("a frame of the length", sizes, (size) => pickle(Buffer.from([0x95]), number(size, 8), "}.")),
  "a memo at its end": pickle("}r", number(2n ** 32n - 1n, 4), "j", number(2n ** 32n - 1n, 4), "a."),
  "a number of 2 GiB": pickle(Buffer.from([0x8b]), number(2n ** 31n - 1n, 4), "1."),
  "a number of negative length": pickle(Buffer.from([0x8b]), number(2n ** 31n, 4), "1."),
  ...each("a chunk of the length", sizes, (size) => binary(32 + 8, size)),
  ...each("as many events as", sizes, (size) => binary(32 + 16, size)),
  ...each("a directory at", sizes, (size) => binary(-32, size)),
  ...each("as many chunks as", sizes, (size) => binary(-24, size)),
  ...each("gzip cut after", [3, 10, 11, 1000, 30_000], (count) => () =>
    sample("gpt_training.pickle.gz").subarray(0, count)),
  "gzip with a wrong checksum": () =>
    Buffer.concat([sample("gpt_training.pickle.gz").subarray(0, -8), Buffer.alloc(8)]),
  "gzip in gzip in gzip": () => gzipSync(gzipSync(gzipSync(sample("leak.vtrace")))),
  "64 MiB of spaces in 64 KiB": () => gzipSync(Buffer.alloc(2 ** 26, " ")),
  "64 MiB of open lists in 64 KiB": () => gzipSync(Buffer.alloc(2 ** 26, "[")),
  ...each("zstd cut after", [4, 5, 9, 200, 200_000], (count) => () =>
    zstd(sample("leak.vtrace")).subarray(0, count)),
  ...each("zstd with a window of the exponent", [21, 27, 31], (exponent) => () =>
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (exponent - 10) << 3, 0x01, 0x00, 0x00])),
  "zstd that promises 2^62 bytes": () => Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0]), number(2n ** 62n, 8), Buffer.from([0x01, 0x00, 0x00])]),
  "nothing": json(""),
};
