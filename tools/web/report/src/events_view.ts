// The events that the page holds, those that pass a filter. Only the rows in view are laid out.
import { element } from "./dom";
import { addressText, numberText, sizeOf, sizeText, timeText } from "./format";
import { actionNames, type Events } from "./model";
import type { Chosen, Panel } from "./chosen";

const rowHeight = 24;
const rowsInView = 16;

type Test = (events: Events, row: number) => boolean;

export class EventsView {
  readonly node: HTMLElement;
  private readonly body = element("tbody");
  private readonly box = element("div", { class: "events-box scrolled", tabindex: "0",
                                          role: "region", "aria-label": "Events" });
  private readonly count = element("p", { class: "note", "aria-live": "polite" });
  private readonly table = element("table", { class: "events" });
  private scrolled = 0;
  private rows: Uint32Array = new Uint32Array();

  constructor(private readonly chosen: Chosen, private readonly panel: Panel) {
    const head = element("tr");
    for (const [text, name] of [["event", "number"], ["time", "number"], ["action", ""],
                                ["size", "number"], ["address", ""], ["stream", "number"],
                                ["call site", ""]] as const)
      head.append(element("th", { scope: "col", class: name }, text));
    this.table.append(element("caption", { class: "unseen" }, `Events of ${panel.title}`),
                      element("thead", {}, head), this.body);
    this.box.append(this.table);
    this.node = element("div", {}, this.count, this.box);
    this.box.addEventListener("scroll", () => {
      this.scrolled = this.box.scrollTop;
      this.draw();
    });
    this.body.addEventListener("click", (event) => {
      const line = (event.target as HTMLElement).closest("tr");
      if (line?.dataset["event"]) this.choose(Number(line.dataset["event"]));
    });
    this.box.addEventListener("keydown", (event) => this.scrollBy(event));
    chosen.onMoment(() => this.markMoment());
  }

  filter(text: string): void {
    const test = testOf(text, this.panel);
    const { events } = this.panel.device;
    const passed: number[] = [];
    for (let row = 0; row < events.index.length; ++row) if (test(events, row)) passed.push(row);
    this.rows = Uint32Array.from(passed);
    this.box.scrollTop = 0;
    this.scrolled = 0;
    this.tellCount();
    this.draw();
  }

  private tellCount(): void {
    const total = this.panel.device.json.events_total;
    const held = this.panel.device.events.index.length;
    this.count.textContent = `${numberText(this.rows.length)} of ${numberText(held)} events` +
      (held < total ? ` (the history has ${numberText(total)}; the page holds every call to the ` +
        "device and the largest requests and frees)" : "");
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
  }

  private choose(event: number): void {
    this.chosen.choose(this.panel, this.panel.stateAtStep(event + 1));
  }

  private scrollBy(event: KeyboardEvent): void {
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: rowsInView - 1,
                                         PageUp: 1 - rowsInView };
    const rows = by[event.key];
    if (rows === undefined && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    event.stopPropagation();
    if (rows !== undefined) this.box.scrollTop += rows * rowHeight;
    else this.box.scrollTop = event.key === "Home" ? 0 : this.rows.length * rowHeight;
  }

  private draw(): void {
    const first = Math.max(0, Math.min(this.rows.length - rowsInView,
                                       Math.floor(this.scrolled / rowHeight)));
    const last = Math.min(this.rows.length, first + rowsInView + 2);
    const lines: HTMLElement[] = [spacer(first)];
    for (let i = first; i < last; ++i) lines.push(this.lineOf(this.rows[i]!, i));
    lines.push(spacer(this.rows.length - last));
    this.body.replaceChildren(...lines);
    this.markMoment();
  }

  /** The event that led to the chosen state. */
  private markMoment(): void {
    const now = String(this.panel.device.states.steps[this.panel.state]! - 1);
    for (const line of this.body.children)
      if ((line as HTMLElement).dataset["event"] === now) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
  }

