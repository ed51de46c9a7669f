// Commands that can be copied.
import { element } from "../../report/src/dom";

export async function copyTextOf(node: Element): Promise<void> {
  const range = document.createRange();
  range.selectNodeContents(node);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
  // From a file the clipboard may be refused; the text is selected in any case.
  await navigator.clipboard?.writeText(node.textContent ?? "").catch(() => undefined);
}

/** A line with the text, a button that copies it, and what else belongs to it. */
export function copyable(text: string, ...more: Node[]): HTMLElement {
  const code = element("code", {}, text);
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", () => void copyTextOf(code));
  return element("p", { class: "command" }, code, button, ...more);
}
