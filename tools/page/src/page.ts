// vramlab.html: the program in a page. A recording is opened, looked at, and asked.
import { byId, element } from "../../report_page/src/dom";
import { sizeText } from "../../report_page/src/format";
import { setUpTheme } from "../../report_page/src/theme";
import { AskedView } from "./asked_view";
import { DecideView } from "./decide_view";
import { DrawnView } from "./drawn_view";
import { unpacked } from "./embedded";
import { faultNode } from "./faults";
import { LearnView } from "./learn/learn_view";
import { named, open } from "./opened";
import type { Opened } from "./opened";
import type { NamedFile, Progress } from "./orders";
import { Program } from "./program";

const { code, script, example } = unpacked();
// One for each thing that goes on at a time, so that none gives up what another one does.
const newProgram = () => new Program(code, script);
const opener = newProgram();
const asker = newProgram();
const decider = newProgram();
const drawer = newProgram();

let opened: Opened | null = null;
const drawn = new DrawnView(drawer);
const asked = new AskedView(asker, () => {
  if (opened) drawn.ask(opened, asked.settings);
});
const decide = new DecideView(decider, () => opened!, () => asked.settings,
                              (conf) => asked.set({ ...asked.settings, conf }));

function showProgress({ bytes_read: done, bytes_total: total }: Progress): void {
  const bar = byId<HTMLProgressElement>("progress");
  if (total === null) bar.removeAttribute("value");
  else bar.value = done / total;
  byId("working").textContent =
    `Reading: ${sizeText(done)}${total === null ? "" : ` of ${sizeText(total)}`}`;
}

function showFacts({ files, facts, verified }: Opened): void {
  const list = byId("facts");
  const rows: [string, string][] = facts.map((file) => [
    file.file, `${file.format}, ${sizeText(file.bytes)}, version ${file.version}`]);
  for (const device of facts.length === 1 ? facts[0]!.devices : []) {
    const memory = device.segments ? `, ${sizeText(device.segments.reserved_bytes)} reserved at the end` : "";
    rows.push([`GPU ${device.device}`, `${device.events} events${memory}. ${device.history_reason}`]);
  }
  if (verified) rows.push(["Replay", verified.label]);
  if (files.length > 1)
    rows.push(["Several files", "Figures and pictures are those of the first; settings are judged by all."]);
  list.replaceChildren(...rows.flatMap(([name, text]) =>
    [element("dt", {}, name), element("dd", {}, text)]));
  list.hidden = false;
}

async function openFiles(files: NamedFile[]): Promise<void> {
  if (files.length === 0) return;
  const problem = byId("problem");
  problem.hidden = true;
  byId("work").hidden = false;
  byId("working").textContent = "Opening…";
  byId<HTMLProgressElement>("progress").removeAttribute("value");
  try {
    const found = await open(opener, files, showProgress);
    opened = found;
    document.body.classList.add("opened");
    showFacts(found);
    drawn.clear();
    decide.clear();
    for (const id of ["ask", "decide", "see"]) byId(id).hidden = false;
    byId("work").hidden = true;
    await asked.open(found);
  } catch (error) {
    const fault = faultNode(error);
    if (fault) problem.replaceChildren(fault);
    problem.hidden = fault === null;
  } finally {
    byId("work").hidden = true;
  }
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

/** The words that may follow, as the shells' completions ask for them. */
async function fillChoices(): Promise<void> {
  const completer = newProgram();
  const candidates = async (option: string) => {
    const { output } = await completer.run(["complete", "--", "replay", option, ""], []);
    return output.split("\n").filter((line) => line !== "").map((line) => line.split("\t")[0]!);
  };
  const choice = (value: string) => element("option", { value }, value);
  byId("gpu").append(...(await candidates("--gpu")).map(choice));
  const versions = await candidates("--reference");
  for (const id of ["reference", "learn-reference"]) byId(id).append(...versions.map(choice));
  byId("options").append(...(await candidates("--conf")).map((value) => element("option", { value })));
  completer.close();
  asked.set(asked.settings);
}

setUpTheme(byId<HTMLButtonElement>("theme"));
setUpOpening();
new LearnView(newProgram());
void fillChoices();
