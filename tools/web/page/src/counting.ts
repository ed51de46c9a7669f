// Seconds and percents beside what is worked on, so that a long silence is not taken for an end.
import { element } from "../../report/src/dom";
import type { Work } from "./orders";
import type { Listener } from "./program";

/** The text and its seconds, until the node gets other content. */
export function showCounting(node: HTMLElement, text: string): void {
  const begin = Date.now();
  // The text is read aloud once, and not anew with each second.
  const seconds = element("span", { "aria-hidden": "true" });
  node.replaceChildren(`${text} `, seconds);
  const timer = window.setInterval(() => {
    if (!seconds.isConnected) return window.clearInterval(timer);
    seconds.textContent = `${Math.round((Date.now() - begin) / 1000)} s`;
  }, 1000);
}

/** The text, and what the program tells of its work: reading, or a step with its percents. */
export function showWork(node: HTMLElement, text: string): Listener {
  showCounting(node, text);
  // It is not read aloud anew with each change.
  const told = element("span", { "aria-hidden": "true" });
  node.append(" ", told);
  const tell = (step: string, done: number | null, total: number | null) => {
    const share = done === null || !total ? "" : ` ${Math.round(100 * done / total)} %`;
    told.textContent = `(${step}${share})`;
  };
  return {
    read: ({ what, bytes_read: done, bytes_total: total }) => tell(`reads ${what}`, done, total),
    work: ({ step, done, total }: Work) => tell(step, done, total),
  };
}
