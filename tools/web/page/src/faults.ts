// Faults that the program or the browser tells of, in the program's own words.
import { element } from "../../report/src/dom";
import { sizeText } from "../../report/src/format";
import { writtenFile } from "./orders";
import { Broken, Cancelled, Refusal, TooLarge } from "./program";
import { commandLine } from "./settings";

/** A node that tells of the error; null for a command that the user gave up. */
export function faultNode(error: unknown): Node | null {
  if (error instanceof Cancelled) return null;
  if (error instanceof TooLarge) return tooLargeNode(error);
  if (!(error instanceof Refusal)) return document.createTextNode(sentence(error));
  const { file, position, expected, found, text } = error.fault;
  if (file === undefined) return document.createTextNode(text);
  const list = element("dl");
  for (const [name, value] of [["file", file], ["position", position], ["expected", expected],
                               ["found", found]])
    if (value) list.append(element("dt", {}, name!), element("dd", {}, value));
  return list;
}

/** Events are read one after the other: what is left of a file needs what was read of it. */
function tooLargeNode({ words, had, read }: TooLarge): Node {
  const share = read?.bytes_total ? read.bytes_read / read.bytes_total : 0;
  const isKnown = share > 0.1 && share < 1;
  const needed = isKnown ? `about ${sizeText(had / share)}` : `more than the ${sizeText(had)} that it got`;
  const command = words.filter((word) => word !== "--json")
    .map((word) => (word === writtenFile ? "report.html" : word));
  return element("p", {}, `This needs ${needed} of memory, and a page has 4 GiB at most. ` +
                 "The program on a machine has no such limit: ", element("code", {}, commandLine(command)));
}

function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof Broken ? `The program ended: ${text}.` : text;
}
