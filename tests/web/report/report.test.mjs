// The report page in a browser, as people use it: pages are written by vramlab, what they show is held
// against what vramlab says as JSON. Times are printed; what is asserted of them is generous.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { withBlocks } from "./more_blocks.mjs";
import { figures, isFirefox, isNear, Pages, sizeText, snapshotJson, vramlab, vramlabJson } from "./pages.mjs";

const pages = new Pages();
after(() => pages.stop());

/** A recording of a bundled sample's run. */
let recording;
before(() => {
  recording = pages.path("recording.pickle");
  vramlab("replay", pages.sample("training.vtrace"), "--snapshot-out", recording);
});

/** A history of this many events, and its page. */
const long = { count: Number(process.env.VRAMLAB_REPORT_EVENTS ?? 1_000_000), trace: "", page: "" };
before(() => {
  long.trace = pages.path("long.vtrace");
  vramlab("generate", "training", "--events", String(long.count), "-o", long.trace);
  long.page = pages.report("long.html", long.trace);
});

describe("a page of a recording", () => {
  let tab;
  before(async () => {
    tab = await pages.open(pages.report("recording.html", recording));
  });
  after(() => tab.close());

  test("says what file it is of, and that states are as recorded", async () => {
    assert.equal(await tab.title(), "recording.pickle – vramlab report");
    const about = await tab.locator("#about").innerText();
    assert.match(about, /as recorded: every block where the file says/);
    assert.match(about, /a state after every event/);
  });

  test("begins with the answer of vramlab explain", async () => {
    const { headline } = vramlabJson("explain", recording).answer;
    assert.equal(await tab.locator("#answer .headline").innerText(), headline);
  });

  for (const place of ["peak", "end", 1000, 2345])
    test(`shows the figures that vramlab snapshot --at ${place} says`, async () => {
      const moment = typeof place === "number" ? pages.endOfCall(recording, place) : place;
      const json = snapshotJson(recording, moment).devices[0];
      if (moment === "peak") await tab.keyboard.press("p");
      else if (moment === "end") await tab.locator("#goto").selectOption({ label: "end" });
      else await pages.showEvent(tab, moment);
      const shown = await figures(tab);
      const segments = json.segments;
      assert.equal(shown.reserved, json.reserved_bytes);
      assert.equal(shown.allocated, json.allocated_bytes);
      assert.equal(shown.waiting, json.waiting_bytes);
      assert.equal(shown.free, json.free_bytes);
      assert.equal(shown["largest-free"], json.largest_free_bytes);
      assert.equal(shown.segments, segments.length);
      assert.equal(shown.blocks, segments.flatMap((segment) => segment.blocks).length);
      const inUse = segments.flatMap((segment) => segment.blocks)
        .filter((block) => block.state !== "inactive");
      assert.equal(shown.requested, inUse.reduce((sum, block) => sum + block.requested_bytes, 0));
    });

  test("shows the pinners and figures of fragmentation that vramlab snapshot says", async () => {
    const [device] = snapshotJson(recording, "peak").devices;
    await tab.keyboard.press("p");
    const shown = await figures(tab);
    isNear(shown.free - shown["largest-free"],
           device.metrics.external_fragmentation * device.metrics.free, 10_000);
    assert.match(await tab.locator("#pinner-panels .note").innerText(),
                 new RegExp(`^${sizeText(device.metrics.stranded)} of free memory`));
    const rows = await tab.locator("#pinner-panels tbody tr").evaluateAll((lines) =>
      lines.map((line) => [...line.children].map((cell) => cell.textContent)));
    device.pinners.slice(0, rows.length).forEach((pinner, i) => {
      const [address, size, strands, alone, segment, beside, , age, site] = rows[i];
      assert.equal(Number(address), pinner.address);
      assert.deepEqual([size, strands, alone, segment],
                       [pinner.bytes, pinner.stranded_bytes, pinner.released_alone_bytes,
                        pinner.segment_bytes].map(sizeText));
      assert.equal(Number(beside), pinner.live_blocks_beside);
      assert.equal(Number(age.replaceAll("\u202f", "")), device.event - pinner.event);
      assert.equal(site, pinner.call_site);
    });
  });

  test("has the peak that replay says", async () => {
    const [device] = vramlabJson("replay", pages.sample("training.vtrace")).devices;
    await tab.keyboard.press("r");
    assert.equal((await figures(tab)).reserved, device.peak_reserved.bytes);
    await tab.keyboard.press("p");
    assert.equal((await figures(tab)).allocated, device.peak_allocated.bytes);
  });

  test("scrubs quickly", async () => {
    await tab.locator("#moment").focus();
    await tab.keyboard.press("Home");
    const keys = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? "PageUp" : "ArrowRight"));
    await pages.scrub(tab, keys, "recording, 5500 events");
    const at = async () => {
      await tab.waitForTimeout(80);
      return Number(await tab.locator("#moment").inputValue());
    };
    const before = await at();
    await tab.keyboard.press("ArrowLeft");
    assert.equal(await at(), before - 1);
    await tab.keyboard.press("Shift+ArrowRight");
    assert.equal(await at(), before + 9);
  });

  test("a click in a plot chooses the moment there", async () => {
    assert.equal(await tab.locator("input[name=axis]:checked").inputValue(), "event");
    const over = tab.locator("#memory-panels .u-over");
    const box = await over.boundingBox();
    await over.click({ position: { x: box.width / 2, y: 40 } });
    await tab.waitForTimeout(100);
    const [x, last] = await tab.evaluate(() => {
      const text = document.querySelector("#moment").getAttribute("aria-valuetext");
      const to = document.querySelector(".grip.to").getAttribute("aria-valuemax");
      return [Number(/event ([0-9\u202f]+)/.exec(text)[1].replaceAll("\u202f", "")), Number(to)];
    });
    isNear(x / last, 0.5, 0.26);
  });

  test("labels the axis with times, or with numbers of events", async () => {
    await tab.evaluate(() => {
      window.drawn = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        window.drawn.push(text);
        fillText.call(this, text, ...place);
      };
    });
    const times = async (axis) => {
      await tab.evaluate(() => { window.drawn = []; });
      await tab.getByText(axis, { exact: true }).click();
      await tab.waitForTimeout(150);
      const drawn = await tab.evaluate(() => window.drawn);
      assert.ok(drawn.length > 0);
      return drawn.filter((text) => /[0-9] [mµ]?s$/.test(text));
    };
    assert.ok((await times("Time")).length > 0);
    assert.deepEqual(await times("Event"), []);
  });

  test("dragging zooms, keys zoom and pan, a double click shows all", async () => {
    const grip = (name) => tab.locator(`.grip.${name}`).getAttribute("aria-valuenow").then(Number);
    const last = await grip("to");
    const over = tab.locator("#memory-panels .u-over");
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await tab.mouse.move(box.x + box.width * 0.25, box.y + 60);
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width * 0.75, box.y + 60, { steps: 5 });
    await tab.mouse.up();
    isNear(await grip("from"), last * 0.25, last * 0.03);
    isNear(await grip("to"), last * 0.75, last * 0.03);
    await tab.locator("#memory-panels .plot").focus();
    await tab.keyboard.press("]");
    isNear(await grip("to"), last * 0.875, last * 0.03);
    await tab.keyboard.press("+");
    isNear(await grip("to") - await grip("from"), last * 0.25, last * 0.03);
    await tab.locator(".grip.from").focus();
    const from = await grip("from");
    await tab.keyboard.press("Shift+ArrowLeft");
    isNear(await grip("from"), from - last * 0.1, last * 0.02);
    await pages.doubleClick(over, { x: 50, y: 50 });
    assert.equal(await grip("from"), 0);
    assert.equal(await grip("to"), last);
  });

  test("shift and dragging pans", async () => {
    const from = () => tab.locator(".grip.from").getAttribute("aria-valuenow").then(Number);
    await tab.locator("#zoom-in").click();
    await tab.locator("#zoom-in").click();
    const begin = await from();
    const over = tab.locator("#memory-panels .u-over");
    const box = await over.boundingBox();
    await tab.keyboard.down("Shift");
    await tab.mouse.move(box.x + 100, box.y + 60);
    await tab.mouse.down();
    await tab.mouse.move(box.x + 180, box.y + 60, { steps: 4 });
    await tab.mouse.up();
    await tab.keyboard.up("Shift");
    assert.ok(await from() < begin, "the part in view is an earlier one");
    await tab.locator("#zoom-all").click();
  });

  test("blocks are told on hover and by keys", async () => {
    await tab.keyboard.press("p");
    const canvas = tab.locator("canvas.segments");
    await canvas.scrollIntoViewIfNeeded();
    await canvas.hover({ position: { x: 40, y: 30 } });
    const hint = tab.locator(".hint");
    await hint.waitFor({ state: "visible" });
    const text = await hint.innerText();
    for (const word of ["block", "requested", "age", "stream", "call site"]) assert.match(text, new RegExp(word));
    await canvas.focus();
    await tab.keyboard.press("ArrowRight");
    const first = await tab.locator(".about-block").innerText();
    const json = snapshotJson(recording, "peak").devices[0];
    const address = json.segments[0].blocks[0].address;
    assert.match(first, new RegExp(`at 0x${address.toString(16)}\\b`));
    await tab.keyboard.press("ArrowDown");
    assert.match(await tab.locator(".about-block").innerText(),
                 new RegExp(`at 0x${json.segments[1].address.toString(16)}\\b`));
    await tab.keyboard.press("Escape");
    assert.equal(await tab.locator(".about-block").innerText(), "");
  });

  test("the flame graph can be walked through and adds up", async () => {
    await tab.keyboard.press("p");
    const canvas = tab.locator("canvas.flame");
    await canvas.focus();
    await tab.keyboard.press("ArrowDown");
    const about = await tab.locator(".about-frame").innerText();
    assert.match(about, /: [0-9.]+ GiB, [0-9.]+ % of what is in use, [0-9\u202f]+ blocks/);
    await tab.keyboard.press("Enter");
    assert.equal(await tab.locator("#flame-panels button.small").isEnabled(), true);
    await tab.keyboard.press("Escape");
    assert.equal(await tab.locator("#flame-panels button.small").isEnabled(), false);
    await tab.locator("#flame-panels details.data summary").click();
    const root = await tab.locator("#flame-panels tbody tr").first().locator("td").nth(2).innerText();
    const json = snapshotJson(recording, "peak").devices[0];
    assert.equal(Number(root.replaceAll("\u202f", "")), json.allocated_bytes);
  });

  test("events pass the filter that should", async () => {
    const entries = pages.entriesOf(recording);
    const count = async () => Number(/^([0-9\u202f]+) of/.exec(
      await tab.locator("#event-panels .note").innerText())[1].replaceAll("\u202f", ""));
    const filtered = async (text) => {
      await tab.locator("#filter").fill(text);
      await tab.waitForTimeout(250);
      return count();
    };
    assert.equal(await count(), entries.length);
    assert.equal(await filtered("action-that-is-none"), 0);
    assert.equal(await filtered("segment_alloc"),
                 entries.filter((entry) => entry.action === "segment_alloc").length);
    assert.equal(await filtered("free_completed size>1MiB -event<100"),
                 entries.filter((entry, i) => entry.action === "free_completed" &&
                                entry.size > 2 ** 20 && i >= 100).length);
    const frame = entries.find((entry) => entry.frames.length > 0).frames[0];
    const with_it = entries.filter((entry) => entry.frames.some((f) =>
      `${f.filename}:${f.line} ${f.name}`.toLowerCase().includes(frame.name.toLowerCase()))).length;
    assert.equal(await filtered(frame.name), with_it);
    await tab.locator("#filter").fill("");
    await tab.locator("#filter").blur();
  });

  test("an event's row shows the state after it", async () => {
    await tab.locator("#filter").fill("event=1500");
    await tab.waitForTimeout(250);
    await tab.locator("#event-panels tbody button").first().click();
    await tab.waitForTimeout(100);
    assert.match(await tab.locator("#moment").getAttribute("aria-valuetext"), /after event 1\u202f500,/);
    await tab.locator("#filter").fill("");
    await tab.locator("#filter").blur();
    await tab.keyboard.press("/");
    assert.equal(await tab.evaluate(() => document.activeElement.id), "filter");
    await tab.locator("#filter").blur();
  });

  test("each plot has a table with what is in view", async () => {
    const tables = tab.locator(".plot-box details.data");
    assert.ok(await tables.count() >= 4);
    await tables.first().locator("summary").click();
    await tables.first().locator("tbody tr").nth(199).waitFor();
    assert.equal(await tables.first().locator("tbody tr").count(), 200);
    assert.match(await tables.first().locator("caption").innerText(), /moments in view/);
  });

  test("memory by call site adds up to what is allocated", async () => {
    await tab.keyboard.press("p");
    await tab.locator("text=By call site").click();
    const texts = await tab.locator("#memory-panels .legend .value").allInnerTexts();
    const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
    const sum = texts.map((text) => text.split(" ")).reduce((all, [n, unit]) => all + n * units[unit], 0);
    isNear(sum, (await figures(tab)).allocated, 2 ** 27);
    await tab.locator("text=Sums").click();
  });

  test("memory by call site is drawn as high as what is allocated, not as what is reserved", async () => {
    const highestLabel = async (choice) => {
      await tab.evaluate(() => { window.drawn = []; });
      await tab.locator(`text=${choice}`).click();
      await tab.waitForTimeout(150);
      const drawn = await tab.evaluate(() => window.drawn);
      const labels = drawn.map((text) => Number(/^([0-9.]+) GiB$/.exec(text)?.[1] ?? 0)).filter((label) => label > 0);
      // The new plot comes first, its labels in ascending order.
      const end = labels.findIndex((label, i) => i > 0 && label <= labels[i - 1]);
      return labels.slice(0, end < 0 ? labels.length : end).at(-1);
    };
    const [device] = vramlabJson("replay", pages.sample("training.vtrace")).devices;
    assert.ok(await highestLabel("By call site") <= 1.04 * device.peak_allocated.bytes / 2 ** 30);
    assert.ok(await highestLabel("Sums") > 1.04 * device.peak_allocated.bytes / 2 ** 30);
  });

  const note = async () => {
    await tab.waitForTimeout(300);
    return tab.locator(".bands-note").innerText();
  };
  const showBlocks = async () => {
    await tab.getByText("Block by block", { exact: true }).click();
    await tab.locator(".plot.bands .u-over").scrollIntoViewIfNeeded();
  };
  const numberIn = (text) => Number(text.replaceAll("\u202f", ""));

  test("block by block, it has every block that was handed out", async () => {
    await tab.keyboard.press("0");
    await showBlocks();
    const allocations = pages.entriesOf(recording).filter(({ action }) => action === "alloc").length;
    const text = await note();
    const count = (word) => numberIn(new RegExp(`([0-9\u202f]+) ${word}`).exec(text)?.[1] ?? "0");
    assert.equal(count("blocks"), allocations);
    assert.equal(count("drawn") + count("thinner") + count("not"), allocations);
  });

  test("block by block, the pointer tells a block's stack and a click pins it", async () => {
    await tab.keyboard.press("p");
    const over = tab.locator(".plot.bands .u-over");
    const box = await over.boundingBox();
    const { x, y } = await tab.evaluate(() => {
      const line = document.querySelector(".plot.bands .moment-line").getBoundingClientRect();
      const plot = document.querySelector(".plot.bands .u-over").getBoundingClientRect();
      return { x: line.left, y: plot.bottom - 3 };
    });
    await tab.mouse.move(x + 1, y);
    assert.match(await tab.locator(".hint").innerText(), /call site/);
    const { segments } = snapshotJson(recording, "peak").devices[0];
    const sizes = segments.flatMap(({ blocks }) => blocks).filter(({ state }) => state === "active_allocated")
      .map(({ bytes }) => bytes);
    await over.click({ position: { x: x + 1 - box.x, y: y - box.y } });
    const about = tab.locator("#memory-panels .about-block");
    const [, bytes] = /\(([0-9\u202f]+) B\)/.exec(await about.innerText());
    assert.ok(sizes.includes(numberIn(bytes)), `${bytes} is the size of a block`);
    assert.ok(await about.locator(".stack li").count() > 0);
    await about.getByText("Go to its free").or(about.getByText("Go to its request")).first().click();
    await tab.keyboard.press("p");
  });

  test("block by block, arrow keys go through the blocks of the moment", async () => {
    await tab.keyboard.press("p");
    const { segments } = snapshotJson(recording, "peak").devices[0];
    const held = segments.flatMap(({ blocks }) => blocks).filter(({ state }) => state === "active_allocated");
    await tab.locator(".plot.bands").focus();
    await tab.keyboard.press("Escape");
    const about = tab.locator("#memory-panels .about-block");
    const seen = [];
    for (let last = ""; ;) {
      await tab.keyboard.press("ArrowUp");
      const text = await about.innerText();
      if (text === last) break;
      last = text;
      seen.push(numberIn(/\(([0-9\u202f]+) B\)/.exec(text)[1]));
    }
    assert.deepEqual(seen.sort((a, b) => a - b), held.map(({ bytes }) => bytes).sort((a, b) => a - b));
    await tab.keyboard.press("Escape");
    assert.equal(await about.innerText(), "");
  });

  test("block by block, heights are zoomed by a box, and all are shown again", async () => {
    const labels = async () => {
      await tab.evaluate(() => { window.drawn = []; });
      await tab.locator("#theme").click();
      await tab.locator("#theme").click();
      // How often a plot is painted, and which comes first, is the browser's.
      return tab.evaluate(() => [...new Set(window.drawn.filter((text) => /[KMG]iB$/.test(text)))].sort());
    };
    const before = await labels();
    const box = await tab.locator(".plot.bands .u-over").boundingBox();
    await tab.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.7, { steps: 5 });
    await tab.mouse.up();
    const all = await note();
    assert.notDeepEqual(await labels(), before);
    await tab.locator(".plot.bands").focus();
    await tab.keyboard.press("0");
    assert.deepEqual(await labels(), before);
    assert.notEqual(await note(), all);
    await tab.locator("text=Sums").click();
  });

  test("everything that can be reached has a name, and what changes is spoken", async () => {
    const nameless = await tab.evaluate(() =>
      [...document.querySelectorAll("button, input, select, canvas[tabindex], [role=slider], .plot")]
        .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim() ||
                            node.closest("label")?.textContent.trim()))
        .map((node) => node.outerHTML));
    assert.deepEqual(nameless, []);
    await tab.keyboard.press("p");
    await tab.waitForTimeout(600);
    assert.match(await tab.locator("#spoken").innerText(), /after event .*allocated .*reserved/);
  });

  test("light and dark, and on paper", async () => {
    const paper = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await tab.locator("#theme").click();
    assert.notEqual(await paper(), light);
    await tab.locator("#theme").click();
    assert.equal(await paper(), light);
    // The driver of Firefox cannot show a page as on paper.
    if (isFirefox) return;
    await tab.emulateMedia({ media: "print" });
    assert.equal(await tab.locator(".scrub").isVisible(), false);
    assert.equal(await tab.locator("#readouts").isVisible(), true);
    await tab.emulateMedia({ media: "screen" });
  });

  test("asked the network for nothing and complained of nothing", () => pages.isQuiet(tab));
});

