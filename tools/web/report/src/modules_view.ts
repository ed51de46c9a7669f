// A table of the modules and the memory that they hold at the chosen moment, by kind. Rows open to
// the parts of a module. Numbered modules are one row, which can be unfolded to each of them.
import { element } from "./dom";
import { numberText, sizeText } from "./format";
import { canFold, shownChildren, sum, treeOf, type ModuleNode } from "./module_tree";
import type { Chosen, Panel } from "./chosen";

const ownColumns = ["parameters", "gradients", "optimizer state", "activations"];
const mostRows = 2000;

export class ModulesView {
  readonly node = element("div", { class: "modules" });
  private readonly body = element("tbody");
  private readonly note = element("p", { class: "note" });
  /** Paths that are opened or closed, unlike at first. */
  private readonly turned = new Set<string>();
  /** Paths whose numbered children have a row each. */
  private readonly unfolded = new Set<string>();
  private readonly kinds: string[];

  constructor(chosen: Chosen, private readonly panel: Panel) {
    this.kinds = panel.device.holders?.kinds ?? [];
    const head = element("tr", {}, element("th", { scope: "col" }, "module"),
      ...[...ownColumns, "other", "sum"].map((name) =>
        element("th", { scope: "col", class: "number" }, name)));
    this.node.append(this.note, element("div", {
      class: "scrolled", tabindex: "0", role: "region", "aria-label": "Modules" },
      element("table", {}, element("caption", { class: "unseen" },
        "Allocated memory by module at the chosen moment"), element("thead", {}, head), this.body)));
    chosen.onMoment(() => this.show());
  }

  /** Only where it is on the page. */
  show(): void {
    const { holders, states } = this.panel.device;
    if (!holders || !this.node.isConnected) return;
    const focused = this.body.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset["key"] : undefined;
    const root = treeOf(states.stateAt(this.panel.state), holders);
    const rows = [this.row("all modules", root, root.all, 0)];
    this.addParts(root, 0, rows);
    const left = rows.length - mostRows;
    this.body.replaceChildren(...rows.slice(0, mostRows));
    const others = this.othersOf(root.all);
    this.note.textContent = "By module at this moment." +
      (others ? ` Other memory: ${others}.` : "") +
      (left > 0 ? ` ${numberText(left)} more rows are not shown.` : "");
    if (focused !== undefined)
      this.body.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  private isOpen({ path, folds }: ModuleNode, depth: number): boolean {
    return this.turned.has(path) !== (this.unfolded.has(path) || (depth === 1 && folds === null));
  }

  private addParts(parent: ModuleNode, depth: number, rows: HTMLElement[]): void {
    const parts = shownChildren(parent, this.unfolded);
    if (sum(parent.own) > 0 && parts.length > 0) {
      const row = this.row(parent.path ? "itself" : "no module", parent, parent.own, depth + 1);
      row.classList.add("itself");
      rows.push(row);
    }
    for (const part of parts) {
      rows.push(this.row(part.name, part, part.all, depth + 1,
                         part.count > parent.count ? part.count : 1));
      if (this.isOpen(part, depth + 1)) this.addParts(part, depth + 1, rows);
    }
  }

  private row(name: string, node: ModuleNode, bytes: number[], depth: number, count = 1): HTMLElement {
    const head = element("th", { scope: "row", style: `--depth: ${depth}`, title: node.path || name });
    const isModule = depth > 0 && bytes === node.all;
    const hasParts = isModule && node.children.length > 0;
    head.append(hasParts ? this.opener(name, node, depth) : name);
    if (count > 1) head.append(element("span", { class: "count" }, ` × ${numberText(count)}`));
    if (isModule) head.append(...this.folder(node));
    const own = ownColumns.map((kind) => bytes[this.kinds.indexOf(kind)] ?? 0);
    const all = sum(bytes);
    const others = this.othersOf(bytes);
    return element("tr", { "data-path": node.path, ...(depth === 0 ? { class: "all" } : {}) }, head,
      ...own.map((size) => cellOf(size)), cellOf(all - sum(own), others), cellOf(all));
  }

  private opener(name: string, node: ModuleNode, depth: number): HTMLElement {
    const isOpen = this.isOpen(node, depth);
    const button = element("button", { type: "button", class: "opener", "data-key": `open ${node.path}`,
                                       "aria-expanded": String(isOpen) }, name);
    button.addEventListener("click", () => this.turn(this.turned, node.path));
    return button;
  }

  /** Shows each of the modules that are one row, or makes them one again. */
  private folder(node: ModuleNode): HTMLElement[] {
    const isUnfolded = canFold(node) && this.unfolded.has(node.path);
    const path = isUnfolded ? node.path : node.folds;
    if (path === null) return [];
    const button = element("button", { type: "button", class: "link folder", "data-key": `fold ${path}`,
      "aria-label": `${isUnfolded ? "Fold" : "Show each of"} ${path || "the numbered modules"}` },
      isUnfolded ? "fold" : "each");
    button.addEventListener("click", () => {
      this.turned.delete(path);
      this.turn(this.unfolded, path);
    });
    return [button];
  }

  private turn(paths: Set<string>, path: string): void {
    if (!paths.delete(path)) paths.add(path);
    this.show();
  }

  /** Kinds without a column of their own, each with its bytes. */
  private othersOf(bytes: number[]): string {
    return this.kinds.map((kind, i) => ({ kind, size: bytes[i]! }))
      .filter(({ kind, size }) => size > 0 && !ownColumns.includes(kind))
      .sort((a, b) => b.size - a.size)
      .map(({ kind, size }) => `${sizeText(size)} ${kind}`).join(", ");
  }
}

function cellOf(bytes: number, title = `${numberText(bytes)} B`): HTMLElement {
  return element("td", { class: bytes > 0 ? "number" : "number none", "data-bytes": String(bytes),
                         title: bytes > 0 ? title : "" }, bytes > 0 ? sizeText(bytes) : "0");
}
