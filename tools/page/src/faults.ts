// What the program or the browser says went wrong, in the program's own words.
import { element } from "../../report_page/src/dom";
import { Broken, Cancelled, Refusal } from "./program";

/** Nothing for what the user gave up. */
export function faultNode(error: unknown): Node | null {
  if (error instanceof Cancelled) return null;
  if (!(error instanceof Refusal)) return document.createTextNode(sentence(error));
  const { file, position, expected, found, text } = error.fault;
  if (file === undefined) return document.createTextNode(text);
  const list = element("dl");
  for (const [name, value] of [["file", file], ["position", position], ["expected", expected],
                               ["found", found]])
    if (value) list.append(element("dt", {}, name!), element("dd", {}, value));
  return list;
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Broken)) return text;
  return `The program ended: ${text}. If the file is large, a page may have too little memory for it ` +
    "(4 GiB at most): the program vramlab on this machine has no such limit.";
}