test("in dark colours where the system says so", async () => {
  const tab = await pages.open(pages.path("recording.html"), { colorScheme: "dark" });
  assert.equal(await tab.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue("--paper").trim()), "#15191d");
  pages.isQuiet(tab);
  await tab.close();
});

test("other options beside the recording, at the same moment", async () => {
  const options = "expandable_segments:True";
  const page = pages.report("options.html", recording, "--conf", options);
  const tab = await pages.open(page);
  assert.equal(await tab.locator("#memory-panels .panel").count(), 2);
  assert.equal(await tab.locator("input[name=axis]:checked").inputValue(), "time");
  const [device] = vramlabJson("replay", recording, "--conf", options).devices;
  await tab.locator("#goto").selectOption({ label: `${options}: peak of reserved` });
  await tab.waitForTimeout(100);
  assert.equal((await figures(tab, 1)).reserved, device.peak_reserved.bytes);
  const times = await tab.locator(".when").allInnerTexts();
  const [one, other] = times.map((text) => Number(/, ([0-9.]+) ms$/.exec(text)[1]));
  isNear(one, other, 0.5);
  pages.isQuiet(tab);
  await tab.close();
});

test("pinned host memory is drawn below the GPU's, and has the page when it is chosen", async () => {
  const loader = pages.sample("dataloader.vtrace.jsonl");
  const { host } = vramlabJson("replay", loader);
  const tab = await pages.open(pages.report("loader.html", loader));
  await tab.locator("#goto").selectOption({ label: "end" });
  await tab.waitForTimeout(100);
  assert.match(await tab.locator("#host .legend").innerText(),
               new RegExp(`pinned\\s+${sizeText(host.end_pinned_bytes)}`));
  const blocks = vramlabJson("snapshot", "--host", loader).host.blocks
    .filter(({ state }) => state !== "inactive");
  assert.match(await tab.locator("#host caption").innerText(), new RegExp(` in ${blocks.length} block`));
  const about = tab.locator("#host .about-block");
  assert.equal(await about.innerText(), "");
  const row = tab.locator("#host tbody tr").first();
  await row.locator("button").click();
  const [address, , , site] = await row.locator("td").allInnerTexts();
  assert.match(await about.innerText(), new RegExp(`at ${address}: ${site}`));
  assert.ok(await about.locator("li").count() > 0);
  await tab.locator("#device").selectOption({ label: "pinned host memory" });
  await tab.keyboard.press("r");
  assert.equal((await figures(tab)).reserved, host.peak_pinned.bytes);
  assert.equal(await tab.locator("#host").isVisible(), false);
  assert.equal(await tab.locator("#fragmentation").isVisible(), false);
  pages.isQuiet(tab);
  await tab.close();
});

