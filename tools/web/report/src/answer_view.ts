// The answer about a recording, as `vramlab explain` gives it: a sentence, then a fact a row.
import { element } from "./dom";
import type { Panel } from "./chosen";

export function hasAnswer({ run }: Panel): boolean {
  return run.json.answer !== null;
}

export function answerView({ run }: Panel): HTMLElement {
  const { answer } = run.json;
  if (!answer) return element("p", { class: "note" }, "a replay, which is not explained here");
  const list = element("dl", { class: "facts" });
  for (const { name, text } of answer.lines)
    list.append(element("dt", {}, name), element("dd", {}, text));
  return element("div", {}, element("p", { class: "headline" }, answer.headline), list);
}
