// vramlab.html as people use it, in each browser that is installed.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { browsers, launch, onPage } from "./browsers.mjs";
import { runNativeOrThrow } from "./program.mjs";

const top = new URL("../../../", import.meta.url).pathname;
const sample = (name) => join(top, "traces/samples", name);
const example = join(top, "tools/web/page/example.pickle.gz");
const folderOfTour = join(top, "tools/web/page/tour");
const tour = readdirSync(folderOfTour).filter((name) => name.endsWith(".py")).sort()
  .map((name) => join(folderOfTour, name));
const json = (...words) => JSON.parse(runNativeOrThrow([...words, "--json"], tmpdir()));

for (const kind of browsers) describe(kind.browser, () => {
  let browser;
  let folder;
  before(async () => {
    browser = await launch(kind);
    folder = mkdtempSync(join(tmpdir(), "vramlab-page-"));
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });
  const page = (name, use, options) => test(name, () => onPage(browser, use, options));

  page("shows the figures of a dropped recording as the program has them", async (tab) => {
    await tab.drop("gpt.pickle.gz", readFileSync(sample("gpt_training.pickle.gz")));
    const shown = await tab.figures();
    const { metrics } = json("replay", sample("gpt_training.pickle.gz"));
    for (const name of ["peak_reserved", "peak_allocated", "device_allocs"])
      assert.deepEqual(shown[name], [metrics[name]], name);
    assert.match(await tab.text("#facts"), /gpt\.pickle\.gz.*Replayexact/);
  });

  page("answers another option string, and says why it refuses one", async (tab) => {
    await tab.click("#example");
    await tab.figures();
    await tab.enter("#conf", "expandable_segments:True");
    await tab.asked();
    const { metrics } = json("replay", example, "--conf", "expandable_segments:True");
    assert.equal((await tab.figures()).peak_reserved[1], metrics.peak_reserved);
    assert.equal(await tab.text("#command"),
                 "vramlab replay example.pickle --conf expandable_segments:True");
    assert.match(tab.tab.url(), /#conf=expandable_segments%3ATrue$/);
    await tab.enter("#conf", "expandable_segment:True");
    await tab.untilSeen("#refused");
    assert.match(await tab.text("#refused"), /nearest is expandable_segments/);
  });

  page("runs out of memory and passes as the slider says", async (tab) => {
    await tab.click("#example");
    await tab.figures();
    const outcome = (words) =>
      tab.until((text) => document.querySelector("#figures .outcome")?.textContent.startsWith(text), words);
    await tab.enter("#memory", "300");
    await outcome("Out of memory");
    await tab.enter("#memory", "900");
    await outcome("It runs");
    await tab.enter("#gpu", "a100-80gb");
    await tab.until(() => document.getElementById("command").textContent.endsWith("--gpu a100-80gb"));
  });

  page("lists GPUs in groups, with their memory", async (tab) => {
    await tab.until(() => document.querySelectorAll("#gpu optgroup").length > 2);
    const listed = runNativeOrThrow(["replay", "--list-gpus"], tmpdir());
    const shown = await tab.tab.$$eval("#gpu optgroup option", (options) =>
      options.map(({ value, textContent }) => [value, textContent]));
    assert.equal(shown.length, listed.match(/^\S+ +[0-9.]+ GiB /gm).length);
    for (const [name, text] of shown)
      assert.ok(listed.includes(`${name} `) && text.startsWith(`${name}, `), text);
  });

  page("takes the question from the address", async (tab) => {
    await tab.click("#example");
    await tab.asked();
    assert.equal(await tab.value("#conf"), "expandable_segments:True");
    await tab.until(() => document.getElementById("gpu").value === "h100-80gb");
  }, { hash: "#conf=expandable_segments:True&gpu=h100-80gb" });

  page("finds the best setting, compares settings, and tells what failed", async (tab) => {
    await tab.click("#example");
    await tab.figures();
    const advice = json("advise", example);
    assert.ok((await tab.answer("#advise")).includes(`PYTORCH_CUDA_ALLOC_CONF=${advice.conf}`));
    await tab.click("#answer .asks");
    await tab.asked();
    assert.equal(await tab.value("#conf"), advice.conf);
    assert.match(await tab.text("#figures .outcome"), /^It runs: rules of PyTorch .*expandable_segments:True/);
    await tab.click("#question [type=reset]");
    await tab.until(() => document.querySelectorAll("#figures thead th").length === 2);
    assert.match(await tab.text("#figures .outcome"), /^Out of memory: rules of PyTorch .*no options, 6\.00 GiB/);
    assert.match(await tab.answer("#why"), /421\.88 MiB requested/);
    assert.match(await tab.answer("#peak"), /at the peak of allocated memory/);
    assert.match(await tab.answer("#capacity"), /of device memory is enough/);
    assert.match(await tab.answer("#sweep"), /Best first/);
    const best = "#answer tbody tr:first-child td:first-child button";
    const conf = (await tab.text(best)).replace(" (recorded)", "");
    await tab.click(best);
    await tab.asked();
    assert.equal(await tab.value("#conf"), conf);
    const calls = () => tab.tab.$$eval("#answer tbody td:nth-child(4)",
                                       (cells) => cells.map((cell) => Number(cell.textContent)));
    await tab.click("#answer th:nth-child(4) button");
    const sorted = await calls();
    assert.ok(sorted.length > 4);
    assert.deepEqual(sorted, [...sorted].sort((a, b) => a - b));
  });

  page("compares with a second file", async (tab) => {
    await tab.choose("#choose", sample("missing_record_stream.vtrace.jsonl"));
    await tab.figures();
    assert.match(await tab.text("#certainty"), /^How sure: The file holds a program's requests/);
    await tab.choose("#second", sample("overlap.vtrace.jsonl"));
    await tab.until(() => /overlap.* beside missing/s.test(document.getElementById("answer").textContent));
    assert.deepEqual(await tab.tab.$$eval("#answer table:first-of-type th", (heads) =>
      heads.map((head) => head.textContent)), ["", "base", "new", "change"]);
    assert.doesNotMatch(await tab.text("#answer"), /undefined|null|NaN/);
  });

  page("tells at first what happened, as the program explains it", async (tab) => {
    await tab.click("#example");
    const { headline, lines } = json("explain", example).answer;
    await tab.until(() => document.querySelector("#told .headline"));
    assert.equal(await tab.text("#told .headline"), headline);
    assert.deepEqual(await tab.tab.$$eval("#told dt", (names) => names.map((name) => name.textContent)),
                     lines.map(({ name }) => name));
  });

  page("answers every question to two files", async (tab) => {
    const names = ["training.vtrace", "leak.vtrace"];
    const files = names.map(sample);
    await tab.choose("#choose", ...files);
    await tab.figures();
    await tab.until(() => document.querySelector("#told .headline"));
    assert.match(await tab.text("#told .headline"), /^training\.vtrace, the worst file: /);
    const rows = () => tab.tab.$$eval("#answer tbody tr", (lines) => lines.map((line) =>
      [...line.children].map((cell) => cell.textContent)));

    const advice = json("advise", ...files);
    assert.ok((await tab.answer("#advise")).includes(`PYTORCH_CUDA_ALLOC_CONF=${advice.conf}`));
    assert.deepEqual((await rows()).map(([name]) => name), names);
    assert.equal(await tab.text("#answer .facts dd"), "training.vtrace");

    const capacity = json("capacity", ...files);
    const least = `${capacity.rows[0].least_bytes / 2 ** 20}MiB`;
    assert.match(await tab.answer("#capacity"),
                 new RegExp(`enough for each file.*worst filetraining.*--device-memory ${least}`, "s"));
    assert.deepEqual((await rows()).map(([name]) => name), names);

    const { rows: swept } = json("sweep", ...files, "expandable_segments=True|False",
                                 "max_split_size_mb=none|64|256", "roundup_power2_divisions=none|4", "--recorded");
    assert.match(await tab.answer("#sweep"), /Best first/);
    assert.equal((await rows()).length, swept.length);

    assert.match(await tab.answer("#why"), /no request failed/);
    assert.match(await tab.answer("#peak"), /at the peak of allocated memory/);
    assert.equal((await rows())[0].at(-1), json("top", files[0]).devices[0].groups[0].key);
    await tab.choose("#second", sample("overlap.vtrace.jsonl"));
    await tab.until(() => /overlap.* beside training/s.test(document.getElementById("answer").textContent));
    assert.equal((await tab.tab.$$("#answer pre")).length, 0);
  });

  page("shows no empty frame, which would be white in the dark, and gives the report its colours", async (tab) => {
    const seen = () => tab.tab.$eval("#report", (frame) => getComputedStyle(frame).visibility);
    assert.equal(await seen(), "hidden");
    await tab.click("#example");
    const report = await tab.report("#readouts [data-figure]");
    assert.equal(await seen(), "visible");
    const theme = () => document.documentElement.dataset.theme;
    assert.equal(await report.evaluate(theme), "dark");
    await tab.click("#theme");
    await report.waitForFunction(() => document.documentElement.dataset.theme === "light");
  }, { scheme: "dark" });

  page("shows the ranks of a job side by side, the worst first, and is asked about each", async (tab) => {
    const names = ["leak.vtrace", "gpt_training.pickle.gz", "training.vtrace"];
    const lines = () => tab.tab.$$eval("#ranks tbody tr", (rows) => rows.map((row) =>
      [row.dataset.file, ...[...row.querySelectorAll("td")].map((cell) => cell.textContent)]));
    const peakOf = (name, ...words) => json("replay", sample(name), ...words).metrics.peak_reserved;
    const worstFirst = (...words) =>
      names.map((name) => ({ name, peak: peakOf(name, ...words) })).sort((a, b) => b.peak - a.peak);
    await tab.choose("#choose", ...names.map(sample));
    await tab.figures();
    const recorded = worstFirst();
    assert.deepEqual((await lines()).map(([name]) => name), recorded.map(({ name }) => name));
    assert.deepEqual((await tab.figures()).peak_reserved, [recorded[0].peak]);
    const other = recorded[2];
    await tab.click(`#ranks tr[data-file="${other.name}"] button`);
    await tab.until((peak) => document.querySelector('[data-metric="peak_reserved"] [data-value]')
      ?.dataset.value === String(peak), other.peak);
    assert.equal(await tab.text('#ranks [aria-pressed="true"]'), other.name);
    await tab.enter("#conf", "roundup_power2_divisions:2");
    await tab.until(() => document.querySelectorAll("#ranks thead th").length === 5);
    const asked = worstFirst("--conf", "roundup_power2_divisions:2");
    assert.deepEqual((await lines()).map(([name]) => name), asked.map(({ name }) => name));
    assert.match(await tab.text("#command"), new RegExp(`replay ${other.name} `));
  });

  page("says how much memory it needs where a page has too little, and what does it", async (tab) => {
    await tab.click("#example");
    await tab.figures();
    await tab.until(() => /of memory/.test(document.getElementById("drawing").textContent));
    assert.match(await tab.text("#drawing"),
      /needs (about|more than the) [\d.]+ MiB.* 4 GiB at most.*: vramlab report example\.pickle -o report\.html$/);
  }, {
    // Memory that grows no further than it is at first.
    prepare: () => {
      const Whole = Blob;
      self.Blob = class extends Whole {
        constructor(parts, options) {
          const first = "WebAssembly.Memory.prototype.grow = () => { throw new RangeError('no memory'); };";
          super(options?.type === "text/javascript" ? [first, ...parts] : parts, options);
        }
      };
    },
  });

  page("can't ask a network: its policy refuses", async (tab) => {
    const refused = await tab.tab.evaluate(() => new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      fetch("https://vramlab.invalid/").catch(() => undefined);
    }));
    assert.equal(refused, "connect-src");
  }, { expected: /Content.Security.Policy|vramlab\.invalid|CSP/i });

  page("draws the report of the recording, then of both", async (tab) => {
    await tab.click("#example");
    const report = await tab.report("#readouts [data-figure]");
    assert.match(await report.$eval("#subject", (node) => node.textContent), /example\.pickle/);
    await tab.enter("#conf", "expandable_segments:True");
    await tab.report('.readout[data-panel="1"]');
  });

  page("has one scroll bar: the report goes along with the page", async (tab) => {
    await tab.click("#example");
    const report = await tab.report("#readouts [data-figure]");
    const place = () => tab.tab.$eval("#report-place", (node) => node.getBoundingClientRect().toJSON());
    await tab.until(() => document.getElementById("report-place").clientHeight > 2 * window.innerHeight);
    assert.equal(await report.evaluate(() => getComputedStyle(document.documentElement).overflowY), "hidden");
    // The page scrolls once more where something above it still grows.
    const isThere = () => report.evaluate(() => Math.abs(window.scrollY - 1200) < 2);
    for (let i = 0; i < 100 && !(await isThere()); ++i) {
      const { top } = await place();
      await tab.tab.evaluate((by) => window.scrollBy(0, by), top + 1200);
      await new Promise((done) => setTimeout(done, 100));
    }
    assert.ok(await isThere());
    const frame = await tab.tab.$eval("#report", (node) => node.getBoundingClientRect().toJSON());
    assert.ok(Math.abs(frame.top) < 2, `the frame is in view, at ${frame.top}`);
    // A jump inside of the frame scrolls the page.
    await report.evaluate(() => document.getElementById("about").scrollIntoView());
    // On the way the frame may be where the page was.
    await report.waitForFunction(() =>
      document.getElementById("about").getBoundingClientRect().top < window.innerHeight);
    const inside = await report.evaluate(() => window.scrollY);
    await tab.until((wanted) => Math.abs(
      document.getElementById("report-place").getBoundingClientRect().top + wanted) < 3, inside);
  });

  page("opens a moment of the recording in the playground", async (tab) => {
    await tab.click("#example");
    const report = await tab.report("#readouts [data-figure]");
    await report.waitForFunction(() => !document.getElementById("steps").hidden);
    const moment = await report.$eval("#moment", (node) => node.getAttribute("aria-valuetext"));
    const event = Number(/event ([0-9\u202f]+)/.exec(moment)[1].replaceAll("\u202f", ""));
    await report.$eval("#steps", (button) => button.click());
    await tab.until((words) => document.getElementById("learn").dataset.shown === words,
                    `vramlab steps example.pickle --from ${event}`);
    const { steps } = json("steps", example, "--from", String(event), "--count", "40");
    await tab.untilStep(0, steps.length);
    assert.equal(await tab.text("#step-said code"), steps[0].record);
    assert.match(await tab.text("#step-memory"), /segments, which these steps do not change/);
    assert.equal(await tab.tab.$eval("#learn-change", (node) => node.hidden), true);
    await tab.enterStation(0);
    assert.equal(await tab.tab.$eval("#learn-change", (node) => node.hidden), false);
  });

  page("refuses what is no recording, in the program's words", async (tab) => {
    const bad = join(folder, "<img src=x onerror=alert(1)>.pickle");
    writeFileSync(bad, "<b>this is no snapshot</b>");
    await tab.choose("#choose", bad);
    await tab.untilSeen("#problem");
    const fault = await tab.text("#problem");
    assert.match(fault, /<img src=x onerror=alert\(1\)>\.pickle/);
    assert.match(fault, /expected.*found/s);
    assert.equal((await tab.tab.$$("#problem img, #facts img")).length, 0);
    await tab.click("#example");
    await tab.figures();
    await tab.until(() => document.getElementById("problem").hidden);
  });

  page("gives a large file up, and opens another one", async (tab) => {
    const large = join(folder, "large.vtrace");
    runNativeOrThrow(["generate", "training", "--events", "400000", "-o", large, "-q", "--force"], folder);
    await tab.choose("#choose", large);
    await tab.untilSeen("#work");
    await tab.click("#cancel");
    await tab.until(() => document.getElementById("work").hidden);
    await tab.click("#example");
    await tab.figures();
    assert.match(await tab.text("#facts"), /example/);
  });

  page("keeps the answers of two files of one name apart", async (tab) => {
    for (const name of ["gpt_training.pickle.gz", "leak.vtrace", "gpt_training.pickle.gz"]) {
      await tab.drop("same.bin", readFileSync(sample(name)));
      const { metrics } = json("replay", sample(name));
      await tab.until((peak) => document.querySelector('[data-metric="peak_reserved"] [data-value]')
        ?.dataset.value === String(peak), metrics.peak_reserved);
      await tab.enter("#conf", "expandable_segments:True");
      await tab.asked();
      assert.equal((await tab.figures()).peak_reserved[1],
                   json("replay", sample(name), "--conf", "expandable_segments:True").metrics.peak_reserved);
      await tab.enter("#conf", "");
    }
  });

  page("leads through the tour with the rules and states that the program has", async (tab) => {
    let wholeBlocks = 0;
    for (const [i, file] of tour.entries()) {
      await tab.enterStation(i);
      const { steps, rules } = json("steps", file, "--on-oom", "skip");
      for (const [at, step] of steps.entries()) {
        await tab.untilStep(at, steps.length);
        assert.deepEqual(await tab.acted(), step.rules.map((rule) => [`Rule ${rule}`, rules[rule]]), file);
        assert.deepEqual(await tab.drawn(), step.segments.map(({ blocks }) => blocks.map(({ state }) => state)));
        const kept = /The block is not split: .*, as (.*) \(rule ([0-9.]+)\)\./.exec(await tab.text("#step-said"));
        assert.deepEqual(kept && kept.slice(1), step.not_split && [step.not_split.reason, step.not_split.rule], file);
        wholeBlocks += step.not_split ? 1 : 0;
        await tab.click("#next-step");
      }
    }
    assert.ok(wholeBlocks > 0);
    await tab.enterStation(12);
    await tab.click("#last-step");
    assert.match(await tab.text("#step-said"), /Request d: 12\.00 MiB/);
    assert.match(await tab.text("#beside-said"), /PyTorch 2\.15, which does otherwise/);
    assert.equal(await tab.tab.$eval("#picture-beside", (node) => node.hidden), false);
    await tab.click("#first-step");
    assert.match(await tab.text("#beside-said"), /PyTorch 2\.15 does the same here/);
    assert.equal(await tab.tab.$eval("#picture-beside", (node) => node.hidden), true);
    await tab.click("#last-step");
    assert.match(await tab.text("#step-said"), /12\.00 MiB is passed over: as large as the one that is taken/);
    assert.match(await tab.text("#step-said"), /memory_stats\(\): .*allocation 1 \(\+1\)/);
    assert.match(await tab.text("#station-question summary"), /comparison of two versions/);
    assert.match(await tab.text("#station-question p"), /rules of both versions/);
  });

  page("lets segments grow in the picture, and frames what changed", async (tab) => {
    await tab.enterStation(8);
    const width = () => tab.tab.$eval("#picture .blocks", (row) => row.getBoundingClientRect().width);
    const first = await width();
    await tab.click("#next-step");
    assert.ok(await width() > first);
    assert.equal((await tab.tab.$$("#picture .changed")).length, 2);
  });

  page("runs a program that is typed in, and says which line is wrong", async (tab) => {
    const lines = ['{"format":"vramlab-trace","version":1}', '{"malloc":1,"bytes":5000000}'];
    await tab.enter("#learn-program", [...lines, '{"mallok":2,"bytes":1}'].join("\n"));
    await tab.untilSeen("#learn-problem");
    assert.match(await tab.text("#learn-problem"), /line 3/);
    await tab.enter("#learn-program", [...lines, '{"free":1}'].join("\n"));
    await tab.until(() => document.getElementById("learn-problem").hidden);
    await tab.untilStep(0, 2);
    assert.equal(await tab.value("#station"), "own");
    assert.match(await tab.text("#step-said"), /Request 1: 4\.77 MiB/);
  });

  page("changes options, memory and version in the playground", async (tab) => {
    await tab.enterStation(3);
    await tab.click("#last-step");
    await tab.enter("#learn-conf", "expandable_segments:True");
    await tab.until(() => /^Expandable segment/.test(document.getElementById("picture").textContent));
    await tab.enter("#learn-conf", "");
    await tab.enter("#learn-memory", "30");
    await tab.until(() => /reserved of 30\.00 MiB/.test(document.getElementById("step-memory").textContent));
    await tab.enter("#learn-reference", "2.12");
    await tab.until(() => document.getElementById("learn-command").textContent ===
      "vramlab steps 04-merging.vtrace.py --device-memory 30MiB --reference 2.12 --on-oom skip");
    await tab.enter("#learn-conf", "expandable_segment:True");
    await tab.untilSeen("#learn-problem");
    assert.match(await tab.text("#learn-problem"), /nearest is expandable_segments/);
  });

  const shared = '{"format":"vramlab-trace","version":1}\n{"malloc":1,"bytes":5000000}\n{"free":1}\n';
  page("opens a playground program from the address, and puts one there", async (tab) => {
    await tab.untilStep(0, 2);
    assert.equal(await tab.value("#learn-program"), shared);
    assert.equal(await tab.value("#station"), "own");
    assert.match(await tab.text("#learn-command"), /--conf expandable_segments:True /);
    await tab.enter("#learn-memory", "30");
    await tab.click("#learn-share");
    const { hash } = new URL(await tab.text("#learn-link"));
    assert.equal(hash, new URL(tab.tab.url()).hash);
    const given = new URLSearchParams(hash.slice(1));
    assert.equal(given.get("learn"), shared);
    assert.equal(given.get("learn-memory"), "30");
  }, { hash: `#${new URLSearchParams({ learn: shared, "learn-conf": "expandable_segments:True" })}` });

  page("goes through the playground by keyboard alone", async (tab) => {
    await tab.untilStep(0, 7);
    await tab.tabTo("station");
    await tab.press("ArrowDown");
    await tab.until(() => document.getElementById("station-text").textContent.startsWith("If no free block"));
    await tab.tabTo("next-step");
    await tab.press("Enter");
    await tab.untilStep(1, 7);
    await tab.tabTo("step");
    await tab.press("ArrowRight");
    await tab.untilStep(2, 7);
    await tab.press("End");
    await tab.untilStep(6, 7);
  });

  page("works by keyboard alone", async (tab) => {
    await tab.tabTo("example");
    await tab.press("Enter");
    await tab.figures();
    await tab.tabTo("conf");
    await tab.tab.keyboard.type("expandable_segments:True");
    await tab.asked();
    await tab.tabTo("advise");
    await tab.press("Enter");
    await tab.until(() => /Use this setting/.test(document.getElementById("answer").textContent));
  });

  for (const width of [1280, 390]) for (const scheme of ["light", "dark"])
    page(`is readable in a window of ${width} pixels, ${scheme}`, async (tab) => {
      await tab.click("#example");
      await tab.figures();
      await tab.enter("#conf", "expandable_segments:True");
      await tab.asked();
      await tab.until(() => document.querySelector("#told .headline"));
      assert.ok(await tab.tab.evaluate(() => document.documentElement.scrollWidth) <= width);
      const fits = async (place) => {
        for (const right of await tab.tab.$$eval(`${place} :is(th, td)`, (cells) =>
          cells.map((cell) => cell.getBoundingClientRect().right)))
          assert.ok(right <= width, `a cell of ${place} ends at ${right}`);
      };
      await fits("#figures");
      for (const button of ["#advise", "#capacity", "#sweep", "#why", "#peak"]) {
        await tab.answer(button);
        await fits("#answer");
      }
      await tab.choose("#second", sample("overlap.vtrace.jsonl"));
      await tab.until(() => /overlap.* beside/s.test(document.getElementById("answer").textContent));
      await fits("#answer");
      const contrasts = await tab.tab.evaluate(() => {
        const luminance = (text) => {
          const [r, g, b] = text.match(/[\d.]+/g).map((part) => Number(part) / 255)
            .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const paper = (node) => {
          const colour = getComputedStyle(node).backgroundColor;
          return colour === "rgba(0, 0, 0, 0)" ? paper(node.parentElement) : luminance(colour);
        };
        return ["#told .headline", "#told dt", "#figures td", "#certainty", "#command", "#conf", "#step-said dd", ".segment p",
                "#picture .held b", "#picture .free b", "#learn-program"].map((place) => {
          const node = document.querySelector(place);
          const panel = paper(node);
          const ink = luminance(getComputedStyle(node).color);
          return (Math.max(ink, panel) + 0.05) / (Math.min(ink, panel) + 0.05);
        });
      });
      for (const contrast of contrasts) assert.ok(contrast >= 4.5, `${contrasts}`);
    }, { width, scheme });
});
