// The report page of the recording, in a frame: the same page that `vramlab report` writes. The frame
// stays in the window while the page scrolls past its length, and is told how far: so there is one
// scroll bar.
import { byId } from "../../report/src/dom";
import type { FromFrame, ToFrame } from "../../report/src/embedded";
import { isDark, onThemeChange } from "../../report/src/theme";
import { showWork } from "./counting";
import { faultNode } from "./faults";
import type { Opened } from "./opened";
import { writtenFile } from "./orders";
import type { Program } from "./program";
import { isUnchanged, settingWords } from "./settings";
import type { Settings } from "./settings";

/** Typing goes on; the drawing waits until it has ended. */
const pauseMs = 600;

const theme = () => (isDark() ? "dark" : "light");

export class DrawnView {
  /** As long as the report: the frame stays in view in it. */
  private readonly place = byId("report-place");
  private readonly frame = byId<HTMLIFrameElement>("report");
  private readonly drawing = byId("drawing");
  private waiting = 0;
  private drawn = "";

  /** A frame without a document is white in every theme, so it is not seen before it has one. */
  constructor(private readonly program: Program,
              private readonly showSteps: (device: number, event: number) => void) {
    this.place.classList.add("empty");
    this.frame.addEventListener("load", () =>
      this.place.classList.toggle("empty", this.frame.srcdoc === ""));
    onThemeChange(() => this.tell({ theme: theme() }));
    window.addEventListener("message", ({ source, data }: MessageEvent<FromFrame>) => {
      if (source === this.frame.contentWindow && typeof data === "object" && data) this.take(data);
    });
    for (const change of ["scroll", "resize"]) window.addEventListener(change, () => this.follow());
  }

  private tell(message: ToFrame): void {
    this.frame.contentWindow?.postMessage(message, "*");
  }

  private take({ length, scrolled, steps }: FromFrame): void {
    if (typeof length === "number" && length > 0) {
      this.place.style.height = `${Math.ceil(length)}px`;
      this.follow();
    }
    if (typeof scrolled === "number")
      window.scrollBy(0, this.place.getBoundingClientRect().top + scrolled);
    if (typeof steps?.device === "number" && typeof steps.event === "number")
      this.showSteps(steps.device, steps.event);
  }

  /** The frame shows the part of the report that would be in the window. */
  private follow(): void {
    const { top, height } = this.place.getBoundingClientRect();
    const most = Math.max(0, height - this.frame.clientHeight);
    this.tell({ top: Math.min(most, Math.max(0, -top)) });
  }

  /** A new recording: what is drawn belongs to another one. */
  clear(): void {
    window.clearTimeout(this.waiting);
    this.program.cancel();
    this.drawn = "";
    this.place.classList.add("empty");
    this.frame.srcdoc = "";
    this.place.style.height = "";
  }

  ask(opened: Opened, settings: Settings): void {
    window.clearTimeout(this.waiting);
    const wanted = ["report", opened.chosen.name, ...settingWords(settings)];
    if (wanted.join("\n") === this.drawn) return;
    this.waiting = window.setTimeout(() => void this.draw(opened, settings, wanted),
                                     this.drawn === "" ? 0 : pauseMs);
  }

  private async draw(opened: Opened, settings: Settings, words: string[]): Promise<void> {
    // From now on: who asks for the same again gets this one.
    this.drawn = words.join("\n");
    this.drawing.hidden = false;
    const listener = showWork(this.drawing, "Drawing…");
    byId("see-what").textContent = isUnchanged(settings) ? "what was recorded" : "both, recorded and asked";
    try {
      const { output } = await this.program.run([...words, "-o", writtenFile], opened.files, listener);
      // The page shows the report's answer itself; with several files it shows only that of the worst.
      const told = opened.files.length === 1 ? " data-told" : "";
      this.frame.srcdoc = output.replace("<html", `<html data-embedded${told} data-theme="${theme()}"`);
      this.drawing.hidden = true;
    } catch (error) {
      const fault = faultNode(error);
      if (!fault) return;
      this.drawn = "";
      this.drawing.replaceChildren(fault);
    }
  }
}
