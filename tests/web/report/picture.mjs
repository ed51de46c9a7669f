// Takes the picture of the report page that README shows: the bundled recording as it is beside its
// replay with expandable segments, at the peak of what is allocated, zoomed to the training.
//   node picture.mjs OUTPUT.png
import { Pages } from "./pages.mjs";

const [, , output] = process.argv;
const pages = new Pages();
try {
  const tab = await pages.open(pages.report(
    "report.html", pages.sample("gpt_training.pickle.gz"), "--conf", "expandable_segments:True"));
  await tab.setViewportSize({ width: 1320, height: 1110 });
  const plot = await tab.locator("#memory-panels .u-over").first().boundingBox();
  const y = plot.y + plot.height / 2;
  await tab.mouse.move(plot.x + plot.width * 0.73, y);
  await tab.mouse.down();
  await tab.mouse.move(plot.x + plot.width - 1, y, { steps: 5 });
  await tab.mouse.up();
  await tab.mouse.move(0, 0);
  await tab.keyboard.press("p");
  await tab.evaluate(() => document.activeElement.blur());
  await tab.waitForTimeout(500);
  await tab.screenshot({ path: output });
} finally {
  await pages.stop();
}
