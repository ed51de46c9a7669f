// The page gives the native program's bytes: each command on each recording, both ways.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { newProgram, runNative } from "./program.mjs";

const samples = new URL("../../../traces/samples", import.meta.url).pathname;
const recordings = [samples, ...(process.env.VRAMLAB_PAGE_RECORDINGS ?? "").split(":").filter(Boolean)]
  .flatMap((folder) => readdirSync(folder).sort().map((name) => join(folder, name)))
  .filter((path) => /\.(pickle|json|vtrace|jsonl)(\.gz|\.zst)?$/.test(path));

const grid = ["expandable_segments=True|False", "max_split_size_mb=none|64"];
const commands = (file) => [
  ["info", file], ["info", file, "--json"],
  ["verify", file, "--json"],
  ["replay", file], ["replay", file, "--conf", "expandable_segments:True", "--json"],
  ["replay", file, "--gpu", "t4", "--json"],
  ["sweep", file, ...grid, "--json"],
  ["advise", file], ["advise", file, "--json"],
  ["capacity", file, "--json"],
  ["top", file, "--at", "peak"], ["snapshot", file, "--at", "peak", "--json"],
  ["snapshot", file, "--at", "oom"],
  ["steps", file, "--from", "100", "--count", "20"], ["steps", file, "--count", "50", "--json"],
  ["diff", file, file],
];

for (const path of recordings) {
  test(`every answer about ${basename(path)} is the native program's`, async () => {
    const program = await newProgram();
    program.add(path);
    for (const words of commands(basename(path))) {
      const wanted = runNative(words, dirname(path));
      const found = program.run(words);
      assert.equal(found.errors.toString(), wanted.errors.toString(), words.join(" "));
      assert.equal(found.status, wanted.status, words.join(" "));
      assert.ok(found.output.equals(wanted.output), `${words.join(" ")}: other bytes`);
    }
  });

  test(`the report of ${basename(path)} is the native program's`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "vramlab-page-"));
    const program = await newProgram();
    program.add(path);
    for (const more of [[], ["--conf", "expandable_segments:True"]]) {
      const words = ["report", basename(path), ...more, "-q"];
      const report = join(folder, "report.html");
      const wanted = runNative([...words, "-o", report, "--force"], dirname(path));
      const found = program.run([...words, "-o", "/report.html", "--force"]);
      assert.equal(found.errors.toString(), wanted.errors.toString());
      assert.equal(found.status, wanted.status);
      if (existsSync(report))
        assert.ok(Buffer.from(program.files.readFile("/report.html")).equals(readFileSync(report)));
    }
    rmSync(folder, { recursive: true });
  });
}
