// The report in a frame of vramlab.html. The page gives the frame the height of its window and
// scrolls it along, so that there is one scroll bar; the frame tells how long it is, and what of
// itself it was made to show. The page also says which colours it has.
import { byId } from "./dom";
import { setTheme } from "./theme";
import type { Chosen } from "./chosen";

/** Messages of the page to the frame. */
export interface ToFrame { theme?: unknown; top?: unknown }
/** Messages of the frame to the page: its length, how far it has scrolled itself, and the event of a
 *  device from where on its steps are asked. */
export interface FromFrame { length?: number; scrolled?: number; steps?: { device: number; event: number } }

export const isEmbedded = document.documentElement.dataset["embedded"] !== undefined;

const tell = (message: FromFrame) => window.parent.postMessage(message, "*");

export function followParent(chosen: () => Chosen): void {
  if (!isEmbedded) return;
  let top = 0;
  window.addEventListener("message", ({ source, data }: MessageEvent<ToFrame>) => {
    if (source !== window.parent) return;
    if (data?.theme === "dark" || data?.theme === "light") setTheme(data.theme);
    if (typeof data?.top === "number") {
      top = data.top;
      window.scrollTo(0, top);
    }
  });
  // Focus and links inside of the frame scroll it, too.
  window.addEventListener("scroll", () => {
    if (Math.abs(window.scrollY - top) < 2) return;
    top = window.scrollY;
    tell({ scrolled: top });
  });
  new ResizeObserver(() => tell({ length: document.body.offsetHeight })).observe(document.body);
  byId("steps").addEventListener("click", () => {
    const { lead } = chosen();
    const step = lead.device.states.steps[lead.state]!;
    tell({ steps: { device: lead.device.number, event: Math.max(0, step - 1) } });
  });
}

/** The steps of a recording are known by its own events, those of a replay are not. */
export function offerSteps({ lead }: Chosen): void {
  byId("steps").hidden = !isEmbedded || lead.run.json.origin !== "recorded" ||
    !lead.device.hasHistory || lead.device.number < 0;
}
