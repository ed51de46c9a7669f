// Who holds the memory that is in use at the chosen moment: stacks from their outermost frame down,
// each frame as wide as what was asked for below it. A click or Enter shows one frame in full width.
import { canvasContext, element, fitted, Hint, openable, tableOf } from "./dom";
import { frameText, numberText, shareText, sizeText } from "./format";
import { isPython } from "./stack_list";
import { colour, onThemeChange } from "./theme";
import type { Chosen, Panel } from "./chosen";
import type { Stacks } from "./model";

interface Node {
  name: string;
  file: string;
  parent: Node | null;
  children: Map<string, Node>;
  bytes: number;
  blocks: number;
  depth: number;
}
interface Box { node: Node; left: number; top: number; width: number }

const rowHeight = 19;
const mostRowsOfTable = 500;
const familyCount = 6;
/** In place of a stack: of blocks that nothing is known of but that they were there. */
const fromBefore = -1;

export class FlameView {
  readonly node: HTMLElement;
  private readonly canvas = element("canvas", { class: "flame" });
  private readonly about = element("p", { class: "about-frame", "aria-live": "polite" });
  private readonly reset = element("button", { type: "button", class: "small" }, "Show all");
  private readonly table: { details: HTMLDetailsElement; refresh: () => void };
  private isPythonOnly: boolean;
  private root: Node = newNode("", "", null);
  private top: Node = this.root;
  private focused: Node | null = null;
  private boxes: Box[] = [];
  private width = 0;

