// The question and its answer in figures: what was recorded beside what would have happened.
import { byId, element } from "../../report/src/dom";
import { sizeText } from "../../report/src/format";
import type { Replayed } from "./answers";
import { copyTextOf } from "./copying";
import { showWork } from "./counting";
import { faultNode } from "./faults";
import type { Opened } from "./opened";
import { Program } from "./program";
import { addressOf, commandLine, isUnchanged, settingWords, settingsOfAddress, unchanged } from "./settings";
import type { Settings } from "./settings";

interface Row { metric: string; label: string; isSize: boolean }

const rows: Row[] = [
  { metric: "peak_reserved", label: "Peak reserved", isSize: true },
  { metric: "peak_allocated", label: "Peak allocated", isSize: true },
  { metric: "stranded_at_peak", label: "Stranded at the peak", isSize: true },
  { metric: "device_allocs", label: "Device allocations", isSize: false },
  { metric: "device_frees", label: "Device frees", isSize: false },
  { metric: "units_mapped", label: "Units mapped", isSize: false },
  { metric: "out_of_memory", label: "Failed requests", isSize: false },
];

/** The slider's steps are fine where devices are small: its value is a power. */
const sliderSteps = 1000;
const leastGib = 0.125;
const mostGib = 512;

/** An answer that comes sooner is not announced. */
const quickMs = 300;

export class AskedView {
  private readonly conf = byId<HTMLInputElement>("conf");
  private readonly gpu = byId<HTMLSelectElement>("gpu");
  private readonly memory = byId<HTMLInputElement>("memory");
  private readonly memoryText = byId<HTMLOutputElement>("memory-text");
  private readonly reference = byId<HTMLSelectElement>("reference");
  private opened: Opened | null = null;
  private recorded: Replayed | null = null;
  private isAsking = false;
  private hasNewer = false;
  settings: Settings = settingsOfAddress(location.hash);

