// The worker: the program as WebAssembly, called with the words of a command line. Files are read in
// slices from where they lie, never as a whole. One command runs at a time.
import { writtenFile } from "./orders";
import type { NamedFile, Order, Progress, Reply, Start, Work } from "./orders";

/** The file system that emscripten's script gives, as far as it is used here. */
interface FileSystem {
  mkdir(path: string): void;
  mount(type: unknown, options: { blobs: NamedFile[] }, path: string): void;
  unmount(path: string): void;
  chdir(path: string): void;
  analyzePath(path: string): { exists: boolean };
  readFile(path: string, options: { encoding: "utf8" }): string;
  unlink(path: string): void;
  registerDevice(device: number, operations: object): void;
  makedev(major: number, minor: number): number;
}
interface Program {
  FS: FileSystem;
  WORKERFS: unknown;
  ENV: Record<string, string>;
  HEAPU8: Uint8Array;
  callMain(words: string[]): number;
}
declare function vramlabProgram(options: object): Promise<Program>;

const folder = "/files";
/** The devices that emscripten opens as standard output and standard error. */
const outputDevice = [5, 0] as const;
const errorDevice = [6, 0] as const;

/** Text that is written a piece at a time; a letter may be cut in two between pieces. */
class Written {
  private readonly decoder = new TextDecoder();
  private pieces: string[] = [];

  add(piece: Uint8Array): void {
    this.pieces.push(this.decoder.decode(piece, { stream: true }));
  }
  take(): string {
    const text = this.pieces.join("") + this.decoder.decode();
    this.pieces = [];
    return text;
  }
}

const output = new Written();
const errors = new Written();
let program: Program | undefined;
let order = 0;
/** The number of the files that are in the folder; 0 before there are any. */
let mounted = 0;

const reply = (message: Reply) => postMessage(message);

function writer(write: (piece: Uint8Array) => void): object {
  return {
    open() {},
    close() {},
    read: () => 0,
    write(_stream: unknown, buffer: Uint8Array, offset: number, length: number) {
      // A view into the program's memory, which is used again at once.
      write(buffer.slice(offset, offset + length));
      return length;
    },
  };
}

/** Progress is told while the program runs; what else it says waits for the end. */
function writeError(piece: Uint8Array): void {
  const text = new TextDecoder().decode(piece);
  if (text.startsWith('{"vramlab_message":"progress"'))
    reply({ id: order, progress: JSON.parse(text) as Progress });
  else if (text.startsWith('{"vramlab_message":"work"'))
    reply({ id: order, work: JSON.parse(text) as Work });
  else errors.add(piece);
}

async function start(code: WebAssembly.Module): Promise<void> {
  program = await vramlabProgram({
    thisProgram: "vramlab",
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      void WebAssembly.instantiate(code, imports).then(done);
      return {};
    },
    preRun: [({ FS, ENV }: Program) => {
      FS.registerDevice(FS.makedev(...outputDevice), writer((piece) => output.add(piece)));
      FS.registerDevice(FS.makedev(...errorDevice), writer(writeError));
      ENV["VRAMLAB_MESSAGES"] = "json";
    }],
  });
  program.FS.mkdir(folder);
  reply({ id: 0 });
}

function takeWritten(files: FileSystem): string | null {
  if (!files.analyzePath(writtenFile).exists) return null;
  const text = files.readFile(writtenFile, { encoding: "utf8" });
  files.unlink(writtenFile);
  return text;
}

function mount(files: NamedFile[], number: number): void {
  if (number === mounted) return;
  const { FS, WORKERFS } = program!;
  FS.chdir("/");
  if (mounted !== 0) FS.unmount(folder);
  FS.mount(WORKERFS, { blobs: files }, folder);
  FS.chdir(folder);
  mounted = number;
}

function run({ id, words, files, folder: number }: Order): void {
  order = id;
  mount(files, number);
  const status = program!.callMain(words);
  const printed = output.take();
  reply({ id, status, memory: program!.HEAPU8.length, output: takeWritten(program!.FS) ?? printed,
          errors: errors.take() });
}

self.onmessage = ({ data }: MessageEvent<Start | Order>) => {
  if ("code" in data) void start(data.code);
  else run(data);
};
