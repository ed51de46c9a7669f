// The data that the page holds of each run (replay/html_report/report_page.cpp writes it).
import type { Answer } from "./answer_view";
import { readBlocks, type BlockList, type BlocksJson } from "./block_list";
import { ByteReader, columnOf, type Section } from "./bytes";
import { StateReader, type Block, type Life } from "./states";

type SectionsOf<Names extends string> = Record<Names, Section>;

interface MomentJson {
  step: number;
  time_us: number;
  allocated: number;
  requested: number;
  active: number;
  reserved: number;
}

interface HoldersJson {
  paths: string[];
  kinds: string[];
  path: Section;
  kind: Section;
}

interface NamedSection {
  name: string;
  allocated: Section;
}

interface DeviceJson {
  device: number;
  events_total: number;
  events_per_stretch: number;
  peak_allocated: MomentJson;
  peak_reserved: MomentJson;
  last: MomentJson;
  moments: SectionsOf<(typeof momentNames)[number]>;
  sites: { site: number; allocated: Section }[];
  /** Empty where nobody knows what blocks hold, as modules. */
  kinds: NamedSection[];
  modules: NamedSection[];
  holders: HoldersJson | null;
  states: SectionsOf<"step" | "time_us" | "offset" | "is_whole" | "bytes">;
  lives: SectionsOf<"base" | "size" | "stream" | "traits" | "pool" | "begin">;
  pools: string[];
  blocks: BlocksJson;
  events: SectionsOf<"index" | "action" | "time_us" | "address" | "size" | "stream" | "stack">;
  labels: SectionsOf<"since" | "text">;
  /** Null of pinned memory and of what is too long to pack beside. */
  best_packing: { bytes: number; load_bound: number } | null;
  failures: { event: number; time_us: number; wanted: number; device_free: number }[];
  fragmentation: SectionsOf<(typeof fragmentationNames)[number] | "pinners_at" | "pinners">;
  notes: string[];
}

export interface RunJson {
  file: string;
  title: string;
  origin: "recorded" | "replayed";
  reference: string;
  options: string;
  notes: string[];
  /** Null of a replay. */
  answer: Answer | null;
  devices: DeviceJson[];
  spans: { device: number; name: string; begin_us?: number; end_us?: number }[];
  stacks: { texts: string[]; sites: string[]; frames: Section; nodes: Section };
}

const momentNames = [
  "step", "time_us", "allocated", "requested", "active", "reserved", "largest_free",
  "device_gets", "device_releases",
] as const;

const fragmentationNames = [
  "step", "time_us", "inactive_split", "releasable", "pool_held", "stranded", "largest_cached",
] as const;

export const actionNames = [
  "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
  "segment_unmap", "snapshot", "oom",
];

export interface Frame {
  name: string;
  file: string;
  line: number;
}

/** Frames and stacks of a run; a stack is a node, whose parent is the frame that called it. */
export class Stacks {
  readonly frames: Frame[] = [];
  readonly parents: Uint32Array;
  readonly frameOfNode: Uint32Array;
  readonly siteOfNode: Uint32Array;
  readonly sites: string[];
  readonly texts: string[];

  constructor(json: RunJson["stacks"], bytes: Uint8Array) {
    this.sites = json.sites;
    this.texts = json.texts;
    const frames = new ByteReader(bytes, json.frames[0]);
    for (let i = 0; i < json.frames[2]; ++i) {
      const name = json.texts[frames.next()]!;
      this.frames.push({ name, file: json.texts[frames.next()]!, line: frames.nextSigned() });
    }
    const count = json.nodes[2];
    this.parents = new Uint32Array(count);
    this.frameOfNode = new Uint32Array(count);
    this.siteOfNode = new Uint32Array(count);
    const nodes = new ByteReader(bytes, json.nodes[0]);
    for (let i = 0; i < count; ++i) {
      this.parents[i] = nodes.next();
      this.frameOfNode[i] = nodes.next();
      this.siteOfNode[i] = nodes.next();
    }
  }

  /** Innermost first. */
  framesOf(node: number): Frame[] {
    const frames: Frame[] = [];
    for (let at = node; at !== 0; at = this.parents[at]!)
      frames.push(this.frames[this.frameOfNode[at]!]!);
    return frames;
  }

  siteText(node: number): string {
    return this.sites[this.siteOfNode[node]!] || "no stack";
  }
}

export type Moments = Record<(typeof momentNames)[number], Float64Array>;

export type Fragmentation = Record<(typeof fragmentationNames)[number], Float64Array>;

/** A block in use that keeps memory from being given back (docs/guide/top_and_snapshot.md). */
export interface Pinner {
  address: number;
  size: number;
  strands: number;
  releasedAlone: number;
  segmentSize: number;
  beside: number;
  life: Life;
  /** Steps since it was handed out. */
  age: number;
  stack: number;
}

export interface Events {
  index: Float64Array;
  action: Float64Array;
  time: Float64Array;
  address: Float64Array;
  size: Float64Array;
  stream: Float64Array;
  stack: Float64Array;
}

/** The memory of blocks that have something in common, by moment. */
export interface Band {
  name: string;
  allocated: Float64Array;
}

/** Modules by their whole paths, each with a kind of memory; blocks say which of them holds them.
 *  The first is that of blocks that nothing is known of. */
export class Holders {
  readonly paths: string[];
  readonly kinds: string[];
  /** Indices into the lists above. */
  readonly pathOf: Float64Array;
  readonly kindOf: Float64Array;

  constructor(json: HoldersJson, bytes: Uint8Array) {
    this.paths = json.paths;
    this.kinds = json.kinds;
    this.pathOf = columnOf(bytes, json.path);
    this.kindOf = columnOf(bytes, json.kind);
  }

