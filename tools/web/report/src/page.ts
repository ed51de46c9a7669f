// The page: unpacks the runs, puts the views beside each other and the controls to work.
import { aboutView, eventText } from "./about_view";
import { answerView, hasAnswer } from "./answer_view";
import { readRun } from "./bytes";
import { Chosen, Panel, type Axis } from "./chosen";
import { byId, element, Hint } from "./dom";
import { followParent, offerSteps } from "./embedded";
import { EventsView } from "./events_view";
import { FlameView } from "./flame_view";
import { numberText, shareText, sizeText, timeText } from "./format";
import { deviceText, hasHostLane, hostDevice, HostView } from "./host_view";
import { externalFragmentation, figuresOf, Run, type RunJson } from "./model";
import { OverviewView } from "./overview_view";
import { PinnersView } from "./pinners_view";
import { SegmentsView, type BlockColours } from "./segments_view";
import { forgetThemeListeners, setUpTheme } from "./theme";
import { deviceCallsView, fragmentationView, MemoryView, type Curves } from "./timeline_view";

const hint = new Hint();
let chosen = new Chosen();
let runs: Run[] = [];
let segmentViews: SegmentsView[] = [];
let eventViews: EventsView[] = [];
let memoryViews: MemoryView[] = [];

async function readRuns(): Promise<Run[]> {
  const read: Run[] = [];
  for (const node of document.querySelectorAll("script.run")) {
    const { json, bytes } = await readRun(node.textContent ?? "");
    node.textContent = "";
    read.push(new Run(json as RunJson, bytes));
  }
  return read;
}

function panelsOf(device: number): Panel[] {
  const panels: Panel[] = [];
  for (const run of runs) {
    const found = run.devices.find((each) => each.number === device) ?? run.devices[0];
    if (found) panels.push(new Panel(panels.length, run, found));
  }
  return panels;
}

/** In the section of this name, one of these for each panel. */
function fill(name: string, make: (panel: Panel) => Node): void {
  const place = byId(`${name}-panels`);
  place.replaceChildren();
  for (const panel of chosen.panels) {
    const box = element("article", { class: "panel", "data-panel": String(panel.number) });
    if (chosen.panels.length > 1) box.append(element("h3", {}, panel.title));
    box.append(make(panel));
    place.append(box);
  }
  place.classList.toggle("several", chosen.panels.length > 1);
}

function show(device: number): void {
  const { axis } = chosen;
  forgetThemeListeners();
  setUpTheme(byId<HTMLButtonElement>("theme"));
  chosen = new Chosen();
  chosen.axis = axis;
  chosen.show(panelsOf(device));
  const hasHistory = chosen.panels.some((panel) => panel.device.hasHistory);
  document.body.classList.toggle("state-only", !hasHistory);
  byId("overview").replaceChildren(new OverviewView(chosen).node);
  chosen.onMoment(showMoment);
  segmentViews = [];
  eventViews = [];
  memoryViews = [];
  document.body.classList.toggle("host-memory", chosen.panels.every(
    (panel) => panel.device.number === hostDevice));
  byId("answer").hidden = !chosen.panels.some(hasAnswer);
  fill("answer", answerView);
  fill("memory", (panel) => {
    const view = new MemoryView(chosen, panel, hint);
    memoryViews.push(view);
    return view.node;
  });
  byId("host").hidden = !chosen.panels.some(hasHostLane);
  fill("host", (panel) => hasHostLane(panel) ? new HostView(chosen, panel).node
    : element("p", { class: "note" }, "nothing is known of pinned host memory"));
  fill("state", (panel) => {
    const view = new SegmentsView(chosen, panel, hint);
    segmentViews.push(view);
    return view.node;
  });
  fill("flame", (panel) => new FlameView(chosen, panel, hint).node);
  fill("pinner", (panel) => new PinnersView(chosen, panel, (address) => {
    segmentViews[panel.number]!.selectAt(address);
    byId("state").scrollIntoView({ block: "start" });
  }).node);
  fill("fragmentation", (panel) => fragmentationView(chosen, panel));
  fill("device-call", (panel) => deviceCallsView(chosen, panel));
  fill("event", (panel) => {
    const view = new EventsView(chosen, panel);
    eventViews.push(view);
    return view.node;
  });
  fill("about", aboutView);
  byId("readouts").replaceChildren(...chosen.panels.map((panel) =>
    element("div", { class: "readout", "data-panel": String(panel.number) })));
  offerKinds();
  applyChoices();
  fillGoto();
  const { lead } = chosen;
  chosen.choose(lead, lead.stateAtStep(lead.device.json.peak_allocated.step));
}

/** Kinds and modules can be chosen where a device of the page has them. */
function offerKinds(): void {
  const isKnown = chosen.panels.some(({ device }) => device.kinds.length > 0);
  for (const value of ["kinds", "modules"]) {
    const input = document.querySelector<HTMLInputElement>(`input[name=curves][value=${value}]`)!;
    input.parentElement!.hidden = !isKnown;
    if (!isKnown && input.checked)
      document.querySelector<HTMLInputElement>("input[name=curves][value=sums]")!.checked = true;
  }
}

