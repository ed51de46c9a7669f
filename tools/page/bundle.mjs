// Bundles vramlab.html: the page's own sources, the program as WebAssembly, and an example.
//   node bundle.mjs BUILD_FOLDER OUTPUT
import { build } from "../report_page/node_modules/esbuild/lib/main.js";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const [folder, output] = process.argv.slice(2);
const here = (path) => new URL(path, import.meta.url).pathname;
const read = (path) => readFileSync(here(path), "utf8");

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, format: "iife",
    target: ["chrome111", "firefox113", "safari16.4"], charset: "utf8", legalComments: "none",
  });
  return outputFiles[0].text.trim();
}
/** As src/lzma.ts unpacks it: xz leaves the size out, which is put where it belongs. */
function packed(path) {
  const bytes = execFileSync("xz", ["--format=lzma", "-9e", "--stdout", path], { maxBuffer: 2 ** 26 });
  bytes.writeBigUInt64LE(BigInt(readFileSync(path).length), 5);
  return bytes.toString("base64");
}
const asScript = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const emscripten = readFileSync(`${folder}/vramlab_page.js`, "utf8");
const sample = readFileSync(here("example.pickle.gz"));
const worker = `${emscripten}\n${await bundled("src/worker.ts")}`;

let page = read("src/page.html");
for (const [mark, text] of [
  ["/*STYLE*/", await bundled("src/page.css")],
  ["/*LICENCES*/", escaped(read("licences.txt") + "\n\nvramlab\n\n" + read("../../LICENSE"))],
  ["/*PROGRAM*/", packed(`${folder}/vramlab_page.wasm`)],
  ["/*SAMPLE*/", sample.toString("base64")],
  ["/*WORKER*/", asScript(worker)],
  ["/*SCRIPT*/", asScript(await bundled("src/page.ts"))],
]) {
  if (page.split(mark).length !== 2) throw new Error(`${mark} has to be in the page once`);
  page = page.replace(mark, () => text);
}
writeFileSync(output, page);
