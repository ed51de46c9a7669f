// Bundles vramlab.html: the page's own sources, the program as WebAssembly, and an example.
//   node bundle.mjs BUILD_FOLDER OUTPUT
import { build } from "../report/node_modules/esbuild/lib/main.js";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const [folder, output] = process.argv.slice(2);
const here = (path) => new URL(path, import.meta.url).pathname;
const read = (path) => readFileSync(here(path), "utf8");

async function bundled(entry, format = "iife") {
  const { outputFiles } = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, format,
    target: ["chrome111", "firefox113", "safari16.4"], charset: "utf8", legalComments: "none", loader: { ".py": "text" },
  });
  return outputFiles[0].text.trim();
}
/** As src/lzma.ts unpacks it: xz leaves the size out, which is put where it belongs. */
function packed(bytes) {
  const filter = "--lzma1=preset=9e,lc=2,pb=0";
  const found = execFileSync("xz", ["--format=lzma", filter, "--stdout"], { input: bytes, maxBuffer: 2 ** 26 });
  found.writeBigUInt64LE(BigInt(bytes.length), 5);
  return found.toString("base64");
}
const asScript = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const emscripten = readFileSync(`${folder}/vramlab_page.js`, "utf8");
const streams = await bundled("src/wasm_streams.ts", "esm");
const { split, joined } = await import(`data:text/javascript,${encodeURIComponent(streams)}`);
const module = readFileSync(`${folder}/vramlab_page.wasm`);
const code = split(module);
if (!module.equals(joined(code))) throw new Error("src/wasm_streams.ts does not give back the module");
const parts = [...code,
               Buffer.from(`${emscripten}\n${await bundled("src/worker.ts")}`),
               gunzipSync(readFileSync(here("example.pickle.gz")))];

let page = read("src/page.html");
for (const [mark, text] of [
  ["/*STYLE*/", await bundled("src/page.css")],
  ["/*LICENCES*/", escaped(read("licences.txt") + "\n\nvramlab\n\n" + read("../../../LICENSE"))],
  ["/*SIZES*/", parts.map(({ length }) => length).join(" ")],
  ["/*PACKED*/", packed(Buffer.concat(parts))],
  ["/*SCRIPT*/", asScript(await bundled("src/page.ts"))],
]) {
  if (page.split(mark).length !== 2) throw new Error(`${mark} has to be in the page once`);
  page = page.replace(mark, () => text);
}
writeFileSync(output, page);
