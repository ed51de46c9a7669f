// The messages between the page and its worker.

/** The first message: the compiled program. */
export interface Start { code: WebAssembly.Module }

export interface NamedFile { name: string; data: Blob }

/**
 * A command line, and the files that are in the folder it is run in. Files of the same number as those
 * of the order before are the same ones: the program may have one of them open still.
 */
export interface Order { id: number; words: string[]; files: NamedFile[]; folder: number }

/** A file that a command may write; what stands in it then is its output. */
export const writtenFile = "/written";

/** Progress in reading a file. */
export interface Progress { what: string; bytes_read: number; bytes_total: number | null }
/** Progress in a step of other work; the numbers are null where they are not known. */
export interface Work { what: string; step: string; done: number | null; total: number | null }

/** A line of standard error: what the program says of its input, as file, position, expected, found. */
export interface Message {
  vramlab_message: "error" | "input_error" | "progress" | "work";
  text: string;
  file?: string;
  position?: string | null;
  expected?: string;
  found?: string;
}

/** A reply to the order with this number; 0 says that the program is ready. */
export interface Reply {
  id: number;
  progress?: Progress;
  work?: Work;
  status?: number;
  /** The memory of the page that the program has taken, in bytes. */
  memory?: number;
  output?: string;
  errors?: string;
}
