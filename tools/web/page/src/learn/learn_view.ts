// The playground: a small program, run by the program itself (`vramlab steps`), and shown step by step
// with the rules that acted. A moment of the recording that is open can be shown in it, too.
import { byId, element } from "../../../report/src/dom";
import { sizeText } from "../../../report/src/format";
import { copyTextOf } from "../copying";
import { faultNode } from "../faults";
import type { Opened } from "../opened";
import type { NamedFile } from "../orders";
import type { Program } from "../program";
import { commandLine } from "../settings";
import { Picture } from "./picture";
import { addressOfProgram, programOfAddress } from "./shared_program";
import { changedOnly, counterList, deeds, isSame, notDone, spellingOf, title } from "./steps";
import type { ShownSteps, Step, Steps } from "./steps";
import { emptyProgram, stations } from "./tour";
import type { Station } from "./tour";

/** Typing goes on; the program is run where it pauses. */
const pauseMs = 250;
const mostEvents = 1000;
/** Few, as each step has the whole state of the recording's memory. */
const eventsOfMoment = 40;
const ownFiles = { script: "program.vtrace.py", records: "program.vtrace.jsonl" };

const given = (id: string) => byId<HTMLInputElement | HTMLSelectElement>(id).value.trim();

export class LearnView {
  private readonly station = byId<HTMLSelectElement>("station");
  private readonly program = byId<HTMLTextAreaElement>("learn-program");
  private readonly slider = byId<HTMLInputElement>("step");
  private readonly picture = new Picture(byId("picture"));
  private readonly picturedBeside = new Picture(byId("picture-beside"));
  private steps: ShownSteps | null = null;
  private waiting = 0;

  /** `address` is what the page was opened with. */
  constructor(private readonly runner: Program, address: string) {
    this.station.append(...stations.map(({ title: name }, i) =>
      element("option", { value: String(i) }, `${i + 1}. ${name}`)),
      element("option", { value: "own" }, "Your own program"));
    this.station.addEventListener("change", () => this.open());
    byId("next-station").addEventListener("click", () => {
      const next = this.station.selectedIndex + 1;
      this.station.selectedIndex = next < stations.length ? next : 0;
      this.open();
    });
    this.program.addEventListener("input", () => {
      this.station.value = "own";
      this.open(this.program.value);
    });
    byId("learn-settings").addEventListener("input", () => this.runSoon());
    byId("learn-settings").addEventListener("submit", (event) => event.preventDefault());
    this.slider.addEventListener("input", () => this.go(this.at));
    for (const [id, to] of [["first", () => 0], ["back", () => this.at - 1], ["next", () => this.at + 1],
                            ["last", () => this.last]] as [string, () => number][])
      byId(`${id}-step`).addEventListener("click", () => this.go(to()));
    byId("learn-share").addEventListener("click", () => this.share());
    this.openShared(address);
  }

  /** The steps of the recording from this event of a device on. */
  showMoment({ chosen, files }: Opened, device: number, event: number): void {
    window.clearTimeout(this.waiting);
    if (this.station.value !== "moment") {
      this.station.append(element("option", { value: "moment" }, "A moment of the recording"));
      this.station.value = "moment";
    }
    this.setOwn(false);
    byId("station-text").textContent =
      `${chosen.name} from event ${event} of GPU ${device} on, replayed as it was recorded.`;
    this.ask(undefined);
    byId("next-station").textContent = "First station";
    this.slider.value = "0";
    byId("learn").scrollIntoView();
    void this.runWords(["steps", chosen.name, "--from", String(event)], files, eventsOfMoment,
                       (steps) => changedOnly(steps, device));
  }

  /** Whether the program can be changed and shared. */
  private setOwn(isOwn: boolean): void {
    byId("learn-change").hidden = !isOwn;
    byId("learn-sharing").hidden = !isOwn;
    if (isOwn) this.station.querySelector("[value=moment]")?.remove();
  }

  private openShared(address: string): void {
    const shared = programOfAddress(address);
    if (!shared) return this.open();
    this.station.value = "own";
    this.program.value = shared.program;
    for (const name of ["conf", "memory", "reference", "beside"] as const)
      byId<HTMLInputElement>(`learn-${name}`).value = shared[name];
    this.open(shared.program);
  }

  /** The address gets the program, until a question about a recording takes its place. */
  private share(): void {
    const address = addressOfProgram({ program: this.program.value, conf: given("learn-conf"),
                                       memory: given("learn-memory"), reference: given("learn-reference"),
                                       beside: given("learn-beside") });
    history.replaceState(null, "", address);
    const link = element("code", {}, location.href);
    byId("learn-link").replaceChildren(link);
    void copyTextOf(link);
  }

  private get at(): number {
    return Number(this.slider.value);
  }
  private get last(): number {
    return Math.max(0, (this.steps?.steps.length ?? 0) - 1);
  }

  /** The station that is chosen; of an own program its text. */
  private open(own?: string): void {
    this.setOwn(true);
    const chosen = stations[Number(this.station.value)];
    byId("station-text").textContent = chosen?.text ??
      "A program, one statement in a line, or a native trace in JSON. Each change runs it again.";
    this.ask(chosen);
    byId("next-station").textContent = chosen ? "Next station" : "First station";
    if (own !== undefined) return this.runSoon();
    this.program.value = chosen?.program ?? emptyProgram;
    byId<HTMLSelectElement>("learn-beside").value = chosen?.beside ?? "";
    this.slider.value = "0";
    void this.run();
  }

