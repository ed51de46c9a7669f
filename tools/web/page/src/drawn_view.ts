// The report page of the recording, in a frame: the same page that `vramlab report` writes.
import { byId } from "../../report/src/dom";
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
  private readonly frame = byId<HTMLIFrameElement>("report");
  private readonly drawing = byId("drawing");
  private waiting = 0;
  private drawn = "";

  /** A frame without a document is white in every theme, so it is not seen before it has one. */
  constructor(private readonly program: Program) {
    this.frame.classList.add("empty");
    this.frame.addEventListener("load", () =>
      this.frame.classList.toggle("empty", this.frame.srcdoc === ""));
    onThemeChange(() => this.frame.contentWindow?.postMessage({ theme: theme() }, "*"));
  }

  /** A new recording: what is drawn belongs to another one. */
  clear(): void {
    window.clearTimeout(this.waiting);
    this.program.cancel();
    this.drawn = "";
    this.frame.classList.add("empty");
    this.frame.srcdoc = "";
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
      this.frame.srcdoc = output.replace("<html", `<html data-embedded data-theme="${theme()}"`);
      this.drawing.hidden = true;
    } catch (error) {
      const fault = faultNode(error);
      if (!fault) return;
      this.drawn = "";
      this.drawing.replaceChildren(fault);
    }
  }
}