test("a recording that ran out of memory begins with the line that failed", async () => {
  const failed = pages.path("failed.pickle");
  vramlab("replay", pages.sample("fragments.vtrace"), "--device-memory", "1GiB",
          "--snapshot-out", failed, "--snapshot-at", "oom");
  const { headline, lines } = vramlabJson("explain", failed).answer;
  const tab = await pages.open(pages.report("failed.html", failed));
  assert.match(headline, /requested at worst_case\.py:\d+ /);
  assert.equal(await tab.locator("#answer .headline").innerText(), headline);
  assert.equal(await tab.locator("#answer dd").count(), lines.length);
  await tab.close();
});

test("runs whose times differ much share the number of events at first", async () => {
  const loader = pages.sample("dataloader.vtrace.jsonl");
  const seconds = (file) => Math.max(...vramlabJson("info", file).files.map(({ program }) =>
    (program.last_time_ns - program.first_time_ns) / 1e9));
  assert.ok(seconds(loader) * 4 < seconds(long.trace));
  const tab = await pages.open(pages.report("unlike.html", long.trace, loader));
  assert.equal(await tab.locator("input[name=axis]:checked").inputValue(), "event");
  await tab.close();
});

test("two recordings of different length side by side", async () => {
  const shorter = pages.path("shorter.pickle");
  vramlab("replay", pages.sample("leak.vtrace"), "--snapshot-out", shorter);
  const tab = await pages.open(pages.report("two.html", recording, shorter), { width: 1600 });
  await tab.locator("#moment").focus();
  await tab.keyboard.press("End");
  await tab.keyboard.press("e");
  for (let i = 0; i < 5; ++i) await tab.keyboard.press("PageDown");
  assert.equal(await tab.locator("#event-panels .panel").count(), 2);
  pages.isQuiet(tab);
  await tab.close();
});

