// The JSON of `vramlab steps` (docs/reference/schemas/steps.schema.json), and its steps in words.
import { sizeText } from "../../../report/src/format";

export interface Block {
  address: number;
  bytes: number;
  requested_bytes: number;
  state: "active_allocated" | "active_pending_free" | "inactive";
  id: number | null;
  /** As a script writes it. */
  name: string | null;
}
export interface Segment {
  address: number;
  bytes: number;
  stream: number;
  kind: string;
  pool: [number, number];
  is_expandable: boolean;
  blocks: Block[];
}
export interface Entry { action: string; address?: number; device_free_bytes?: number; bytes: number; stream: number }
export interface PassedOver { address: number; bytes: number; reason: string; rule: string }
export interface NotSplit { rest_bytes: number; reason: string; rule: string }
export interface Counter { name: string; before: number; after: number }
export interface Step {
  event: number;
  memory: "device" | "pinned";
  device: number;
  /** As in a native trace, and as a script writes it. */
  record: string;
  line: string;
  rules: string[];
  entries: Entry[];
  failure: string | null;
  call_site: string | null;
  passed_over: PassedOver[];
  not_split: NotSplit | null;
  /** The ones that changed, by PyTorch's names. */
  counters: Counter[];
  allocated_bytes: number;
  reserved_bytes: number;
  segments: Segment[];
}
export interface Steps {
  reference: string;
  options: string;
  notes: string[];
  devices: { device: number; memory_bytes: number | null }[];
  rules: Record<string, string>;
  steps: Step[];
  /** The same events by the rules of another version. */
  beside: { reference: string; steps: Step[] } | null;
}

/** The spelling of events and names: that of the program. */
export type Spelling = "records" | "script";
export const spellingOf = (program: string): Spelling =>
  program.trimStart().startsWith("program(") ? "script" : "records";

export function blockName({ id, name }: Block, spelling: Spelling): string {
  return spelling === "script" ? String(name) : String(id);
}

/** Steps, and a sentence about segments that are not drawn: empty where all are drawn. */
export interface ShownSteps extends Steps { left: string; spelling: Spelling }

const mostSegments = 12;
const mostPassedOver = 2;

/** The steps of one device, and of its segments those that are touched in a step. */
export function changedOnly(all: Steps, device: number): ShownSteps {
  const steps = all.steps.filter((step) => step.device === device);
  const entries = steps.flatMap((step) => step.entries).filter(({ action }) => action !== "oom");
  const isTouched = ({ address, bytes }: Segment) => entries.some((entry) =>
    entry.address !== undefined && entry.address >= address && entry.address < address + bytes);
  const most = Math.max(0, ...steps.map(({ segments }) => segments.length));
  if (most <= mostSegments) return { ...all, steps, left: "", spelling: "records" };
  const shown = steps.map((step) => ({ ...step, segments: step.segments.filter(isTouched) }));
  const left = most - Math.max(0, ...shown.map(({ segments }) => segments.length));
  return { ...all, steps: shown, spelling: "records",
           left: `. ${left} segments, which these steps do not change, are not drawn.` };
}

function recordOf({ record }: Step): Record<string, unknown> {
  return JSON.parse(record) as Record<string, unknown>;
}