/** The choices of the controls are applied; a page that is loaded again may keep them. */
function applyChoices(): void {
  const axis = document.querySelector<HTMLInputElement>("input[name=axis]:checked")!.value as Axis;
  chosen.setAxis(chosen.lastX === 0 ? "event" : axis);
  const curves = document.querySelector<HTMLInputElement>("input[name=curves]:checked")!.value;
  if (curves !== "sums") showCurves(curves as Curves);
  segmentViews.forEach((view) =>
    view.colourBy(byId<HTMLSelectElement>("block-colours").value as BlockColours));
  const filter = byId<HTMLInputElement>("filter").value;
  eventViews.forEach((view) => view.filter(filter));
}

function showCurves(curves: Curves): void {
  memoryViews.forEach((view) => view.show(curves));
}

interface Place { text: string; panel: Panel; step: number }

function places(): Place[] {
  return chosen.panels.flatMap((panel) => {
    const { json } = panel.device;
    const of = chosen.panels.length > 1 ? `${panel.title}: ` : "";
    return [
      { text: `${of}beginning`, panel, step: 0 },
      { text: `${of}peak of allocated`, panel, step: json.peak_allocated.step },
      { text: `${of}peak of reserved`, panel, step: json.peak_reserved.step },
      ...json.failures.slice(0, 20).map((failure, i) =>
        ({ text: `${of}out of memory ${i + 1}`, panel, step: failure.event })),
      { text: `${of}end`, panel, step: json.last.step },
    ];
  });
}

function fillGoto(): void {
  const select = byId<HTMLSelectElement>("goto");
  select.replaceChildren(element("option", { value: "" }, "Go to…"), ...places().map((place, i) =>
    element("option", { value: String(i) }, place.text)));
}

function goTo(place: Place | undefined): void {
  if (place) chosen.choose(place.panel, place.panel.stateAtStep(place.step));
}

/** The next one after the chosen moment, or the first. */
function goToFailure(): void {
  const { lead } = chosen;
  const now = lead.device.states.steps[lead.state]!;
  const { failures } = lead.device.json;
  const next = failures.find((failure) => failure.event > now) ?? failures[0];
  if (next) chosen.choose(lead, lead.stateAtStep(next.event));
}

let speaking = 0;

function showMoment(): void {
  const { lead } = chosen;
  const slider = byId<HTMLInputElement>("moment");
  slider.max = String(lead.device.states.count - 1);
  slider.value = String(lead.state);
  slider.setAttribute("aria-valuetext", momentText(lead));
  offerSteps(chosen);
  const texts = chosen.panels.map(showReadout);
  // Whoever listens hears where scrubbing ended, not each step on the way.
  window.clearTimeout(speaking);
  speaking = window.setTimeout(() => (byId("spoken").textContent = texts.join(" ")), 400);
}

function momentText(panel: Panel): string {
  const { states, firstTime, hasHistory } = panel.device;
  if (!hasHistory) return "final state";
  const step = states.steps[panel.state]!;
  const time = timeText(states.times[panel.state]! - firstTime);
  return step === 0 ? "before the first event" : `after event ${eventText(step)}, ${time}`;
}

function showReadout(panel: Panel): string {
  const figures = figuresOf(panel.device.states.stateAt(panel.state));
  const shown: [string, string, string][] = [
    ["allocated", sizeText(figures.allocated), String(figures.allocated)],
    ["requested", sizeText(figures.requested), String(figures.requested)],
    ["waiting", sizeText(figures.waiting), String(figures.waiting)],
    ["reserved", sizeText(figures.reserved), String(figures.reserved)],
    ["free", sizeText(figures.free), String(figures.free)],
    ["largest free", sizeText(figures.largestFree), String(figures.largestFree)],
    ["ext. fragmentation", shareText(externalFragmentation(figures.free, figures.largestFree)), ""],
    ["blocks", numberText(figures.blocks), String(figures.blocks)],
    ["segments", numberText(figures.segments), String(figures.segments)],
  ];
  const list = element("dl", { class: "figures" });
  for (const [name, text, exact] of shown)
    list.append(element("div", { "data-figure": name.replaceAll(" ", "-"), "data-value": exact },
      element("dt", {}, name), element("dd", exact ? { title: `${exact} B` } : {}, text)));
  const title = chosen.panels.length > 1 ? `${panel.title}, ` : "";
  const box = document.querySelector(`.readout[data-panel="${panel.number}"]`)!;
  box.replaceChildren(element("p", { class: "when" }, title + momentText(panel)), list);
  return `${title}${momentText(panel)}: ` +
    shown.slice(0, 4).map(([name, text]) => `${name} ${text}`).join(", ") + ".";
}