test("a snapshot without a history has a state and says that it has no more", async () => {
  const state = pages.withoutHistory(recording, "state.json");
  const tab = await pages.open(pages.report("state.html", state));
  const json = snapshotJson(recording, "end").devices[0];
  assert.equal((await figures(tab)).reserved, json.reserved_bytes);
  assert.equal(await tab.locator("#memory").isVisible(), false);
  const about = await tab.locator("#about").innerText();
  assert.match(about, /it has no history/);
  assert.doesNotMatch(about, /peaks|block by block/);
  pages.isQuiet(tab);
  await tab.close();
});

test("kinds and modules add up to what is allocated, and are told where they are known", async () => {
  const file = pages.withKinds(recording, "kinds.json");
  const tab = await pages.open(pages.report("kinds.html", file));
  await tab.keyboard.press("p");
  const shown = async (choice) => {
    await tab.getByText(choice, { exact: true }).click();
    await tab.waitForTimeout(150);
    const names = await tab.locator("#memory-panels .legend li").evaluateAll((items) => items.map((item) => item.title));
    const values = await tab.locator("#memory-panels .legend .value").allInnerTexts();
    const units = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
    const sizes = values.map((text) => text.split(" ")).map(([n, unit]) => n * units[unit]);
    isNear(sizes.reduce((all, size) => all + size, 0), (await figures(tab)).allocated, 2 ** 25);
    return names.filter((name, i) => sizes[i] > 0);
  };
  assert.ok((await shown("By kind")).includes("activations"));
  assert.ok((await shown("By module")).includes("layers.*, activations"));
  pages.isQuiet(tab);
  await tab.close();

  const unknown = await pages.open(pages.report("unknown.html", recording));
  assert.equal(await unknown.getByText("By kind", { exact: true }).isVisible(), false);
  await unknown.close();
});

