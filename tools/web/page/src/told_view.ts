// The first answer about a recording: what happened to the memory, of several files in the worst.
import { answerNode } from "../../report/src/answer_view";
import { byId } from "../../report/src/dom";
import type { Explained } from "./answers";
import { copyable } from "./copying";
import { showWork } from "./counting";
import { faultNode } from "./faults";
import type { Opened } from "./opened";
import type { NamedFile } from "./orders";
import type { Program } from "./program";
import { commandLine } from "./settings";

export class ToldView {
  private readonly box = byId("told-answer");
  private told: NamedFile[] = [];

  constructor(private readonly program: Program) {}

  /** The answer stays while other files of the same opening are chosen. */
  async ask({ files }: Opened): Promise<void> {
    if (files === this.told) return;
    this.told = files;
    const listener = showWork(this.box, "Looking for what happened…");
    const words = ["explain", ...files.map(({ name }) => name)];
    try {
      const { output } = await this.program.run([...words, "--json"], files, listener);
      const { answer } = JSON.parse(output) as Explained;
      const headline = files.length > 1 ? `${answer.file}, the worst file: ${answer.headline}` : answer.headline;
      this.box.replaceChildren(answerNode({ ...answer, headline }), copyable(commandLine(words)));
      // The memory for a recording is given back.
      this.program.close();
    } catch (error) {
      const fault = faultNode(error);
      if (fault) this.box.replaceChildren(fault);
    }
  }
}
