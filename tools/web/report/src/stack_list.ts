// The frames of a stack as a list, innermost first.
import { element } from "./dom";
import { frameText } from "./format";
import type { Frame } from "./model";

export function isPython(file: string): boolean {
  return file.endsWith(".py") || file.startsWith("<");
}

/** The frames as a list. The frames that people wrote are enough where there is little room. */
export function shownStack(frames: Frame[], most: number): Node[] {
  const python = frames.filter((frame) => isPython(frame.file));
  return stackList(most < 10 && python.length > 0 ? python : frames, most);
}

/** The list of the frames; no node where there are no frames. */
export function stackList(frames: Frame[], most: number): Node[] {
  if (frames.length === 0) return [];
  const list = element("ol", { class: "stack" });
  frames.slice(0, most).forEach((frame) => list.append(element("li", {}, frameText(frame))));
  if (frames.length > most) list.append(element("li", {}, `and ${frames.length - most} more`));
  return [list];
}