/** The rows of the table of modules: names, and bytes of each column. */
async function moduleRows(tab) {
  const rows = await tab.locator(".modules tbody tr").evaluateAll((nodes) => nodes.map((row) => [
    row.querySelector("th").firstChild.textContent,
    [...row.querySelectorAll("td")].map((cell) => Number(cell.dataset.bytes))]));
  return { names: rows.map(([name]) => name), bytes: Object.fromEntries(rows) };
}

function added(rows) {
  return rows[0].map((_, column) => rows.reduce((all, row) => all + row[column], 0));
}

test("the table of modules has the bytes of each kind, folded and unfolded, at any moment", async () => {
  const file = pages.withKinds(recording, "modules.json",
                               ["layers.0.mlp", "layers.1.mlp", "layers.1", "layers.10.norm", "head"]);
  const tab = await pages.open(pages.report("modules.html", file));
  await tab.getByText("By module", { exact: true }).click();
  for (const key of ["p", "ArrowRight", "End"]) {
    await tab.locator("#moment").focus();
    await tab.keyboard.press(key);
    await tab.waitForTimeout(150);
    const { names, bytes } = await moduleRows(tab);
    assert.equal(bytes["all modules"][5], (await figures(tab)).allocated);
    const parts = names.slice(1).map((name) => bytes[name]);
    if (parts.length > 0) assert.deepEqual(added(parts), bytes["all modules"]);
  }
  await tab.keyboard.press("p");
  await tab.waitForTimeout(150);

  const groupsBy = (by) => vramlabJson("top", file, "--by", by, "--limit", "0").devices[0].groups;
  const told = Object.fromEntries(groupsBy("kind").map(({ key, bytes }) => [key, bytes]));
  const before = await moduleRows(tab);
  assert.equal(before.bytes["all modules"][3], told["activations"]);
  assert.equal(before.bytes["all modules"][0], told["parameters"] ?? 0);
  const modules = groupsBy("module");
  assert.equal(before.bytes["layers.*"][5], modules.filter(({ key }) => key.startsWith("layers."))
    .reduce((all, group) => all + group.bytes, 0));
  assert.match(await tab.locator(".modules tr[data-path='layers.*'] th").innerText(), /× 3/);

  await tab.locator(".modules .opener", { hasText: "layers.*" }).click();
  const opened = await moduleRows(tab);
  assert.deepEqual(added(["itself", "mlp", "norm"].map((name) => opened.bytes[name])), before.bytes["layers.*"]);
  assert.deepEqual(opened.bytes["mlp"][3],
                   modules.find(({ key }) => key === "layers.*.mlp, activations").bytes);

  await tab.getByRole("button", { name: "Show each of layers" }).click();
  const each = await moduleRows(tab);
  assert.deepEqual(each.names.filter((name) => /^[0-9]|^layers/.test(name)), ["layers", "0.mlp", "1", "10.norm"]);
  assert.deepEqual(added(["0.mlp", "1", "10.norm"].map((name) => each.bytes[name])), before.bytes["layers.*"]);
  await tab.getByRole("button", { name: "Fold layers" }).press("Enter");
  assert.deepEqual((await moduleRows(tab)).bytes["layers.*"], before.bytes["layers.*"]);
  pages.isQuiet(tab);
  await tab.close();
});

