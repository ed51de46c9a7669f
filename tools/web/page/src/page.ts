// vramlab.html: the program in a page. A recording is opened, looked at, and asked.
import { byId, element } from "../../report/src/dom";
import { numberText, sizeText } from "../../report/src/format";
import { setUpTheme } from "../../report/src/theme";
import { AskedView } from "./asked_view";
import { showCounting } from "./counting";
import { DecideView } from "./decide_view";
import { DrawnView } from "./drawn_view";
import { unpacked } from "./embedded";
import { faultNode } from "./faults";
import { LearnView } from "./learn/learn_view";
import { choose, named, open } from "./opened";
import type { Opened } from "./opened";
import type { NamedFile, Progress, Work } from "./orders";
import { Program } from "./program";
import { RanksView } from "./ranks_view";
import { ToldView } from "./told_view";

/** As the page was opened: questions change the address. */
const address = location.hash;
const { code, script, example } = unpacked();
// One for each thing that goes on at a time, so that none gives up what another one does.
const newProgram = () => new Program(code, script);
const opener = newProgram();
const asker = newProgram();
const decider = newProgram();
const drawer = newProgram();

let opened: Opened | null = null;
let openings = 0;
const drawn = new DrawnView(drawer, (device, event) => learn.showMoment(opened!, device, event));
const told = new ToldView(newProgram());
const ranks = new RanksView(newProgram(), (file) => void showOpened(() => choose(opener, opened!, file)));
const asked = new AskedView(asker, () => {
  if (!opened) return;
  ranks.ask(opened, asked.settings);
  drawn.ask(opened, asked.settings);
});
const decide = new DecideView(decider, () => opened!, () => asked.settings,
                              (conf) => asked.set({ ...asked.settings, conf }));

function showProgress({ what, bytes_read: done, bytes_total: total }: Progress): void {
  const bar = byId<HTMLProgressElement>("progress");
  const working = byId("working");
  const isRead = total !== null && done > 0.98 * total;
  if (total === null || isRead) bar.removeAttribute("value");
  else bar.value = done / total;
  const replaying = `Replaying ${what}…`;
  if (!isRead)
    working.textContent = `Reading ${what}: ${sizeText(done)}${total === null ? "" : ` of ${sizeText(total)}`}`;
  else if (!working.textContent!.startsWith(replaying))
    showCounting(working, replaying);
}

function showStep({ what, step, done, total }: Work): void {
  const bar = byId<HTMLProgressElement>("progress");
  if (done === null || !total) return bar.removeAttribute("value");
  bar.value = done / total;
  byId("working").textContent = `${what}: ${step}, ${Math.round(100 * done / total)} %`;
}

function showFacts({ files, facts, verified, chosen }: Opened): void {
  const list = byId("facts");
  const rows: [string, string][] = facts.map((file) => {
    const origin = file.version === "unknown" ? "" : `, written by PyTorch ${file.version}`;
    const events = file.program ? `, ${numberText(file.program.events)} events` : "";
    return [file.file, `${file.format}, ${sizeText(file.bytes)}${origin}${events}`];
  });
  for (const device of facts.length === 1 ? facts[0]!.devices : []) {
    const memory = device.segments ? `, ${sizeText(device.segments.reserved_bytes)} reserved at the end` : "";
    rows.push([`GPU ${device.device}`, `${numberText(device.events)} events${memory}. ${device.history_reason}`]);
  }
  if (verified) rows.push([files.length > 1 ? `Replay of ${chosen.name}` : "Replay", verified.label]);
  list.replaceChildren(...rows.flatMap(([name, text]) =>
    [element("dt", {}, name), element("dd", {}, text)]));
  list.hidden = false;
}

async function showOpened(found: () => Promise<Opened>): Promise<void> {
  const problem = byId("problem");
  const opening = ++openings;
  problem.hidden = true;
  byId("work").hidden = false;
  showCounting(byId("working"), "Opening…");
  byId<HTMLProgressElement>("progress").removeAttribute("value");
  try {
    opened = await found();
    document.body.classList.add("opened");
    showFacts(opened);
    drawn.clear();
    decide.clear();
    for (const id of ["told", "ask", "decide", "see"]) byId(id).hidden = false;
    byId("work").hidden = true;
    // Beside the figures, not after them.
    void told.ask(opened);
    drawn.ask(opened, asked.settings);
    await asked.open(opened);
  } catch (error) {
    const fault = faultNode(error);
    if (fault) problem.replaceChildren(fault);
    problem.hidden = fault === null;
  } finally {
    // Not what says that another one is opened meanwhile.
    if (opening === openings) byId("work").hidden = true;
  }
}

async function openFiles(files: NamedFile[]): Promise<void> {
  if (files.length > 0) await showOpened(() => open(opener, files, { read: showProgress, work: showStep }));
}

function setUpOpening(): void {
  const drop = byId("drop");
  const choose = byId<HTMLInputElement>("choose");
  choose.addEventListener("change", () => {
    void openFiles(named([...choose.files!]));
    choose.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  document.addEventListener("dragleave", () => drop.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    void openFiles(named([...(event.dataTransfer?.files ?? [])]));
  });
  byId("example").addEventListener("click", () => {
    void openFiles([{ name: "example.pickle", data: new Blob([example]) }]);
  });
  byId("cancel").addEventListener("click", () => opener.cancel());
}

/** The program's list: a line for each group, and below it one for each GPU with its memory. */
function gpuGroups(list: string): HTMLElement[] {
  const groups: HTMLElement[] = [];
  for (const line of list.split("\n")) {
    const [name, memory] = line.split(/ {2,}/);
    if (!name || !memory) continue;
    if (/^\d/.test(memory)) groups.at(-1)?.append(element("option", { value: name }, `${name}, ${memory}`));
    else groups.push(element("optgroup", { label: name }));
  }
  return groups;
}

/** The words that may follow, as the shells' completions ask for them. */
async function fillChoices(): Promise<void> {
  const completer = newProgram();
  const candidates = async (option: string) => {
    const { output } = await completer.run(["complete", "--", "replay", option, ""], []);
    return output.split("\n").filter((line) => line !== "").map((line) => line.split("\t")[0]!);
  };
  const choice = (value: string) => element("option", { value }, value);
  byId("gpu").append(...gpuGroups((await completer.run(["replay", "--list-gpus"], [])).output));
  const versions = await candidates("--reference");
  for (const id of ["reference", "learn-reference", "learn-beside"]) byId(id).append(...versions.map(choice));
  byId("options").append(...(await candidates("--conf")).map((value) => element("option", { value })));
  completer.close();
  asked.set(asked.settings);
}

setUpTheme(byId<HTMLButtonElement>("theme"));
setUpOpening();
const learn = new LearnView(newProgram(), address);
void fillChoices();
