// Several files, as the ranks of a job: each one's figures beside the others', the worst first.
import { byId, element } from "../../report/src/dom";
import { sizeText } from "../../report/src/format";
import type { Replayed } from "./answers";
import { difference, outcomeOf, tendency } from "./asked_view";
import { faultNode } from "./faults";
import { ranked } from "./opened";
import type { Opened, Rank } from "./opened";
import type { NamedFile } from "./orders";
import { Refusal } from "./program";
import type { Program } from "./program";
import { isUnchanged, settingWords } from "./settings";
import type { Settings } from "./settings";

/** Every file is read anew; the figures of the chosen one do not wait for that. */
const pauseMs = 600;

export class RanksView {
  private readonly box = byId("ranks");
  private waiting = 0;

  constructor(private readonly program: Program, private readonly choose: (file: NamedFile) => void) {}

  ask(opened: Opened, settings: Settings): void {
    window.clearTimeout(this.waiting);
    this.program.cancel();
    this.box.hidden = opened.ranks.length === 0;
    if (this.box.hidden) return;
    if (isUnchanged(settings)) return this.show(opened, opened.ranks);
    this.waiting = window.setTimeout(() => void this.askNow(opened, settings), pauseMs);
  }

  private async askNow(opened: Opened, settings: Settings): Promise<void> {
    try {
      this.show(opened, await ranked(this.program, opened.files, settingWords(settings)));
    } catch (error) {
      const fault = faultNode(error);
      if (fault) this.box.replaceChildren(fault);
    }
  }

  private show({ ranks, chosen }: Opened, asked: Rank[]): void {
    const heads = ["", "recorded peak reserved", ...(asked === ranks ? [] : ["asked", "difference"]), "outcome"];
    const caption = "Files, the worst first; figures, pictures and answers below are of the one that is marked.";
    const lines = asked.map(({ file, replayed }) => {
      const name = element("button", { type: "button", "aria-pressed": String(file === chosen) }, file.name);
      name.addEventListener("click", () => this.choose(file));
      const before = ranks.find((rank) => rank.file === file)!.replayed;
      const cells = asked === ranks ? figures(before) : figures(before, replayed);
      return element("tr", { "data-file": file.name }, element("th", { scope: "row" }, name), ...cells);
    });
    this.box.replaceChildren(element("table", { class: "named" }, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, ...lines)));
  }
}

const number = (text: string, look = "") => element("td", { class: `number ${look}` }, text);

function figures(recorded: Replayed | Refusal, asked?: Replayed | Refusal): HTMLElement[] {
  const refusal = [recorded, asked].find((replayed) => replayed instanceof Refusal);
  if (refusal) return [element("td", { colspan: asked ? "4" : "2" }, refusal.message)];
  const before = peak(recorded as Replayed);
  const cells = [number(sizeText(before))];
  if (asked) {
    const now = peak(asked as Replayed);
    cells.push(number(sizeText(now)),
               number(difference(now - before, before, sizeText), `change ${tendency(now - before)}`));
  }
  return [...cells, element("td", {}, outcomeOf((asked ?? recorded) as Replayed))];
}

function peak({ metrics }: Replayed): number {
  return metrics["peak_reserved"] ?? 0;
}