  private lineOf(row: number, place: number): HTMLElement {
    const { events, firstTime } = this.panel.device;
    const index = events.index[row]!;
    const action = actionNames[events.action[row]!]!;
    const line = element("tr", { "data-event": String(index), "aria-rowindex": String(place + 2) });
    const cell = (text: string, name = "") => line.append(element("td", { class: name }, text));
    const button = element("button", { type: "button", class: "link",
                                       "aria-label": `Show the state after event ${index}` },
                           numberText(index));
    line.append(element("td", { class: "number" }, button));
    cell(timeText(events.time[row]! - firstTime), "number");
    cell(action, `action ${action}`);
    cell(sizeText(events.size[row]!), "number");
    cell(action === "oom" ? `${sizeText(events.address[row]!)} free on the device`
                          : addressText(events.address[row]!), "address");
    cell(String(events.stream[row]!), "number");
    cell(events.stack[row] ? this.panel.run.stacks.siteText(events.stack[row]!) : "", "site");
    return line;
  }
}

function spacer(rows: number): HTMLElement {
  const line = element("tr", { "aria-hidden": "true", class: "spacer" }, element("td", { colspan: "7" }));
  line.style.height = `${Math.max(0, rows) * rowHeight}px`;
  return line;
}

/** Words that all have to hold: `size>1MiB`, `stream=3`, `event<500`, or a part of the action, the
 *  address or a frame of the stack; with a `-` before it, one that must not. */
export function testOf(text: string, panel: Panel): Test {
  const tests = text.trim().split(/\s+/).filter(Boolean).map((word) =>
    word.startsWith("-") && word.length > 1 ? not(testOfWord(word.slice(1), panel))
                                            : testOfWord(word, panel));
  return (events, row) => tests.every((test) => test(events, row));
}

function not(test: Test): Test {
  return (events, row) => !test(events, row);
}

function testOfWord(word: string, panel: Panel): Test {
  const compared = /^(size|event|stream|time)(<=|>=|<|>|=)(.+)$/.exec(word);
  if (compared) {
    const [, name, relation, wanted] = compared as unknown as [string, string, string, string];
    const value = name === "size" ? sizeOf(wanted) : timeOrNumber(wanted);
    if (value !== null) {
      const { firstTime } = panel.device;
      const of = (events: Events, row: number) => name === "size" ? events.size[row]!
        : name === "event" ? events.index[row]! : name === "stream" ? events.stream[row]!
        : events.time[row]! - firstTime;
      return (events, row) => holds(of(events, row), relation, value);
    }
  }
  const part = word.toLowerCase();
  const nodes = nodesWith(part, panel);
  return (events, row) => actionNames[events.action[row]!]!.includes(part) ||
    nodes[events.stack[row]!] === 1 ||
    (part.startsWith("0x") && addressText(events.address[row]!).startsWith(part));
}

/** The number that the text is; that of a time is in microseconds. */
function timeOrNumber(text: string): number | null {
  const match = /^([0-9.]+)(us|ms|s)?$/.exec(text);
  if (!match) return null;
  return Number(match[1]) * ({ us: 1, ms: 1e3, s: 1e6 }[match[2] ?? "us"] ?? 1);
}

function holds(value: number, relation: string, wanted: number): boolean {
  switch (relation) {
    case "<": return value < wanted;
    case ">": return value > wanted;
    case "<=": return value <= wanted;
    case ">=": return value >= wanted;
    default: return value === wanted;
  }
}

/** Which stacks have a frame with this text; callers stand before what they call. */
function nodesWith(part: string, panel: Panel): Uint8Array {
  const { frames, frameOfNode, parents } = panel.run.stacks;
  const fits = frames.map((frame) =>
    `${frame.file}:${frame.line} ${frame.name}`.toLowerCase().includes(part));
  const nodes = new Uint8Array(parents.length);
  for (let node = 1; node < nodes.length; ++node)
    nodes[node] = fits[frameOfNode[node]!] || nodes[parents[node]!] === 1 ? 1 : 0;
  return nodes;
}
