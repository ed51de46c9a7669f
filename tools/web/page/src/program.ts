// The program behind the page: commands and their answers. It runs in a worker, so that the page
// answers meanwhile; who does not want to wait ends the worker, and the next command gets a new one.
import type { Message, NamedFile, Progress, Reply, Work } from "./orders";

export interface Answer { status: number; output: string }

/** The program's words when it can't do what it was asked. */
export class Refusal extends Error {
  constructor(readonly fault: Message) {
    super(fault.text);
  }
}
/** The command was given up for another one, or by the user. */
export class Cancelled extends Error {}
/** The program ended in the middle, by a mistake of ours or of the browser. */
export class Broken extends Error {}
/** A page's memory does not suffice. `had` is what it was when `read` had been read. */
export class TooLarge extends Error {
  constructor(readonly words: string[], readonly had: number, readonly read: Progress | undefined) {
    super("too large for a page");
  }
}

/** Is told how far a command is, with reading or with other work. */
export interface Listener { read?: (progress: Progress) => void; work?: (work: Work) => void }
interface Waiting {
  id: number;
  words: string[];
  read?: Progress;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  listener?: Listener | undefined;
}

export class Program {
  private worker: Worker | undefined;
  private ready: Promise<void> | undefined;
  private waiting: Waiting | undefined;
  private orders = 0;
  private folder = { files: [] as NamedFile[], number: 0 };

  /** `script` is the worker's source. */
  constructor(private readonly code: Promise<WebAssembly.Module>, private readonly script: string) {}

  get isBusy(): boolean {
    return this.waiting !== undefined;
  }

  /** Throws Refusal, Cancelled or Broken. A command that runs is given up. */
  async run(words: string[], files: NamedFile[], listener?: Listener): Promise<Answer> {
    this.cancel();
    const id = ++this.orders;
    if (files !== this.folder.files) this.folder = { files, number: this.folder.number + 1 };
    const folder = this.folder.number;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.waiting = { id, words, resolve, reject, listener };
    });
    this.worker ??= this.newWorker();
    // Between here and there another command may have taken its place.
    void this.ready!.then(() => {
      if (this.waiting?.id === id) this.worker?.postMessage({ id, words, files, folder });
    });
    return answer;
  }

  cancel(): void {
    if (!this.waiting) return;
    this.end();
    this.waiting.reject(new Cancelled("cancelled"));
    this.waiting = undefined;
  }

  /** Its memory is given back; the next command starts anew. */
  close(): void {
    this.cancel();
    this.end();
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }

  private newWorker(): Worker {
    const place = URL.createObjectURL(new Blob([this.script], { type: "text/javascript" }));
    const worker = new Worker(place);
    URL.revokeObjectURL(place);
    this.ready = new Promise((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.id === 0) resolve();
        else this.take(data);
      };
    });
    worker.onerror = (event) => {
      if (worker !== this.worker) return;
      this.end();
      this.waiting?.reject(new Broken(event.message || "the program ended"));
      this.waiting = undefined;
    };
    void this.code.then((code) => worker.postMessage({ code }));
    return worker;
  }

  private take({ id, progress, work, status, memory, output, errors }: Reply): void {
    if (!this.waiting || this.waiting.id !== id) return;
    if (progress) {
      this.waiting.read = progress;
      return this.waiting.listener?.read?.(progress);
    }
    if (work) return this.waiting.listener?.work?.(work);
    const { words, read, resolve, reject } = this.waiting;
    this.waiting = undefined;
    const fault = status === 0 || status === 1 ? undefined : faultOf(errors ?? "");
    if (!fault) return resolve({ status: status ?? 0, output: output ?? "" });
    if (!fault.text.startsWith(outOfMemory)) return reject(new Refusal(fault));
    // The memory that the program has taken is not given back otherwise.
    this.end();
    reject(new TooLarge(words, memory ?? 0, read));
  }
}

/** The beginning of the program's sentence about lack of memory (tools/cli/vramlab.cpp). */
const outOfMemory = "expected enough memory for this";

function faultOf(errors: string): Message | undefined {
  const lines = errors.split("\n").filter((line) => line !== "");
  for (const line of lines.reverse()) {
    if (!line.startsWith('{"vramlab_message"')) continue;
    const message = JSON.parse(line) as Message;
    if (message.vramlab_message !== "progress" && message.vramlab_message !== "work") return message;
  }
  return lines[0] === undefined ? undefined
                                : { vramlab_message: "error", text: lines.reverse().join("\n") };
}