  constructor(chosen: Chosen, private readonly panel: Panel,
              private readonly hint: Hint) {
    this.isPythonOnly = hasPython(panel.run.stacks);
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.table = openable("Table: stacks at this moment", () => this.tableOfStacks());
    const python = element("input", { type: "checkbox" });
    python.checked = this.isPythonOnly;
    python.disabled = !this.isPythonOnly;
    python.addEventListener("change", () => {
      this.isPythonOnly = python.checked;
      this.show();
    });
    this.node = element("div", {},
      element("div", { class: "tools" }, element("label", {}, python, " Python frames only"),
              this.reset),
      element("div", { class: "flame-box" }, this.canvas), this.about, this.table.details);
    this.reset.addEventListener("click", () => this.zoomTo(this.root));
    chosen.onMoment(() => this.show());
    onThemeChange(() => this.draw());
    new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry!.contentRect.width) - 2;
      this.draw();
    }).observe(this.canvas.parentElement!);
    this.listen();
  }

  show(): void {
    const path = pathOf(this.top);
    const focusedPath = this.focused && pathOf(this.focused);
    this.build();
    this.top = follow(this.root, path);
    this.focused = focusedPath && follow(this.root, focusedPath);
    this.about.textContent = this.focused ? this.textOf(this.focused) : "";
    this.draw();
    this.table.refresh();
    this.canvas.setAttribute("aria-label", `Stacks of the memory in use, ${this.panel.title}: ` +
      `${sizeText(this.root.bytes)} in ${numberText(this.root.blocks)} blocks. ` +
      "Arrow keys go from frame to frame, Enter shows one in full width, Escape shows all.");
  }

  private build(): void {
    const bytes = new Map<number, { bytes: number; blocks: number }>();
    for (const block of this.panel.device.states.stateAt(this.panel.state)) {
      if (block.use !== "live") continue;
      const stack = block.stack === 0 && block.since === 0 ? fromBefore : block.stack;
      const sum = bytes.get(stack);
      if (sum) {
        sum.bytes += block.size;
        ++sum.blocks;
      } else {
        bytes.set(stack, { bytes: block.size, blocks: 1 });
      }
    }
    this.root = newNode("all memory in use", "", null);
    for (const [stack, sum] of bytes) this.add(stack, sum);
  }

  private add(stack: number, sum: { bytes: number; blocks: number }): void {
    const frames = stack === fromBefore ? [] : this.panel.run.stacks.framesOf(stack);
    const kept = this.isPythonOnly ? frames.filter((frame) => isPython(frame.file)) : frames;
    let at = this.root;
    at.bytes += sum.bytes;
    at.blocks += sum.blocks;
    const down = kept.reverse().map((frame) => ({ name: frameText(frame), file: frame.file }));
    if (down.length === 0)
      down.push({ name: frames.length > 0 ? "no Python frame"
        : stack === fromBefore && this.panel.device.hasHistory ? "there before the first event"
        : "no stack", file: "" });
    for (const { name, file } of down) {
      let child = at.children.get(name);
      if (!child) at.children.set(name, (child = newNode(name, file, at)));
      child.bytes += sum.bytes;
      child.blocks += sum.blocks;
      at = child;
    }
  }

  private draw(): void {
    const { width } = this;
    if (width < 50) return;
    this.boxes = [];
    let depth = 0;
    for (let node: Node | null = this.top; node; node = node.parent) ++depth;
    for (let node: Node | null = this.top; node; node = node.parent)
      this.boxes.unshift({ node, left: 0, top: --depth * rowHeight, width });
    this.layOut(this.top, 0, width);
    const rows = Math.max(...this.boxes.map((box) => box.top)) / rowHeight + 1;
    const context = canvasContext(this.canvas, width, rows * rowHeight + 1);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const box of this.boxes) this.drawBox(context, box);
    this.reset.disabled = this.top === this.root;
  }

  private layOut(node: Node, left: number, width: number): void {
    if (node.bytes === 0) return;
    let at = left;
    for (const child of sorted(node)) {
      const wide = width * child.bytes / node.bytes;
      if (wide < 0.5) break;
      this.boxes.push({ node: child, left: at, top: child.depth * rowHeight, width: wide });
      this.layOut(child, at, wide);
      at += wide;
    }
  }

  private drawBox(context: CanvasRenderingContext2D, box: Box): void {
    const { node } = box;
    context.fillStyle = node === this.root ? colour("flame-root") : colour(`flame-${familyOf(node)}`);
    context.fillRect(box.left, box.top, Math.max(0.5, box.width - 0.75), rowHeight - 1);
    if (node === this.focused) {
      context.strokeStyle = colour("accent");
      context.lineWidth = 2;
      context.strokeRect(box.left + 1, box.top + 1, Math.max(1, box.width - 3), rowHeight - 3);
    }
    if (box.width < 34) return;
    context.fillStyle = colour("flame-ink");
    const text = box.width > 200 ? `${node.name}  ${sizeText(node.bytes)}` : node.name;
    context.fillText(fitted(context, text, box.width - 8), box.left + 4, box.top + rowHeight / 2);
  }

  private boxAt(event: MouseEvent): Box | null {
    const place = this.canvas.getBoundingClientRect();
    const x = event.clientX - place.left;
    const y = event.clientY - place.top;
    return this.boxes.find((box) => x >= box.left && x < box.left + box.width && y >= box.top &&
      y < box.top + rowHeight) ?? null;
  }

  private textOf(node: Node): string {
    return `${node.name}: ${sizeText(node.bytes)}, ${shareText(node.bytes / (this.root.bytes || 1))} ` +
      `of what is in use, ${numberText(node.blocks)} blocks`;
  }

  private zoomTo(node: Node): void {
    this.top = node;
    this.draw();
  }

  private listen(): void {
    this.canvas.addEventListener("mousemove", (event) => {
      const box = this.boxAt(event);
      if (box) this.hint.show(event, this.textOf(box.node));
      else this.hint.hide();
    });
    this.canvas.addEventListener("mouseleave", () => this.hint.hide());
    this.canvas.addEventListener("click", (event) => {
      const box = this.boxAt(event);
      if (!box) return;
      this.focus(box.node);
      this.zoomTo(box.node);
    });
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Enter" || event.key === " ") this.zoomTo(this.focused ?? this.root);
      else if (event.key === "Escape") this.zoomTo(this.root);
      else if (!this.moveFocus(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  private moveFocus(key: string): boolean {
    const now = this.focused ?? this.top;
    const brothers = now.parent ? sorted(now.parent) : [now];
    const at = brothers.indexOf(now);
    if (key === "ArrowDown") this.focus(sorted(now)[0] ?? now);
    else if (key === "ArrowUp") this.focus(now.parent ?? now);
    else if (key === "ArrowRight") this.focus(brothers[at + 1] ?? now);
    else if (key === "ArrowLeft") this.focus(brothers[at - 1] ?? now);
    else return false;
    return true;
  }

  private focus(node: Node): void {
    this.focused = node;
    this.about.textContent = this.textOf(node);
    this.draw();
  }

  private tableOfStacks(): HTMLElement {
    const rows: string[][] = [];
    const visit = (node: Node) => {
      if (rows.length >= mostRowsOfTable) return;
      rows.push([String(node.depth), node.name, numberText(node.bytes),
                 shareText(node.bytes / (this.root.bytes || 1)), numberText(node.blocks)]);
      sorted(node).forEach(visit);
    };
    visit(this.root);
    return tableOf(`Frames of ${this.panel.title}, callers before what they call`,
      ["depth", "frame", "bytes", "share", "blocks"], rows, [0, 2, 3, 4]);
  }
}

function newNode(name: string, file: string, parent: Node | null): Node {
  return { name, file, parent, children: new Map(), bytes: 0, blocks: 0,
           depth: parent ? parent.depth + 1 : 0 };
}

function sorted(node: Node): Node[] {
  return [...node.children.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
}

function pathOf(node: Node): string[] {
  return node.parent ? [...pathOf(node.parent), node.name] : [];
}

/** As far as there is such a path. */
function follow(root: Node, path: string[]): Node {
  let at = root;
  for (const name of path) {
    const child = at.children.get(name);
    if (!child) break;
    at = child;
  }
  return at;
}

function hasPython(stacks: Stacks): boolean {
  return stacks.frames.some((frame) => isPython(frame.file));
}

/** Frames of one file have one colour. */
function familyOf(node: Node): number {
  let hash = 0;
  for (let i = 0; i < node.file.length; ++i) hash = (hash * 31 + node.file.charCodeAt(i)) >>> 0;
  return hash % familyCount;
}