for (const colorScheme of ["light", "dark"])
  test(`the table of modules fits a small window, ${colorScheme}`, async () => {
    const file = pages.withKinds(recording, `small-${colorScheme}.json`);
    const tab = await pages.open(pages.report(`small-${colorScheme}.html`, file), { width: 390, colorScheme });
    await tab.getByText("By module", { exact: true }).click();
    await tab.waitForTimeout(150);
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    const inView = await tab.locator(".modules tbody tr").first().evaluate((row) => [
      row.querySelector("th").getBoundingClientRect(), row.lastElementChild.getBoundingClientRect(),
    ].map(({ left, right }) => left >= 0 && right <= 390));
    assert.deepEqual(inView, [true, true], "names and sums are in view");
    const colours = await tab.locator(".modules tbody th").first().evaluate((cell) => {
      const { color, backgroundColor } = getComputedStyle(cell);
      return [color, backgroundColor].map((text) => text.match(/[0-9.]+/g).slice(0, 3)
        .reduce((all, part) => all + Number(part), 0) / 3);
    });
    assert.ok(colorScheme === "dark" ? colours[0] > colours[1] + 100 : colours[1] > colours[0] + 100);
    await tab.close();
  });

test("names that look like parts of a page are names", async () => {
  const name = "</script><img src=x onerror='window.wasRun=true'>";
  const file = pages.withNames(recording, name, "named.json");
  const tab = await pages.open(pages.report("named.html", file));
  await tab.keyboard.press("p");
  await tab.locator("canvas.segments").focus();
  for (let i = 0; i < 3; ++i) await tab.keyboard.press("ArrowRight");
  await tab.locator("#flame-panels details.data summary").click();
  await tab.locator("#flame-panels tbody tr").nth(1).waitFor();
  assert.match(await tab.locator("#flame-panels tbody").innerText(), /<img src=x/);
  assert.match(await tab.locator("#event-panels tbody").innerText(), /<img src=x/);
  assert.equal(await tab.evaluate(() => "wasRun" in window), false);
  pages.isQuiet(tab);
  await tab.close();
});

