// The recording that is open: its files as the program sees them, and what is known about it.
import type { FileFacts, Info, Replayed, Verified } from "./answers";
import type { NamedFile } from "./orders";
import { Refusal } from "./program";
import type { Listener, Program } from "./program";

export interface Opened {
  files: NamedFile[];
  /** The one that figures, pictures and most answers are of. */
  chosen: NamedFile;
  /** The ranks of several files, as recorded; empty for one file. */
  ranks: Rank[];
  facts: FileFacts[];
  verified: Verified["files"][number] | null;
}

export interface Rank {
  file: NamedFile;
  /** Or why there are no figures. */
  replayed: Replayed | Refusal;
}

/** Names as the program gets them: files of one name from several folders are told apart. */
export function named(files: File[]): NamedFile[] {
  const seen = new Map<string, number>();
  return files.map((file) => {
    const count = (seen.get(file.name) ?? 0) + 1;
    seen.set(file.name, count);
    // A name must not look like an option.
    const name = file.name.replace(/^-/, "_");
    return { name: count === 1 ? name : `${count}-${name}`, data: file };
  });
}

/** Each file's figures, the worst first. Throws what Program.run() throws, but for a refusal. */
export async function ranked(program: Program, files: NamedFile[], words: string[],
                             listener?: Listener): Promise<Rank[]> {
  const found: Rank[] = [];
  for (const file of files) {
    try {
      const { output } = await program.run(["replay", file.name, ...words, "--json"], files, listener);
      found.push({ file, replayed: JSON.parse(output) as Replayed });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      found.push({ file, replayed: error });
    }
  }
  const figure = ({ replayed }: Rank, name: string) =>
    replayed instanceof Refusal ? -1 : replayed.metrics[name] ?? 0;
  const fails = (rank: Rank) => Math.min(1, figure(rank, "out_of_memory"));
  return found.sort((a, b) =>
    fails(b) - fails(a) || figure(b, "peak_reserved") - figure(a, "peak_reserved"));
}

/** Throws what Program.run() throws. */
export async function open(program: Program, files: NamedFile[], listener: Listener):
  Promise<Opened> {
  const info = await program.run(["info", ...files.map(({ name }) => name), "--json"], files, listener);
  const { files: facts } = JSON.parse(info.output) as Info;
  const ranks = files.length > 1 ? await ranked(program, files, [], listener) : [];
  const opened = { files, ranks, facts, chosen: files[0]!, verified: null };
  return choose(program, opened, ranks[0]?.file ?? files[0]!, listener);
}

/** The same, asked about another of its files. Throws what Program.run() throws. */
export async function choose(program: Program, opened: Opened, chosen: NamedFile,
                             listener?: Listener): Promise<Opened> {
  const facts = opened.facts.find(({ file }) => file === chosen.name);
  let verified: Opened["verified"] = null;
  if (facts?.devices.some(({ events }) => events > 0)) {
    const answer = await program.run(["verify", chosen.name, "--json"], opened.files, listener);
    verified = (JSON.parse(answer.output) as Verified).files[0] ?? null;
  }
  return { ...opened, chosen, verified };
}
