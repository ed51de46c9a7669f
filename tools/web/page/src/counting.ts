// Seconds beside what is worked on, so that a long silence is not taken for an end.
import { element } from "../../report/src/dom";

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