/** A function that tells the seconds for which the page was busy: always 0 in Firefox, which does not tell. */
async function processorTime(tab) {
  if (isFirefox) return () => 0;
  const cdp = await tab.context().newCDPSession(tab);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => (await cdp.send("Performance.getMetrics")).metrics
    .find(({ name }) => name === "TaskDuration").value;
}

test("a million blocks are drawn while they are zoomed and moved", async () => {
  const path = pages.path("million.html");
  withBlocks(long.page, path, 1_000_000);
  const tab = await pages.open(path, { name: "a page with 1000000 blocks" });
  await tab.getByText("Block by block", { exact: true }).click();
  await tab.locator(".plot.bands .u-over").scrollIntoViewIfNeeded();
  await tab.waitForTimeout(300);
  assert.match(await tab.locator(".bands-note").innerText(), /^1\u202f000\u202f000 blocks in the time in view/);
  const secondsBusy = await processorTime(tab);
  const before = await secondsBusy();
  const seconds = await tab.evaluate(async () => {
    const over = document.querySelector(".plot.bands .u-over");
    const { left, top, width, height } = over.getBoundingClientRect();
    const begin = performance.now();
    for (let i = 0; i < 60; ++i) {
      over.dispatchEvent(new WheelEvent("wheel", {
        deltaY: i % 20 < 10 ? -1 : 1, ctrlKey: true, shiftKey: i >= 40, clientX: left + width * 0.6,
        clientY: top + height * 0.6, bubbles: true, cancelable: true }));
      await new Promise((done) => requestAnimationFrame(done));
    }
    return (performance.now() - begin) / 1000;
  });
  const ofPage = (await secondsBusy() - before) / 60;
  console.log(`  ${(60 / seconds).toFixed(1)} frames a second` +
              (isFirefox ? "" : `, each ${(1000 * ofPage).toFixed(1)} ms of the page's processor time`));
  assert.ok(seconds < 60, "a frame a second even on a busy machine");
  pages.isQuiet(tab);
  await tab.close();
});

