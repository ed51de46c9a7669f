// Takes the picture of the page that docs/browser.md shows: the example, and a setting that passes.
//   node picture.mjs OUTPUT.png
import { browsers, launch, onPage } from "./browsers.mjs";

const browser = await launch(browsers[0]);
await onPage(browser, async (tab) => {
  await tab.click("#example");
  await tab.figures();
  await tab.enter("#conf", "expandable_segments:True");
  await tab.asked();
  await tab.report('.readout[data-panel="1"]');
  await tab.tab.setViewport({ width: 1280, height: 1290 });
  await tab.tab.evaluate(() => window.scrollTo(0, 0));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await tab.tab.evaluate(() => document.activeElement.blur());
  await tab.tab.screenshot({ path: process.argv[2] });
});
await browser.close();
