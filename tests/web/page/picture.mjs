// Takes the pictures of the page in docs/guide/report.md: the example and a setting that passes
// (browser.png), and a block that waits in the playground (playground.png).
//   node picture.mjs FOLDER
import { join } from "node:path";
import { browsers, launch, onPage } from "./browsers.mjs";

const folder = process.argv[2];
const settled = () => new Promise((resolve) => setTimeout(resolve, 1000));
const browser = await launch(browsers[0]);
await onPage(browser, async (tab) => {
  await tab.click("#example");
  await tab.figures();
  await tab.enter("#conf", "expandable_segments:True");
  await tab.asked();
  await tab.report('.readout[data-panel="1"]');
  await tab.tab.setViewport({ width: 1280, height: 1370 });
  await tab.tab.evaluate(() => window.scrollTo(0, 0));
  await settled();
  await tab.tab.evaluate(() => document.activeElement.blur());
  await tab.tab.screenshot({ path: join(folder, "browser.png") });
});
await onPage(browser, async (tab) => {
  await tab.enterStation(4);
  for (let at = 1; at < 5; ++at) {
    await tab.click("#next-step");
    await tab.untilStep(at, 8);
  }
  await settled();
  await (await tab.tab.$("#learn")).screenshot({ path: join(folder, "playground.png") });
});
await browser.close();