test("zoomed heights cost about a shape for each pixel, however many blocks lie above and below", async () => {
  const path = pages.path("many.html");
  withBlocks(long.page, path, 400_000, { longestShare: 0.1, others: 5000 });
  const tab = await pages.open(path, { name: "a page with 20000 blocks at once" });
  await tab.getByText("Block by block", { exact: true }).click();
  const over = tab.locator(".plot.bands .u-over");
  await over.scrollIntoViewIfNeeded();
  await tab.getByText("the other 5\u202f000, of at most 4.00 KiB each, are the striped shape on top").waitFor();
  const { width, height } = await over.boundingBox();
  for (let zoom = 0; zoom < 12; ++zoom) {
    const filled = Number(await over.evaluate((node) => node.closest(".plot").dataset.filled));
    assert.ok(filled > width / 2 && filled < 3 * width * height, `${filled} columns of shapes, zoomed ${zoom} times`);
    await over.evaluate(async (node) => {
      const { left, top } = node.getBoundingClientRect();
      node.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, ctrlKey: true, shiftKey: true, bubbles: true,
        cancelable: true, clientX: left + node.clientWidth * 0.6, clientY: top + node.clientHeight * 0.6 }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
  }
  pages.isQuiet(tab);
  await tab.close();
});

test("a long history opens and scrubs quickly, and says what it left out", async () => {
  const { count, trace, page } = long;
  const size = pages.sizeOf(page);
  assert.ok(size <= 20_000_000, `${size} bytes`);
  const tab = await pages.open(page, { name: `${count} events, ${(size / 1e6).toFixed(1)} MB` });
  assert.match(await tab.locator("#about").innerText(), /no peak is lost/);
  assert.match(await tab.locator("#about").innerText(), /events apart/);
  await tab.getByText("Block by block", { exact: true }).click();
  await tab.waitForTimeout(300);
  const { requests } = vramlabJson("replay", trace).devices[0];
  const told = (await tab.locator(".bands-note").innerText()).replaceAll("\u202f", "");
  assert.ok(told.startsWith(`${requests} blocks in the time in view`), told);
  const [device] = vramlabJson("replay", trace).devices;
  await tab.keyboard.press("r");
  assert.equal((await figures(tab)).reserved, device.peak_reserved.bytes);
  await tab.keyboard.press("p");
  assert.equal((await figures(tab)).allocated, device.peak_allocated.bytes);
  const keys = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? "PageDown" : "ArrowLeft"));
  await pages.scrub(tab, keys, `${count} events`);
  pages.isQuiet(tab);
  await tab.close();
});
