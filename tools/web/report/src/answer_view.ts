// The answer about a recording, as `vramlab explain` gives it: a sentence, then a fact a row.
import { element, factList } from "./dom";
import type { Panel } from "./chosen";

export interface AnswerLine { name: string; text: string }
export interface Answer { headline: string; lines: AnswerLine[] }

export function hasAnswer({ run }: Panel): boolean {
  return run.json.answer !== null;
}

export function answerView({ run }: Panel): HTMLElement {
  return run.json.answer ? answerNode(run.json.answer)
    : element("p", { class: "note" }, "This is a replay; only recordings are explained here.");
}

export function answerNode({ headline, lines }: Answer): HTMLElement {
  return element("div", {}, element("p", { class: "headline" }, headline),
                 factList(lines.map(({ name, text }) => [name, text])));
}
