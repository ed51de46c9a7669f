// Files that are cut, damaged or something else: the page says what the native program says, and
// never ends in the middle. $VRAMLAB_PAGE_INPUTS names folders with more of them (README.md).
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { extremes } from "./extremes.mjs";
import { newProgram, runNative, runNativeOrThrow } from "./program.mjs";

const samples = new URL("../../../traces/samples/", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "vramlab-hostile-"));
after(() => rmSync(folder, { recursive: true }));

function madeIn(name, ...words) {
  runNativeOrThrow([...words, "-o", join(folder, name)], folder);
  return readFileSync(join(folder, name));
}

/** splitmix64, as the tests in C++ draw their numbers. */
function* numbers(seed) {
  const mask = (1n << 64n) - 1n;
  for (let state = BigInt(seed); ;) {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let mixed = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask;
    yield Number((mixed ^ (mixed >> 31n)) >> 11n);
  }
}

function* damaged(bytes, count, seed) {
  const random = numbers(seed);
  const below = (end) => random.next().value % end;
  for (let i = 0; i < count; ++i) {
    if (i % 4 === 0) {
      yield bytes.subarray(0, below(bytes.length));
      continue;
    }
    const copy = Buffer.from(bytes);
    for (let changes = 1 + below(4); changes > 0; --changes) copy[below(copy.length)] = below(256);
    // Numbers that are much too large are where 32 bits are not enough.
    if (i % 4 === 1) copy.fill(0xff, below(copy.length - 9)).subarray(0, 8);
    yield copy;
  }
}

const small = join(samples, "missing_record_stream.vtrace.jsonl");
const kinds = {
  "text.vtrace.jsonl": () => readFileSync(small),
  "binary.vtrace": () => madeIn("binary.vtrace", "convert", small),
  "snapshot.json": () => snapshot("snapshot.json"),
  "snapshot.pickle": () => snapshot("snapshot.pickle"),
  "packed.gz": () => readFileSync(join(samples, "gpt_training.pickle.gz")).subarray(0, 20_000),
};
function snapshot(name) {
  runNativeOrThrow(["replay", small, "-q", "--snapshot-out", join(folder, name), "--history", "100", "--force"],
                   folder);
  return readFileSync(join(folder, name));
}

/** Asks both programs about a file in the folder; how many answers were refusals is returned. */
function ask(program, name, from = folder) {
  program.add(join(from, name));
  let refused = 0;
  for (const words of [["info", name, "--json"], ["verify", name, "--json"], ["replay", name, "--json"]]) {
    const wanted = runNative(words, from);
    const found = program.run(words);
    assert.deepEqual([found.status, found.errors.toString()], [wanted.status, wanted.errors.toString()],
                     `${words.join(" ")} in ${from}`);
    assert.ok(found.output.equals(wanted.output), words.join(" "));
    if (found.status !== 0) ++refused;
  }
  program.files.unlink(`/${name}`);
  return refused;
}

for (const [name, make] of Object.entries(kinds)) {
  test(`damaged files like ${name} are refused in the same words`, async () => {
    const program = await newProgram();
    for (const bytes of damaged(make(), Number(process.env.VRAMLAB_PAGE_DAMAGES ?? 100), 7)) {
      writeFileSync(join(folder, name), bytes);
      ask(program, name);
    }
  });
}

for (const [name, make] of Object.entries(extremes)) {
  test(`the same is said of ${name}`, async () => {
    writeFileSync(join(folder, "extreme"), make(madeIn));
    const program = await newProgram();
    assert.ok(ask(program, "extreme") > 0, "nothing of it was refused");
    // The input before, which was refused, does not show in the next answers.
    snapshot("good.pickle");
    assert.equal(ask(program, "good.pickle"), 0);
  });
}

for (const place of (process.env.VRAMLAB_PAGE_INPUTS ?? "").split(":").filter(Boolean)) {
  test(`the same is said of the inputs in ${place}`, async (context) => {
    const program = await newProgram();
    const names = readdirSync(place).filter((name) => statSync(join(place, name)).isFile());
    let refused = 0;
    for (const name of names) refused += ask(program, name, place) > 0 ? 1 : 0;
    context.diagnostic(`${names.length} inputs, ${refused} of them refused`);
  });
}