  /** Such as `activations of layers.3.mlp`. */
  text(holder: number): string {
    const path = this.paths[this.pathOf[holder]!]!;
    const kind = this.kinds[this.kindOf[holder]!]!;
    return path ? `${kind} of ${path}` : kind;
  }
}

export class Device {
  readonly number: number;
  readonly moments: Moments;
  readonly sites: Band[];
  readonly kinds: Band[];
  readonly modules: Band[];
  /** Null where nobody knows what blocks hold. */
  readonly holders: Holders | null;
  readonly states: StateReader;
  readonly lives: Life[] = [];
  readonly firstTime: number;
  readonly fragmentation: Fragmentation;
  /** The names that the program gave to blocks, by the step that handed the blocks out. */
  readonly labels = new Map<number, string>();
  private readonly pinnersAt: Float64Array;
  private eventColumns: Events | null = null;
  private blockList: BlockList | null = null;

  constructor(readonly json: DeviceJson, private readonly bytes: Uint8Array, stacks: Stacks) {
    this.number = json.device;
    const column = (section: Section) => columnOf(bytes, section);
    this.moments = Object.fromEntries(
      momentNames.map((name) => [name, column(json.moments[name])])) as Moments;
    this.sites = json.sites.map(({ site, allocated }) => (
      { name: stacks.sites[site] || "no stack", allocated: column(allocated) }));
    const bandOf = ({ name, allocated }: NamedSection) => ({ name, allocated: column(allocated) });
    this.kinds = json.kinds.map(bandOf);
    this.modules = json.modules.map(bandOf);
    this.readLives(column);
    this.holders = json.holders && new Holders(json.holders, bytes);
    this.states = new StateReader(bytes, json.states, this.lives, this.holders !== null);
    this.firstTime = this.moments.time_us[0] ?? 0;
    this.fragmentation = Object.fromEntries(
      fragmentationNames.map((name) => [name, column(json.fragmentation[name])])) as Fragmentation;
    this.pinnersAt = column(json.fragmentation.pinners_at);
    const texts = column(json.labels.text);
    column(json.labels.since).forEach((since, i) => this.labels.set(since, stacks.texts[texts[i]!]!));
  }

  private readLives(column: (section: Section) => Float64Array): void {
    const { base, size, stream, traits, pool, begin } = this.json.lives;
    const columns = [base, size, stream, traits, pool, begin].map(column);
    const [bases, sizes, streams, allTraits, pools, begins] = columns as [
      Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    for (let i = 0; i < bases.length; ++i)
      this.lives.push({
        number: i, base: bases[i]!, size: sizes[i]!, stream: streams[i]!,
        isLarge: allTraits[i]! % 2 === 1, isExpandable: allTraits[i]! >= 2,
        pool: this.json.pools[pools[i]!]!, begin: begins[i]!,
      });
  }

  /** The pinners of the row of `fragmentation`, those that strand most first. */
  pinnersAtRow(row: number): Pinner[] {
    const at = this.json.fragmentation.pinners[0] + this.pinnersAt[row]!;
    const reader = new ByteReader(this.bytes, at);
    let address = 0;
    return Array.from({ length: reader.next() }, () => ({
      address: (address += reader.nextSigned()), size: reader.next(), strands: reader.next(),
      releasedAlone: reader.next(), segmentSize: reader.next(), beside: reader.next(),
      life: this.lives[reader.next()]!, age: reader.next(), stack: reader.next(),
    }));
  }

  /** Read when they are first asked for. */
  get blocks(): BlockList {
    return (this.blockList ??= readBlocks(this.bytes, this.json.blocks, this.moments));
  }

  get hasHistory(): boolean {
    return this.json.events_total > 0;
  }

  /** Read when they are first asked for: most of the page does not need them. */
  get events(): Events {
    if (!this.eventColumns) {
      const { index, action, time_us, address, size, stream, stack } = this.json.events;
      const column = (section: Section) => columnOf(this.bytes, section);
      this.eventColumns = {
        index: column(index), action: column(action), time: column(time_us),
        address: column(address), size: column(size), stream: column(stream),
        stack: column(stack),
      };
    }
    return this.eventColumns;
  }
}

export class Run {
  readonly stacks: Stacks;
  readonly devices: Device[];
  constructor(readonly json: RunJson, bytes: Uint8Array) {
    this.stacks = new Stacks(json.stacks, bytes);
    this.devices = json.devices.map((device) => new Device(device, bytes, this.stacks));
  }
}

/** The figures of one state, counted from its blocks, which are in order. */
export interface Figures {
  allocated: number;
  requested: number;
  waiting: number;
  reserved: number;
  free: number;
  largestFree: number;
  blocks: number;
  segments: number;
}

export function figuresOf(blocks: Iterable<Block>): Figures {
  const figures: Figures = {
    allocated: 0, requested: 0, waiting: 0, reserved: 0, free: 0, largestFree: 0, blocks: 0,
    segments: 0,
  };
  let before: Block | null = null;
  for (const block of blocks) {
    ++figures.blocks;
    const goesOn = before?.life === block.life && before.address + before.size === block.address;
    if (!goesOn) ++figures.segments;
    before = block;
    figures.reserved += block.size;
    if (block.use === "free") {
      figures.free += block.size;
      if (block.size > figures.largestFree) figures.largestFree = block.size;
      continue;
    }
    figures.requested += block.requested;
    if (block.use === "live") figures.allocated += block.size;
    else figures.waiting += block.size;
  }
  return figures;
}

/** Share of the free memory that is not in its largest piece. */
export function externalFragmentation(free: number, largestFree: number): number {
  return free > 0 ? 1 - largestFree / free : 0;
}
