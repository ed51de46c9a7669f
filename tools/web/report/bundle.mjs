// Bundles src/ into one page without data: the template that vramlab has built in.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

const { outputFiles } = await build({
  entryPoints: [new URL("src/page.ts", import.meta.url).pathname],
  bundle: true, minify: true, write: false, format: "iife", target: ["chrome111", "firefox113", "safari16.4"],
  charset: "utf8", legalComments: "none",
});
const { outputFiles: styles } = await build({
  entryPoints: [new URL("src/page.css", import.meta.url).pathname],
  bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none",
});

const uplot = JSON.parse(read("node_modules/uplot/package.json"));
const licences = `uPlot ${uplot.version}\n\n${read("node_modules/uplot/LICENSE")}\n` +
  `vramlab\n\n${read("../../../LICENSE")}`;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const script = outputFiles[0].text.trim().replaceAll("</script", "<\\/script");

let page = read("src/page.html");
for (const [mark, text] of [["/*STYLE*/", styles[0].text.trim()], ["/*SCRIPT*/", script],
                            ["/*LICENCES*/", escaped(licences)]]) {
  if (page.split(mark).length !== 2) throw new Error(`${mark} has to be in the page once`);
  page = page.replace(mark, () => text);
}
writeFileSync(process.argv[2] ?? new URL("report_page.html", import.meta.url), page);
