// The parts that the browser tests share: vramlab itself, pages that it writes, and a browser that
// notes every request and every complaint. $VRAMLAB_BROWSER and $VRAMLAB_BROWSER_PATH say which one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, firefox } from "playwright-core";

const program = process.env.VRAMLAB_PROGRAM;
const sources = process.env.VRAMLAB_SOURCES;
export const isFirefox = process.env.VRAMLAB_BROWSER === "firefox";

export function vramlab(...words) {
  return execFileSync(program, words, { encoding: "utf8", maxBuffer: 2 ** 30 });
}
export function vramlabJson(...words) {
  return JSON.parse(vramlab(...words, "--json"));
}
export function snapshotJson(file, moment) {
  return vramlabJson("snapshot", file, "--at", String(moment));
}
export function isNear(value, wanted, distance) {
  assert.ok(Math.abs(value - wanted) <= distance, `${value} is not within ${distance} of ${wanted}`);
}

/** Starts the system's browser, not Playwright's own. */
function launch(colorScheme) {
  const executablePath = process.env.VRAMLAB_BROWSER_PATH;
  const scheme = colorScheme === "dark" ? 0 : 1;
  const firefoxUserPrefs = { "layout.css.prefers-color-scheme.content-override": scheme };
  if (isFirefox) return firefox.launch({ executablePath, channel: "moz-firefox", firefoxUserPrefs });
  // A sandbox needs rights that containers often lack; the pages are our own.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** As the page writes sizes. */
export function sizeText(bytes) {
  const unit = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return unit === 0 ? `${bytes} B`
                    : `${(bytes / 1024 ** unit).toFixed(2)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
}

/** The figures of the chosen moment, in bytes. */
export async function figures(tab, panel = 0) {
  await tab.waitForTimeout(80);
  const pairs = await tab.locator(`.readout[data-panel="${panel}"] [data-figure]`)
    .evaluateAll((nodes) => nodes.map((node) => [node.dataset.figure, Number(node.dataset.value)]));
  return Object.fromEntries(pairs);
}

export class Pages {
  #folder = mkdtempSync(join(tmpdir(), "vramlab-report-"));
  #browsers = new Map();
  #seen = new Map();

  async stop() {
    for (const browser of this.#browsers.values()) await (await browser).close();
    rmSync(this.#folder, { recursive: true });
  }

  /** The browser for all pages. A Firefox has one colour scheme for all of its pages, so each scheme
   *  has a Firefox of its own. */
  #browser(colorScheme) {
    const kind = isFirefox ? colorScheme : "";
    if (!this.#browsers.has(kind)) this.#browsers.set(kind, launch(colorScheme));
    return this.#browsers.get(kind);
  }

  path(name) {
    return join(this.#folder, name);
  }
  sample(name) {
    return join(sources, "traces/samples", name);
  }
  sizeOf(path) {
    return statSync(path).size;
  }
  report(name, ...words) {
    vramlab("report", ...words, "-o", this.path(name));
    return this.path(name);
  }

  /** The trace entries of the first device. */
  entriesOf(recording) {
    const json = this.path("entries.json");
    if (!existsSync(json)) vramlab("convert", recording, "-o", json);
    return JSON.parse(readFileSync(json, "utf8")).device_traces[0];
  }
  /** The first event from this one on that ends a call, as those do at which snapshots are taken. */
  endOfCall(recording, from) {
    const entries = this.entriesOf(recording);
    return entries.findIndex(({ action }, i) =>
      i >= from && (action === "alloc" || action === "free_completed"));
  }
  withoutHistory(recording, name) {
    this.entriesOf(recording);
    const snapshot = JSON.parse(readFileSync(this.path("entries.json"), "utf8"));
    snapshot.device_traces = [];
    writeFileSync(this.path(name), JSON.stringify(snapshot));
    return this.path(name);
  }

  /** With this as the name of every function. */
  withNames(recording, name, file) {
    this.entriesOf(recording);
    const text = readFileSync(this.path("entries.json"), "utf8");
    const snapshot = JSON.parse(text, (key, value) => key === "name" ? name : value);
    writeFileSync(this.path(file), JSON.stringify(snapshot));
    return this.path(file);
  }

  /** With kinds: the first request is the parameter `word.weight`, the others are activations of the modules,
   *  in turn. */
  withKinds(recording, file, modules = ["layers.0", "layers.1"]) {
    const entries = this.entriesOf(recording);
    const snapshot = JSON.parse(readFileSync(this.path("entries.json"), "utf8"));
    const requests = entries.flatMap(({ action }, i) => action === "alloc" ? [i] : []);
    const [{ addr, size }] = requests.map((i) => entries[i]);
    const marks = requests.map((i, turn) => `${i} 1 ${1 + turn % modules.length} ${i + 1} 0 0`);
    snapshot.vramlab_kinds = {
      format: 1, phases: ["other", "forward"], kinds: ["parameters"],
      names: ["", ...modules, "word.weight"],
      devices: [{ device: 0, marks: marks.join(" "), scans: [`${addr} ${size} 0 ${modules.length + 1} 0`],
                  scanned: `${requests[0] + 1} 0` }],
      troubles: [],
    };
    writeFileSync(this.path(file), JSON.stringify(snapshot));
    return this.path(file);
  }

  async open(path, { width = 1200, colorScheme = "light", name = "" } = {}) {
    const context = await (await this.#browser(colorScheme)).newContext({ viewport: { width, height: 900 }, colorScheme });
    const tab = await context.newPage();
    const seen = { requests: [], complaints: [] };
    this.#seen.set(tab, seen);
    tab.on("request", (request) => seen.requests.push(request.url()));
    tab.on("console", (message) => seen.complaints.push(message.text()));
    tab.on("pageerror", (error) => seen.complaints.push(String(error)));
    const begin = performance.now();
    await tab.goto(`file://${path}`);
    await tab.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 60_000 });
    const time = performance.now() - begin;
    console.log(`  opened ${name || path.split("/").at(-1)} in ${time.toFixed(0)} ms`);
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.ready), "true");
    assert.ok(time < 20_000, "opens within 20 s even on a busy machine");
    return tab;
  }

  async showEvent(tab, event) {
    await tab.locator("#filter").fill(`event=${event}`);
    await tab.waitForTimeout(250);
    await tab.locator("#event-panels tbody button").first().click();
    await tab.locator("#filter").fill("");
    await tab.locator("#filter").blur();
    await tab.waitForTimeout(250);
  }

  /** The driver of Firefox sends two single clicks, so the double click is sent beside them. */
  async doubleClick(place, position) {
    await place.dblclick({ position });
    if (isFirefox) await place.dispatchEvent("dblclick");
  }

  /** Presses keys, one a frame, and tells how long the page was busy with each: until it was laid
   *  out anew. */
  async scrub(tab, keys, name) {
    await tab.locator("#moment").focus();
    await tab.evaluate(() => performance.clearMeasures());
    for (const key of keys) {
      await tab.keyboard.press(key);
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5))));
    }
    const times = await tab.evaluate(() =>
      performance.getEntriesByName("scrub").map((entry) => entry.duration).sort((a, b) => a - b));
    assert.ok(times.length >= keys.length / 2, `${times.length} steps`);
    const middle = times[times.length >> 1];
    console.log(`  scrub step, ${name}: median ${middle.toFixed(1)} ms, longest ` +
                `${times.at(-1).toFixed(1)} ms of ${times.length}`);
    assert.ok(middle < 500, "scrubs within half a second even on a busy machine");
  }

  /** The page itself was asked for, and nothing else. */
  isQuiet(tab) {
    const { requests, complaints } = this.#seen.get(tab);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((url) => url !== tab.url() && !/^(data|blob):/.test(url)), []);
    // Firefox does not tell its driver about requests for files.
    if (!isFirefox) assert.equal(requests[0], tab.url());
  }
}