function setUpControls(): void {
  const on = (id: string, listener: () => void) => byId(id).addEventListener("click", listener);
  byId<HTMLInputElement>("moment").addEventListener("input", (event) =>
    chosen.choose(chosen.lead, Number((event.target as HTMLInputElement).value)));
  on("back", () => chosen.step(-1));
  on("on", () => chosen.step(1));
  on("zoom-in", () => chosen.zoom(0.5));
  on("zoom-out", () => chosen.zoom(2));
  on("zoom-all", () => chosen.showAll());
  byId<HTMLSelectElement>("goto").addEventListener("change", (event) => {
    const select = event.target as HTMLSelectElement;
    goTo(select.value ? places()[Number(select.value)] : undefined);
    select.value = "";
  });
  on("help-button", () => {
    const help = byId("help");
    help.hidden = !help.hidden;
    byId("help-button").setAttribute("aria-expanded", String(!help.hidden));
  });
  for (const input of document.querySelectorAll<HTMLInputElement>("input[name=axis]"))
    input.addEventListener("change", () => chosen.setAxis(input.value as Axis));
  for (const input of document.querySelectorAll<HTMLInputElement>("input[name=curves]"))
    input.addEventListener("change", () => showCurves(input.value as Curves));
  byId<HTMLSelectElement>("block-colours").addEventListener("change", (event) =>
    segmentViews.forEach((view) =>
      view.colourBy((event.target as HTMLSelectElement).value as BlockColours)));
  byId<HTMLSelectElement>("device").addEventListener("change", (event) =>
    show(Number((event.target as HTMLSelectElement).value)));
  let waiting = 0;
  byId<HTMLInputElement>("filter").addEventListener("input", (event) => {
    const { value } = event.target as HTMLInputElement;
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => eventViews.forEach((view) => view.filter(value)), 120);
  });
  document.addEventListener("keydown", pressed);
}

function pressed(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const isTyping = target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && target.type === "search");
  const isChoosing = target instanceof HTMLInputElement && target.type !== "checkbox" && !isTyping;
  if (isTyping) return;
  const { lead } = chosen;
  const hundredth = Math.max(1, Math.round(lead.device.states.count / 100));
  const keys: Record<string, () => void> = {
    p: () => chosen.choose(lead, lead.stateAtStep(lead.device.json.peak_allocated.step)),
    r: () => chosen.choose(lead, lead.stateAtStep(lead.device.json.peak_reserved.step)),
    o: goToFailure,
    "+": () => chosen.zoom(0.5), "=": () => chosen.zoom(0.5), "-": () => chosen.zoom(2),
    "0": () => chosen.showAll(),
    "[": () => chosen.pan(-0.25), "]": () => chosen.pan(0.25),
    "/": () => byId("filter").focus(),
  };
  const isSlider = target.id === "moment";
  if (!isChoosing || isSlider) {
    keys["ArrowLeft"] = () => chosen.step(event.shiftKey ? -10 : -1);
    keys["ArrowRight"] = () => chosen.step(event.shiftKey ? 10 : 1);
  }
  if (isSlider) {
    keys["PageUp"] = () => chosen.step(hundredth);
    keys["PageDown"] = () => chosen.step(-hundredth);
  }
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function setUpDevices(): void {
  const numbers = [...new Set(runs.flatMap((run) => run.devices.map((device) => device.number)))]
    .sort((a, b) => (a === hostDevice ? 1 : 0) - (b === hostDevice ? 1 : 0) || a - b);
  const select = byId<HTMLSelectElement>("device");
  select.replaceChildren(...numbers.map((number) =>
    element("option", { value: String(number) }, deviceText(number))));
  byId("device-choice").hidden = numbers.length < 2;
  const busiest = numbers.filter((number) => number !== hostDevice).reduce(
    (best, number) => eventsOf(number) > eventsOf(best) ? number : best, numbers[0] ?? 0);
  select.value = String(busiest);
  show(busiest);
}

function eventsOf(number: number): number {
  return runs.flatMap((run) => run.devices).filter((device) => device.number === number)
    .reduce((sum, device) => sum + device.json.events_total, 0);
}

/** Runs beside each other have other events, such as their own segments, but often the same times. A run
 *  that is much shorter than another could not be seen on an axis of time. */
function haveSimilarDurations(): boolean {
  const durations = runs.map(({ devices }) =>
    Math.max(...devices.map(({ json, firstTime }) => json.last.time_us - firstTime)));
  return Math.min(...durations) * 4 >= Math.max(...durations);
}

async function start(): Promise<void> {
  runs = (await readRuns()).filter((run) => run.devices.length > 0);
  const subject = [...new Set(runs.map((run) => run.json.file.split(/[\\/]/).at(-1)!))].join(" · ");
  byId("subject").textContent = subject;
  document.title = `${subject} – vramlab report`;
  if (runs.length === 0) throw new Error("the recording has no devices with memory to show");
  if (runs.length > 1 && haveSimilarDurations())
    document.querySelector<HTMLInputElement>("input[name=axis][value=time]")!.checked = true;
  setUpControls();
  followParent(() => chosen);
  setUpDevices();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    document.documentElement.dataset["ready"] = "true";
    performance.mark("ready");
  }));
}

start().catch((error: unknown) => {
  const problem = byId("problem");
  problem.hidden = false;
  problem.textContent = `This page can't be shown: ${error instanceof Error ? error.message : error}`;
  document.documentElement.dataset["ready"] = "failed";
  throw error;
});