/** The block that an event is about, by the name that it has in the program. */
function subjectOf({ line }: Step, id: unknown, spelling: Spelling): string {
  const name = /^(?:del |\w+\()?([a-z]+|_\d+)/.exec(line)?.[1];
  return spelling === "script" && name !== undefined ? name : String(id);
}

/** A sentence about what the program does in this step. */
export function title(step: Step, spelling: Spelling): string {
  const record = recordOf(step);
  const [kind, id] = Object.entries(record)[0]!;
  const isOfBlock = /^(host_)?(malloc|free|use)$/.test(kind);
  const subject = isOfBlock ? subjectOf(step, id, spelling) : id;
  const stream = Number(record["stream"] ?? 0);
  switch (kind) {
    case "malloc": return `Request ${subject}: ${sizeText(Number(record["bytes"]))} on stream ${stream}`;
    case "free": return `Block ${subject} is freed`;
    case "use": return `Stream ${stream} uses block ${subject}, too`;
    case "host_malloc": return `Request ${subject}: ${sizeText(Number(record["bytes"]))} of pinned memory`;
    case "host_free": return `Pinned block ${subject} is freed`;
    case "host_use": return `Stream ${stream} copies from or to pinned block ${subject}`;
    case "host_empty_cache": return "The cache of pinned memory is emptied";
    case "marker": return `Marker: ${subject}`;
    case "work": return `Stream ${subject} gets work`;
    case "stream_done": return `The work of stream ${subject} is done`;
    case "capture_begin": return `Stream ${subject} begins to capture a graph`;
    case "capture_end": return `Stream ${subject} ends its capture`;
    case "pool_begin": return `Requests go to pool ${poolText(subject)} from here on`;
    case "pool_end": return `Requests go to pool ${poolText(subject)} no more`;
    case "pool_release": return `Pool ${poolText(subject)} has one user less`;
    case "options": return `The options are set: ${subject}`;
    case "memory_fraction": return `The program may use ${100 * Number(subject)} % of the device`;
    case "checkpoint": return `The state of pool ${poolText(record["pool"])} is noted`;
    case "restore": return "The pool gets the noted state back";
    case "empty_cache": return "The cache is emptied";
    default: return kind.replaceAll("_", " ");
  }
}

export function poolText(pool: unknown): string {
  return Array.isArray(pool) ? `(${pool.join(", ")})` : String(pool);
}

/** The allocator's deeds in this step, a sentence for each entry of its history. */
export function deeds(step: Step): string[] {
  const { entries, failure } = step;
  if (failure !== null) return [...entries.filter(({ action }) => action !== "oom").map(deed), failure];
  if (entries.length > 0 && step.memory === "pinned") return entries.map(pinnedDeed);
  if (entries.length > 0) return entries.map(deed);
  if ("malloc" in recordOf(step) || "host_malloc" in recordOf(step)) return ["It gets nothing."];
  return ["The blocks stay as they are."];
}

/** Deeds that were left out, and why: free blocks that did not get the request, a block that was not split. */
export function notDone(step: Step): string[] {
  const { not_split } = step;
  if (not_split === null) return passedOver(step);
  const { rest_bytes, reason, rule } = not_split;
  return [...passedOver(step),
          `The block is not split: a rest of ${sizeText(rest_bytes)} stays with it, as ${reason} (rule ${rule}).`];
}

function passedOver({ passed_over }: Step): string[] {
  const shown = passed_over.slice(0, mostPassedOver).map(({ bytes, reason, rule }) =>
    `A free block of ${sizeText(bytes)} is passed over: ${reason} (rule ${rule}).`);
  const left = passed_over.length - shown.length;
  return left > 0 ? [...shown, `So are ${left} more.`] : shown;
}

/** Counters of torch.cuda.memory_stats() that changed: `segment 2 (+1)`; without the parts that all names have. */
export function counterList({ counters }: Step): string {
  return counters.map(({ name, before, after }) => {
    const amount = (value: number) => name.includes("bytes") ? sizeText(value) : String(value);
    const change = (after > before ? "+" : "-") + amount(Math.abs(after - before));
    return `${name.split(".")[0]} ${amount(after)} (${change})`;
  }).join(", ");
}

function pinnedDeed({ action, bytes, stream }: Entry): string {
  const size = sizeText(bytes);
  switch (action) {
    case "alloc": return `A block of ${size} is handed out.`;
    case "segment_alloc": return `The system gives ${size} of pinned memory.`;
    case "segment_free": return `${size} of pinned memory go back to the system.`;
    default: return deed({ action, bytes, stream });
  }
}

/** Whether both versions did the same. */
export function isSame(step: Step, other: Step): boolean {
  const deedsOf = ({ rules, entries, failure, passed_over, not_split, counters, segments }: Step) =>
    JSON.stringify([rules, entries, failure, passed_over, not_split, counters, segments]);
  return deedsOf(step) === deedsOf(other);
}

function deed({ action, bytes, stream }: Entry): string {
  const size = sizeText(bytes);
  switch (action) {
    case "alloc": return `${size} are handed out on stream ${stream}.`;
    case "free_requested": return `The owner of ${size} gives them back.`;
    case "free_completed": return `${size} are free again.`;
    case "segment_alloc": return `The device gives a segment of ${size}.`;
    case "segment_free": return `A segment of ${size} goes back to the device.`;
    case "segment_map": return `${size} of memory are mapped.`;
    case "segment_unmap": return `${size} of memory are unmapped and go back to the device.`;
    default: return `${action}: ${size}`;
  }
}
