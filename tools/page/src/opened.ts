// The recording that is open: its files as the program sees them, and what is known about it.
import type { FileFacts, Info, Verified } from "./answers";
import type { NamedFile, Progress } from "./orders";
import type { Program } from "./program";

export interface Opened {
  files: NamedFile[];
  facts: FileFacts[];
  verified: Verified["files"][number] | null;
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

/** Throws what Program.run() throws. */
export async function open(program: Program, files: NamedFile[], listener: (progress: Progress) => void):
  Promise<Opened> {
  const names = files.map(({ name }) => name);
  const info = await program.run(["info", ...names, "--json"], files, listener);
  const { files: facts } = JSON.parse(info.output) as Info;
  let verified: Opened["verified"] = null;
  if (facts.some(({ devices }) => devices.some(({ events }) => events > 0))) {
    const answer = await program.run(["verify", names[0]!, "--json"], files, listener);
    verified = (JSON.parse(answer.output) as Verified).files[0] ?? null;
  }
  return { files, facts, verified };
}