  /** The question of a station, whose answer is folded. */
  private ask(of: Station | undefined): void {
    const question = byId<HTMLDetailsElement>("station-question");
    question.hidden = of === undefined;
    question.open = false;
    question.querySelector("summary")!.textContent = of?.question ?? "";
    question.querySelector("p")!.textContent = of?.answer ?? "";
  }

  private runSoon(): void {
    window.clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => void this.run(), pauseMs);
  }

  private words(file: string): string[] {
    const words = ["steps", file];
    if (given("learn-conf") !== "") words.push("--conf", given("learn-conf"));
    if (given("learn-memory") !== "") words.push("--device-memory", `${given("learn-memory")}MiB`);
    if (given("learn-reference") !== "") words.push("--reference", given("learn-reference"));
    if (given("learn-beside") !== "") words.push("--beside", given("learn-beside"));
    return [...words, "--on-oom", "skip"];
  }

  private async run(): Promise<void> {
    window.clearTimeout(this.waiting);
    const spelling = spellingOf(this.program.value);
    const file = stations[Number(this.station.value)]?.file ?? ownFiles[spelling];
    const files = [{ name: file, data: new Blob([this.program.value]) }];
    await this.runWords(this.words(file), files, mostEvents, (steps) => ({ ...steps, left: "", spelling }));
  }

  private async runWords(words: string[], files: NamedFile[], most: number,
                         shown: (steps: Steps) => ShownSteps): Promise<void> {
    byId("learn-link").replaceChildren();
    byId("learn-command").textContent = commandLine(words);
    const problem = byId("learn-problem");
    try {
      const { output } = await this.runner.run([...words, "--count", String(most), "--json"], files);
      this.steps = shown(JSON.parse(output) as Steps);
      problem.hidden = true;
      this.slider.max = String(this.last);
      this.slider.value = String(Math.min(this.at, this.last));
      this.show(false);
      byId("learn").dataset["shown"] = commandLine(words);
    } catch (error) {
      const fault = faultNode(error);
      if (!fault) return;
      problem.replaceChildren(fault);
      problem.hidden = false;
    }
  }

  private go(step: number): void {
    if (!this.steps) return;
    this.slider.value = String(Math.max(0, Math.min(this.last, step)));
    this.show(true);
  }

  private show(moves: boolean): void {
    const { steps, rules, devices, spelling } = this.steps!;
    const step = steps[this.at];
    byId("step-number").textContent = step ? `step ${this.at + 1} of ${steps.length}` : "no steps";
    if (!step) return byId("step-said").replaceChildren(
      this.station.value === "moment" ? "No call of the allocator is in these events."
                                      : "The program has no events.");
    const widest = Math.max(...steps.flatMap(({ segments }) => segments.map(({ bytes }) => bytes)));
    this.picture.show({ step, previous: this.previous(steps), spelling }, widest, moves);
    this.showBeside(step, widest, moves);
    const memory = devices.find(({ device }) => device === step.device)?.memory_bytes ?? null;
    byId("step-memory").textContent = `${sizeText(step.allocated_bytes)} allocated, ` +
      `${sizeText(step.reserved_bytes)} ${step.memory === "pinned" ? "pinned" : "reserved"}` +
      (memory === null || step.memory === "pinned" ? "" : ` of ${sizeText(memory)}`) +
      this.steps!.left;
    const acted = step.rules.flatMap((rule) =>
      [element("dt", {}, `Rule ${rule}`), element("dd", {}, rules[rule] ?? "")]);
    byId("step-said").replaceChildren(
      element("h3", {}, title(step, spelling)),
      element("code", {}, spelling === "script" ? step.line : step.record),
      ...(step.call_site ? [element("p", {}, `at ${step.call_site}`)] : []),
      ...[...deeds(step), ...notDone(step)].map((sentence) => element("p", {}, sentence)),
      acted.length > 0 ? element("dl", {}, ...acted)
                       : element("p", {}, step.memory === "pinned"
                           ? "The rules of pinned memory are in docs/reference/fidelity.md, section 18."
                           : "No rule decides anything here."),
      ...(step.counters.length > 0
          ? [element("p", { class: "counters" },
                     `${step.memory === "pinned" ? "host_" : ""}memory_stats(): ${counterList(step)}`)] : []));
  }

  /** The step before this one that is about the same memory. */
  private previous(steps: Step[]): Step | undefined {
    const step = steps[this.at]!;
    return steps.slice(0, this.at).filter(({ device, memory }) =>
      memory === step.memory && (memory === "pinned" || device === step.device)).at(-1);
  }

  /** The same step by the rules of the other version, if one is asked for. */
  private showBeside(step: Step, widest: number, moves: boolean): void {
    const { beside, reference, spelling } = this.steps!;
    const said = byId("beside-said");
    const other = beside?.steps[this.at];
    const isDrawn = other !== undefined && !isSame(step, other);
    byId("picture-beside").hidden = !isDrawn;
    said.hidden = beside === null;
    if (beside === null) return;
    if (!isDrawn)
      return said.replaceChildren(other === undefined ? `PyTorch ${beside.reference}: the replay is over.`
                                                      : `PyTorch ${beside.reference} does the same here.`);
    said.replaceChildren(`Above: PyTorch ${reference}. Below: PyTorch ${beside.reference}, which does otherwise. ` +
                         [...deeds(other), ...notDone(other)].join(" "));
    this.picturedBeside.show({ step: other, previous: this.previous(beside.steps), spelling }, widest, moves);
  }
}
