// The WebAssembly program in Node.js: words in, status and bytes out, as the native program gives them.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const page = process.env.VRAMLAB_PAGE;
export const native = process.env.VRAMLAB_PROGRAM;
const make = createRequire(import.meta.url)(join(page, "vramlab_page.js"));
const code = new WebAssembly.Module(readFileSync(join(page, "vramlab_page.wasm")));

/** One that keeps nothing from the commands before: as a new worker is. */
export async function newProgram() {
  const pieces = { 5: [], 6: [] };
  const device = (kind) => ({
    open() {}, close() {}, read: () => 0,
    write(_stream, buffer, offset, length) {
      pieces[kind].push(Buffer.from(buffer.slice(offset, offset + length)));
      return length;
    },
  });
  const program = await make({
    thisProgram: "vramlab",
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(code, imports).then(done);
      return {};
    },
    preRun: [({ FS }) => {
      for (const kind of [5, 6]) FS.registerDevice(FS.makedev(kind, 0), device(kind));
    }],
  });
  const take = (kind) => Buffer.concat(pieces[kind].splice(0));
  return {
    files: program.FS,
    add(path, name = basename(path)) {
      program.FS.writeFile(`/${name}`, readFileSync(path));
    },
    run(words) {
      const status = program.callMain([...words]);
      // Emscripten takes the status of a command for that of Node.js.
      process.exitCode = 0;
      return { status, output: take(5), errors: take(6) };
    },
  };
}

/** The native program in a folder, with the environment that the other one has. */
export function runNative(words, folder) {
  const { status, signal, stdout, stderr } =
    spawnSync(native, words, { cwd: folder, env: { LANG: "C.UTF-8" }, maxBuffer: 2 ** 30, timeout: 120_000 });
  return { status: signal ?? status, output: stdout, errors: stderr };
}

export function runNativeOrThrow(words, folder) {
  return execFileSync(native, words, { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 30 });
}