  /** `answered` is told when figures stand there. */
  constructor(private readonly program: Program, private readonly answered: (asked: Replayed) => void) {
    const form = byId<HTMLFormElement>("question");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => this.changed(event.target as HTMLElement));
    form.addEventListener("reset", () => this.set(unchanged));
    byId("copy").addEventListener("click", () => void copyTextOf(byId("command")));
    window.addEventListener("hashchange", () => this.set(settingsOfAddress(location.hash)));
    this.show();
  }

  /** Throws what Program.run() throws, if even what was recorded can't be replayed. */
  async open(opened: Opened): Promise<void> {
    this.opened = opened;
    this.recorded = null;
    byId("figures").replaceChildren();
    byId("certainty").textContent = "";
    byId("command").textContent = commandLine(["replay", opened.chosen.name]);
    this.recorded = await this.replay(unchanged);
    await this.ask();
  }

  set(settings: Settings): void {
    this.settings = settings;
    this.show();
    void this.ask();
  }

  private changed(by: HTMLElement): void {
    const conf = this.conf.value.trim();
    this.settings = {
      conf: conf === "" ? null : conf,
      gpu: by === this.memory ? "" : this.gpu.value,
      memory: by === this.gpu ? null : by === this.memory ? this.sliderGib() : this.settings.memory,
      reference: this.reference.value,
    };
    this.show(by);
    void this.ask();
  }

  /** A field that is typed in stays as it is typed. */
  private show(typedIn?: HTMLElement): void {
    const { conf, gpu, memory, reference } = this.settings;
    if (typedIn !== this.conf) this.conf.value = conf ?? "";
    this.gpu.value = gpu;
    this.reference.value = reference;
    if (typedIn !== this.memory)
      this.memory.value = String(memory === null ? sliderSteps : stepOf(memory));
    this.memoryText.textContent =
      memory !== null ? sizeText(memory * 2 ** 30) : gpu !== "" ? `of ${gpu}` : "as recorded";
    history.replaceState(null, "", addressOf(this.settings));
  }

  private sliderGib(): number | null {
    const step = Number(this.memory.value);
    if (step >= sliderSteps) return null;
    const gib = leastGib * (mostGib / leastGib) ** (step / sliderSteps);
    return Math.round(gib * 64) / 64;
  }

  private async replay(settings: Settings): Promise<Replayed> {
    const { files, chosen } = this.opened!;
    const words = ["replay", chosen.name, ...settingWords(settings), "--json"];
    const asking = byId("asking");
    const listener = showWork(asking, "Replaying…");
    const timer = window.setTimeout(() => { asking.hidden = false; }, quickMs);
    try {
      return JSON.parse((await this.program.run(words, files, listener)).output) as Replayed;
    } finally {
      window.clearTimeout(timer);
      asking.hidden = true;
    }
  }

  /** While an answer is awaited, the latest question waits: to give the program up would close the file. */
  private async ask(): Promise<void> {
    this.hasNewer = this.isAsking;
    if (this.isAsking) return;
    this.isAsking = true;
    do {
      this.hasNewer = false;
      await this.askOnce();
    } while (this.hasNewer);
    this.isAsking = false;
  }

  private async askOnce(): Promise<void> {
    if (!this.opened || !this.recorded) return;
    const settings = this.settings;
    const words = ["replay", this.opened.chosen.name, ...settingWords(settings)];
    byId("command").textContent = commandLine(words);
    try {
      const asked = isUnchanged(settings) ? this.recorded : await this.replay(settings);
      this.refuse(null);
      byId("figures").replaceChildren(outcomeLine(asked), this.table(asked, isUnchanged(settings)));
      byId("certainty").textContent = this.certainty(asked);
      this.answered(asked);
    } catch (error) {
      const fault = faultNode(error);
      if (fault) this.refuse(fault);
    }
  }

  /** The figures below a refusal are those of the last question that was answered. */
  private refuse(fault: Node | null): void {
    const refused = byId("refused");
    refused.replaceChildren(...(fault ? [fault] : []));
    refused.hidden = fault === null;
    byId("ask").classList.toggle("refused", fault !== null);
  }

  private table(asked: Replayed, isSame: boolean): HTMLElement {
    const head = ["", "recorded", ...(isSame ? [] : ["asked", "difference"])];
    const table = element("table");
    table.append(element("thead", {}, element("tr", {}, ...head.map((text, i) =>
      element("th", { scope: "col", ...(i > 0 ? { class: "number" } : {}) }, text)))));
    const body = element("tbody");
    for (const row of rows) {
      const before = recordedFigure(this.recorded!, row.metric);
      const now = asked.metrics[row.metric] ?? 0;
      if (before === 0 && now === 0 && row.metric !== "out_of_memory") continue;
      const text = (value: number) => (row.isSize ? sizeText(value) : String(value));
      const line = element("tr", { "data-metric": row.metric },
                           element("th", { scope: "row" }, row.label),
                           element("td", { class: "number", "data-value": String(before) }, text(before)));
      if (!isSame)
        line.append(element("td", { class: "number", "data-value": String(now) }, text(now)),
                    element("td", { class: `number change ${tendency(now - before)}` },
                            difference(now - before, before, text)));
      body.append(line);
    }
    table.append(body);
    return table;
  }

  private checkedLabel(): string {
    const { verified, facts, chosen } = this.opened!;
    if (verified)
      return `The recording is ${verified.label} under the rules of PyTorch ${verified.reference}` +
        verified.devices.flatMap(({ reasons }) => reasons).map((reason) => `; ${reason}`).join("") + ".";
    return facts.find(({ file }) => file === chosen.name)?.program
      ? "The file holds a program's requests and no answers to check the rules against."
      : "The recording could not be checked against the rules: it has no events.";
  }

  private certainty(asked: Replayed): string {
    const label = this.checkedLabel();
    const notes = asked.notes.map((note) => `${note[0]!.toUpperCase()}${note.slice(1)}.`);
    return ["How sure: " + label, ...notes].join(" ");
  }
}

/** The file's own figure, where it has one; others are those of a replay under the recorded options. */
function recordedFigure({ devices, metrics }: Replayed, metric: string): number {
  const own = devices.map((device) => metric === "peak_reserved"
    ? device.recorded_peak_reserved_bytes : device.recorded_counts?.[metric] ?? null);
  return own.length > 0 && own.every((figure) => figure !== null)
    ? own.reduce<number>((sum, figure) => sum + figure!, 0) : metrics[metric] ?? 0;
}

function stepOf(gib: number): number {
  return Math.round(sliderSteps * Math.log(gib / leastGib) / Math.log(mostGib / leastGib));
}

export function outcomeOf({ out_of_memory: failures, metrics }: Replayed): string {
  return failures.length > 0 || (metrics["out_of_memory"] ?? 0) > 0 ? "Out of memory" : "It runs";
}

function outcomeLine(asked: Replayed): HTMLElement {
  const { reference, options, devices } = asked;
  const memory = devices[0]?.memory_bytes ?? null;
  const outcome = outcomeOf(asked);
  return element("p", { class: "outcome" },
                 element("strong", { class: outcome === "It runs" ? "better" : "worse" }, outcome),
                 `: rules of PyTorch ${reference}, ${options === "" ? "no options" : options}` +
                 (memory === null ? ", no limit of memory" : `, ${sizeText(memory)} of device memory`));
}

export function tendency(change: number): string {
  return change === 0 ? "" : change > 0 ? "worse" : "better";
}

export function difference(change: number, before: number, text: (value: number) => string): string {
  if (change === 0) return "same";
  const sign = change > 0 ? "+" : "−";
  const share = before === 0 ? "" : ` (${sign}${(100 * Math.abs(change) / before).toFixed(1)}\u00a0%)`;
  return sign + text(Math.abs(change)) + share;
}
