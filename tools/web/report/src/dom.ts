// Elements in few words.

type Child = Node | string;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name, attributes: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A list of facts: a name and a text in each row. */
export function factList(facts: [name: string, text: string][]): HTMLElement {
  return element("dl", { class: "facts" }, ...facts.flatMap(([name, text]) =>
    [element("dt", {}, name), element("dd", {}, text)]));
}

export function byId<Type extends HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as Type;
}

/** A canvas of this size in CSS pixels, cleared. */
export function canvasContext(canvas: HTMLCanvasElement, width: number, height: number):
  CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const pixels = [Math.round(width * ratio), Math.round(height * ratio)] as const;
  if (canvas.width !== pixels[0]) canvas.width = pixels[0];
  if (canvas.height !== pixels[1]) canvas.height = pixels[1];
  const tall = `${height}px`;
  if (canvas.style.height !== tall) canvas.style.height = tall;
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Fills a canvas that is not on the page pixel by pixel: transparent at first, row by row from the
 *  top left, in the order of bytes that image data has. */
export function canvasPixels(canvas: HTMLCanvasElement, columns: number, rows: number,
                             fill: (pixels: Int32Array) => void): void {
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== rows) canvas.height = rows;
  const image = new ImageData(columns, rows);
  fill(new Int32Array(image.data.buffer));
  canvas.getContext("2d")!.putImageData(image, 0, 0);
}

/** As much of the text as has room; nothing where that is next to nothing. */
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const whole = context.measureText(text).width;
  if (whole <= width) return text;
  let length = Math.ceil(text.length * width / whole);
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) --length;
  return length > 1 ? `${text.slice(0, length)}…` : "";
}

/** A table of texts; the first `numeric` columns of which are right-aligned say so by index. */
export function tableOf(caption: string, heads: string[], rows: Child[][], numeric: number[] = []):
  HTMLTableElement {
  const table = element("table", {}, element("caption", {}, caption));
  const head = element("tr");
  heads.forEach((text, i) =>
    head.append(element("th", { scope: "col", ...(numeric.includes(i) ? { class: "number" } : {}) },
                        text)));
  table.append(element("thead", {}, head));
  const body = element("tbody");
  for (const row of rows) {
    const line = element("tr");
    row.forEach((cell, i) =>
      line.append(element("td", numeric.includes(i) ? { class: "number" } : {}, cell)));
    body.append(line);
  }
  table.append(body);
  return table;
}

/** A closed part that is filled each time it is opened; `refresh` fills it anew where it is open. */
export function openable(summary: string, fill: () => Node):
  { details: HTMLDetailsElement; refresh: () => void } {
  const content = element("div", { class: "scrolled", tabindex: "0", role: "region",
                                   "aria-label": summary });
  const details = element("details", { class: "data" }, element("summary", {}, summary), content);
  const refresh = () => {
    if (details.open) content.replaceChildren(fill());
  };
  details.addEventListener("toggle", refresh);
  return { details, refresh };
}

/** Beside the pointer, for those who use one; what it says is elsewhere on the page, too. */
export class Hint {
  private readonly box = element("div", { class: "hint", "aria-hidden": "true" });
  constructor() {
    document.body.append(this.box);
    this.hide();
  }
  show(event: MouseEvent, ...content: Child[]): void {
    this.box.replaceChildren(...content);
    this.box.hidden = false;
    const { offsetWidth, offsetHeight } = this.box;
    const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - offsetWidth - 8);
    const top = event.clientY + 18 + offsetHeight > window.innerHeight
      ? event.clientY - offsetHeight - 12 : event.clientY + 18;
    this.box.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
  }
  hide(): void {
    this.box.hidden = true;
  }
}
