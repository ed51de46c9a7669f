// The page in the browsers that are installed, and what its tests do with it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const puppeteer = createRequire(new URL("../report/", import.meta.url))("puppeteer-core");
const page = pathToFileURL(join(process.env.VRAMLAB_PAGE, "vramlab.html")).href;

export const browsers = [
  // A sandbox needs rights that containers often lack; the page is our own.
  { browser: "chrome", places: ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    args: ["--no-sandbox"] },
  { browser: "firefox", places: ["/usr/bin/firefox-esr", "/usr/bin/firefox"], args: [] },
].map(({ places, ...kind }) => ({ ...kind, executablePath: places.find((place) => existsSync(place)) }))
  .filter(({ executablePath }) => executablePath);

const patienceMs = 120_000;

export function launch({ browser, executablePath, args }) {
  return puppeteer.launch({ browser, executablePath, args, headless: true, protocolTimeout: patienceMs });
}

/** A tab with the page, as a person would use it. */
class Tab {
  constructor(tab) {
    this.tab = tab;
  }
  text(place) {
    return this.tab.$eval(place, (node) => node.textContent);
  }
  value(place) {
    return this.tab.$eval(place, (node) => node.value);
  }
  until(condition, ...values) {
    return this.tab.waitForFunction(condition, { timeout: patienceMs }, ...values);
  }
  untilSeen(place) {
    return this.tab.waitForSelector(place, { visible: true, timeout: patienceMs });
  }
  click(place) {
    return this.tab.$eval(place, (node) => node.click());
  }
  press(key) {
    return this.tab.keyboard.press(key);
  }
  /** A text that a person types or chooses, entered all at once. */
  enter(place, value) {
    return this.tab.$eval(place, (node, text) => {
      node.value = text;
      node.dispatchEvent(new Event("input", { bubbles: true }));
    }, value);
  }
  async choose(place, ...files) {
    await (await this.tab.$(place)).uploadFile(...files);
  }
  /** A file of these bytes is dropped on the page. */
  drop(name, bytes) {
    return this.tab.evaluate((text, called) => {
      const letters = atob(text);
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(letters, (letter) => letter.charCodeAt(0))], called));
      document.getElementById("drop").dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, bytes.toString("base64"), name);
  }
  focused() {
    return this.tab.evaluate(() => document.activeElement.id);
  }
  async tabTo(id) {
    for (let i = 0; i < 15 && (await this.focused()) !== id; ++i) await this.press("Tab");
    assert.equal(await this.focused(), id);
  }
  /** By name: the recorded one, and the asked one where there is a question. */
  async figures() {
    await this.untilSeen("#figures table");
    return Object.fromEntries(await this.tab.$$eval("#figures tr[data-metric]", (lines) => lines.map((line) =>
      [line.dataset.metric,
       [...line.querySelectorAll("[data-value]")].map((cell) => Number(cell.dataset.value))])));
  }
  /** The first step of a station of the tour, by its place. */
  async enterStation(place) {
    await this.until(() => document.getElementById("station").options.length > 1);
    await this.tab.select("#station", String(place));
    await this.until((begin) => document.getElementById("learn").dataset.shown?.startsWith(begin),
                     `vramlab steps ${String(place + 1).padStart(2, "0")}-`);
  }
  untilStep(at, count) {
    return this.until((text) => document.getElementById("step-number").textContent === text,
                      `step ${at + 1} of ${count}`);
  }
  /** The rules of the step, each with its text. */
  acted() {
    return this.tab.$$eval("#step-said dt", (names) =>
      names.map((name) => [name.textContent, name.nextElementSibling.textContent]));
  }
  /** The states of the blocks of each segment, as the program names them. */
  drawn() {
    return this.tab.$$eval("#picture .blocks", (rows) => rows.map((row) => [...row.children].map((block) =>
      block.classList.contains("held") ? "active_allocated"
        : block.classList.contains("waiting") ? "active_pending_free" : "inactive")));
  }
  asked() {
    return this.until(() => document.querySelectorAll("#figures thead th").length === 4);
  }
  async answer(button) {
    await this.click(button);
    await this.until(() => !document.getElementById("answer").textContent.startsWith("Working"));
    const text = await this.text("#answer");
    assert.doesNotMatch(text, /undefined|null|NaN|Infinity/);
    return text;
  }
  /** The frame of the report, once it shows this. Browsers draw a frame only when it is in view. */
  async report(place) {
    for (let waited = 0; waited < patienceMs; waited += 200) {
      await this.tab.$eval("#report", (frame) => frame.scrollIntoView());
      for (const frame of this.tab.frames().slice(1)) {
        const node = await frame.$(place).catch(() => null);
        if (node) return frame;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`the report shows no ${place}`);
  }
}

/**
 * Runs `use` on a tab with the page, in which nothing may go wrong or ask a network. `prepare` runs in
 * the page before its own scripts; a fault that is `expected` is none.
 */
export async function onPage(browser, use, options = {}) {
  const { hash = "", width = 1280, scheme = "light", prepare = () => {}, expected = /^$/ } = options;
  const tab = await browser.newPage();
  await tab.evaluateOnNewDocument(prepare);
  await tab.setViewport({ width, height: 900 });
  const faults = [];
  const network = [];
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  tab.on("request", (request) => {
    if (!/^(file|blob|data|about):/.test(request.url())) network.push(request.url());
  });
  await tab.goto(page + hash);
  await tab.evaluate((theme) => { document.documentElement.dataset.theme = theme; }, scheme);
  try {
    await use(new Tab(tab));
  } finally {
    await tab.close();
  }
  assert.deepEqual(faults.filter((fault) => !expected.test(fault)), []);
  assert.deepEqual(network, []);
}
