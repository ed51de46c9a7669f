// The tree of modules with the memory that they hold at a moment, by kind. Numbered children of a
// module, such as the layers of a model, can be looked at as one, which is named with `*`.
import type { Holders } from "./model";
import type { Block } from "./states";

export interface ModuleNode {
  /** The end of the path behind the parent's. */
  name: string;
  /** With `*` for each number that is folded; the root's is empty. */
  path: string;
  /** How many modules it stands for. */
  count: number;
  /** Bytes by kind: of the module without its parts, and of all. */
  own: number[];
  all: number[];
  children: ModuleNode[];
  /** The path whose numbered children are one in this node, if any. */
  folds: string | null;
}

export function sum(bytes: number[]): number {
  return bytes.reduce((all, each) => all + each, 0);
}

function isNumber(name: string): boolean {
  return /^[0-9]+$/.test(name);
}

function joined(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

function newNode(name: string, path: string, kinds: number): ModuleNode {
  const zeros = () => new Array<number>(kinds).fill(0);
  return { name, path, count: 1, own: zeros(), all: zeros(), children: [], folds: null };
}

function addTo(sums: number[], bytes: number[]): void {
  bytes.forEach((each, kind) => (sums[kind]! += each));
}

/** The root of all modules that hold something. */
export function treeOf(blocks: Iterable<Block>, holders: Holders): ModuleNode {
  const bytes = new Float64Array(holders.pathOf.length);
  for (const block of blocks) if (block.use === "live") bytes[block.holder]! += block.size;
  const kinds = holders.kinds.length;
  const root = newNode("", "", kinds);
  const nodes = new Map([["", root]]);
  const nodeOf = (path: string): ModuleNode => {
    const known = nodes.get(path);
    if (known) return known;
    const dot = path.lastIndexOf(".");
    const made = newNode(path.slice(dot + 1), path, kinds);
    nodes.set(path, made);
    nodeOf(dot < 0 ? "" : path.slice(0, dot)).children.push(made);
    return made;
  };
  bytes.forEach((size, holder) => {
    if (size > 0) nodeOf(holders.paths[holders.pathOf[holder]!]!).own[holders.kindOf[holder]!]! += size;
  });
  addUp(root);
  return root;
}

function addUp(node: ModuleNode): void {
  node.all = node.own.slice();
  for (const child of node.children) {
    addUp(child);
    addTo(node.all, child.all);
  }
}

/** Several modules as one, and their parts of one name as one. */
function merged(nodes: ModuleNode[], name: string, path: string): ModuleNode {
  const one = newNode(name, path, nodes[0]!.own.length);
  one.count = nodes.reduce((count, node) => count + node.count, 0);
  const byName = new Map<string, ModuleNode[]>();
  for (const node of nodes) {
    addTo(one.own, node.own);
    addTo(one.all, node.all);
    for (const child of node.children) {
      const same = byName.get(child.name);
      if (same) same.push(child);
      else byName.set(child.name, [child]);
    }
  }
  one.children = [...byName].map(([part, same]) => merged(same, part, joined(path, part)));
  return one;
}

/** The children as a table shows them: numbered ones as one, unless `unfolded` has the path of
 *  their parent; and a module that only contains another one, together with it. The largest first,
 *  but numbers in order. */
export function shownChildren(parent: ModuleNode, unfolded: Set<string>): ModuleNode[] {
  return foldedChildren(parent, unfolded).map((child) => withOnlyPart(child, unfolded))
    .sort((a, b) => firstNumber(a) - firstNumber(b) || sum(b.all) - sum(a.all) ||
      (a.path < b.path ? -1 : 1));
}

/** Names without a number are before all others. */
function firstNumber({ name }: ModuleNode): number {
  const [first] = name.split(".");
  return isNumber(first!) ? Number(first) : -1;
}

function foldedChildren(parent: ModuleNode, unfolded: Set<string>): ModuleNode[] {
  const numbered = parent.children.filter(({ name }) => isNumber(name));
  if (numbered.length < 2 || unfolded.has(parent.path)) return parent.children;
  const folded = merged(numbered, "*", joined(parent.path, "*"));
  folded.folds = parent.path;
  return [...parent.children.filter(({ name }) => !isNumber(name)), folded];
}

function withOnlyPart(node: ModuleNode, unfolded: Set<string>): ModuleNode {
  if (sum(node.own) > 0) return node;
  const parts = foldedChildren(node, unfolded);
  if (parts.length !== 1) return node;
  const part = withOnlyPart(parts[0]!, unfolded);
  return { ...part, name: `${node.name}.${part.name}`, folds: node.folds ?? part.folds };
}

/** Whether it has numbered children that could be one. */
export function canFold(node: ModuleNode): boolean {
  return node.children.filter(({ name }) => isNumber(name)).length > 1;
}
