// Plot: lines over the page's horizontal axis, on uPlot. The moment that is chosen is a line over
// it; dragging zooms, shift and dragging pans, a click chooses. Keys do the same. Behind it stands
// a table of what is in view.
import uPlot from "uplot";
import { element, fitted, type Hint, openable, tableOf } from "./dom";
import { numberText, roundTimeText, timeText } from "./format";
import { lastNotAbove } from "./states";
import { colour, onThemeChange } from "./theme";
import type { Chosen, Panel } from "./chosen";

export interface Line {
  name: string;
  /** A name of theme.ts. */
  colour: string;
  /** By moment of the panel. */
  values: ArrayLike<number>;
  /** The values that are told and listed, where those are not the values that are drawn. */
  told?: ArrayLike<number>;
  fill?: boolean;
  dashed?: boolean;
  width?: number;
  /** A line with false is told and listed, but not drawn. */
  isDrawn?: false;
}

export interface PlotContent {
  /** Steps of the lines' values, and their places on each axis. */
  xs: () => Float64Array;
  steps: Float64Array;
  lines: Line[];
}

export interface PlotOptions {
  name: string;
  height: number;
  axisText: (value: number) => string;
  valueText: (value: number) => string;
  /** The highest value of the vertical axis, the same for panels beside each other. */
  top: () => number;
  increments?: number[];
  /** Heights can be zoomed, too; otherwise all are shown. */
  hasHeights?: true;
  /** Draws below the marks and in place of lines. */
  paint?: (plot: uPlot) => void;
  /** The table behind the plot, in place of that of the lines. */
  tableOf?: () => { name: string; fill: () => Node };
  /** The spans that people named in the recording stand above the plot, and are told here. */
  spanHint?: Hint;
}

const binaryIncrements = Array.from({ length: 50 }, (_, power) => 2 ** power);
const mostRowsOfTable = 200;
const spanHeight = 14;

export class Plot {
  readonly node: HTMLElement;
  private readonly place = element("div", { class: "plot" });
  private readonly marker = element("div", { class: "moment-line" });
  private readonly legend = element("ul", { class: "legend" });
  private readonly table: { details: HTMLDetailsElement; refresh: () => void };
  private plot: uPlot | null = null;
  private content: PlotContent | null = null;
  private valueCells: HTMLElement[] = [];
  private panStart: { x: number; y: number; range: [number, number];
                      heights: [number, number] } | null = null;
  private isSeen = true;
  /** Another range is chosen than the one that is drawn. */
  private isBehind = false;

  constructor(private readonly chosen: Chosen, private readonly panel: Panel,
              private readonly options: PlotOptions) {
    this.place.tabIndex = 0;
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-roledescription", "plot");
    const { name, fill } = options.tableOf?.() ??
      { name: options.name.toLowerCase(), fill: () => this.tableOfView() };
    this.table = openable(`Table: ${name}`, fill);
    this.node = element("div", { class: "plot-box" }, this.legend, this.place, this.table.details);
    new ResizeObserver(() => this.resize()).observe(this.place);
    new IntersectionObserver(([entry]) => {
      this.isSeen = entry!.isIntersecting;
      if (this.isSeen && this.isBehind) this.showRange();
    }, { rootMargin: "200px" }).observe(this.node);
    this.chosen.onMoment(() => this.showMoment());
    this.chosen.onRange(() => this.showRangeSoon());
    onThemeChange(() => this.draw());
    this.listenToKeys();
    this.listenToPointer();
  }

  show(content: PlotContent): void {
    this.content = content;
    this.legend.replaceChildren();
    this.valueCells = content.lines.map((line) => {
      const value = element("span", { class: "value" });
      const key = element("span", { class: line.dashed ? "key dashed" : "key" });
      key.style.setProperty("--key", `var(--${line.colour})`);
      this.legend.append(element("li", { title: line.name }, key,
                                 element("span", { class: "name" }, line.name), value));
      return value;
    });
    this.draw();
  }

  /** The surface that the pointer and the keys act on. */
  get surface(): HTMLElement {
    return this.place;
  }

  /** In CSS pixels from the left and the top of the drawn part; null outside of it. */
  placeOf(event: MouseEvent): { x: number; y: number } | null {
    const box = this.plot?.over.getBoundingClientRect();
    if (!box) return null;
    const place = { x: event.clientX - box.left, y: event.clientY - box.top };
    return place.x >= 0 && place.x < box.width && place.y >= 0 && place.y < box.height ? place : null;
  }

  redraw(): void {
    this.plot?.redraw(false);
  }

  refreshTable(): void {
    this.table.refresh();
  }

  private draw(): void {
    if (!this.content) return;
    this.plot?.destroy();
    const width = Math.max(160, this.place.clientWidth);
    const { xs, lines } = this.content;
    const data = [xs(), ...lines.map((line) => line.values)] as unknown as uPlot.AlignedData;
    this.plot = new uPlot(this.optionsOf(width), data, this.place);
    this.plot.over.append(this.marker);
    this.table.refresh();
  }

  /** As a share of the height. */
  private roomForSpans(): number {
    if (!this.options.spanHint || this.chosen.axis !== "time") return 0;
    const rows = this.panel.spans.reduce((most, span) => Math.max(most, span.depth + 1), 0);
    return Math.min(rows, 3) * spanHeight / (this.options.height - 40);
  }

  private optionsOf(width: number): uPlot.Options {
    const stepped = uPlot.paths.stepped!({ align: 1 });
    const axis = {
      stroke: colour("ink-soft"), font: "11px system-ui, sans-serif",
      grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), width: 1, size: 4 },
    };
    const isTime = () => this.chosen.axis === "time";
    return {
      width, height: this.options.height, padding: [8, 26, 0, 0],
      legend: { show: false },
      cursor: { points: { show: false }, y: false,
                drag: { x: true, y: this.options.hasHeights === true, uni: 30, setScale: false } },
      scales: {
        x: { time: false, range: () => this.chosen.range },
        y: { range: () => this.heights() },
      },
      axes: [
        { ...axis, space: 80, size: 30,
          values: (_, splits) => splits.map((value) => isTime()
            ? roundTimeText(value, (splits[1] ?? 1) - (splits[0] ?? 0)) : numberText(value)) },
        { ...axis, size: 68, space: 24, incrs: this.options.increments ?? binaryIncrements,
          values: (_, splits) => splits.map(this.options.axisText) },
      ],
      series: [{}, ...this.content!.lines.map((line): uPlot.Series => ({
        label: line.name, paths: line.isDrawn === false ? () => null : stepped,
        points: { show: false },
        stroke: colour(line.colour), width: line.width ?? 1.25,
        ...(line.dashed ? { dash: [4, 3] } : {}),
        ...(line.fill ? { fill: colour(`${line.colour}-fill`) || colour(line.colour) } : {}),
      }))],
      hooks: {
        setSelect: [(plot) => this.takeSelection(plot)],
        draw: [(plot) => this.options.paint?.(plot),
               (plot) => this.drawFailures(plot), (plot) => this.drawSpans(plot),
               () => this.showMoment()],
      },
    };
  }

  private heights(): [number, number] {
    const chosen = this.options.hasHeights && this.chosen.heights;
    return chosen || [0, Math.max(this.options.top(), 1e-9) * (1.04 + this.roomForSpans())];
  }

  /** Requests that failed, as marks at the bottom. */
  private drawFailures(plot: uPlot): void {
    const { failures } = this.panel.device.json;
    if (failures.length === 0) return;
    const ratio = devicePixelRatio;
    plot.ctx.fillStyle = colour("alarm");
    for (const failure of failures) {
      const x = this.chosen.axis === "event" ? failure.event
                                             : failure.time_us - this.panel.device.firstTime;
      if (x < this.chosen.range[0] || x > this.chosen.range[1]) continue;
      const at = plot.valToPos(x, "x", true);
      const bottom = plot.bbox.top + plot.bbox.height;
      plot.ctx.fillRect(at - ratio / 2, plot.bbox.top, ratio, plot.bbox.height);
      plot.ctx.beginPath();
      plot.ctx.moveTo(at, bottom - 8 * ratio);
      plot.ctx.lineTo(at - 5 * ratio, bottom);
      plot.ctx.lineTo(at + 5 * ratio, bottom);
      plot.ctx.fill();
    }
  }

  /** Named parts of the history, the outer ones above. Where the axis counts events nothing says
   *  where they are. */
  private drawSpans(plot: uPlot): void {
    if (!this.options.spanHint || this.chosen.axis !== "time") return;
    const ratio = devicePixelRatio;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${10.5 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const { name, from, to, depth } of this.panel.spans) {
      const left = plot.valToPos(from, "x", true);
      const right = plot.valToPos(to, "x", true);
      if (right < bbox.left || left > bbox.left + bbox.width || depth > 2) continue;
      const top = bbox.top + depth * spanHeight * ratio;
      ctx.globalAlpha = 0.22;
      ctx.fillStyle = colour(`site-${depth * 4 + 2}`);
      ctx.fillRect(left, top, Math.max(ratio, right - left - ratio), (spanHeight - 1) * ratio);
      ctx.globalAlpha = 1;
      const begin = Math.max(left, bbox.left) + 4 * ratio;
      const room = Math.min(right, bbox.left + bbox.width) - begin - 2 * ratio;
      ctx.fillStyle = colour("ink");
      if (room > 30 * ratio) ctx.fillText(fitted(ctx, name, room), begin, top + spanHeight * ratio / 2);
    }
    ctx.restore();
  }

  private tellSpans(event: MouseEvent): void {
    if (!this.plot || !this.options.spanHint || this.chosen.axis !== "time") return;
    const box = this.plot.over.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top) / spanHeight);
    const x = this.plot.posToVal(event.clientX - box.left, "x");
    const slack = (this.chosen.range[1] - this.chosen.range[0]) / box.width * 2;
    const span = this.panel.spans.find(({ from, to, depth }) =>
      depth === row && row <= 2 && x >= from - slack && x <= to + slack);
    if (span) this.options.spanHint.show(event, `${span.name}, ${timeText(span.to - span.from)}`);
    else this.options.spanHint.hide();
  }

  private takeSelection(plot: uPlot): void {
    const { left, top, width, height } = plot.select;
    if (width < 3 || height < 3 || this.panStart) return;
    const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    const [high, low] = [plot.posToVal(top, "y"), plot.posToVal(top + height, "y")];
    const isAllHeights = height >= plot.over.clientHeight - 1;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (this.options.hasHeights && !isAllHeights) this.chosen.setHeights(low, high);
    if (width < plot.over.clientWidth - 1) this.chosen.setRange(from, to);
  }

  private listenToPointer(): void {
    let downAt: { x: number; y: number } | null = null;
    this.place.addEventListener("pointerdown", (event) => {
      downAt = { x: event.clientX, y: event.clientY };
      if (!event.shiftKey || !this.plot) return;
      this.panStart = { ...downAt, range: this.chosen.range, heights: this.heights() };
    });
    window.addEventListener("pointermove", (event) => {
      if (!this.panStart || !this.plot) return;
      const { over } = this.plot;
      const [from, to] = this.panStart.range;
      const moved = (event.clientX - this.panStart.x) / over.clientWidth * (to - from);
      this.chosen.setRange(from - moved, to - moved);
      if (!this.options.hasHeights || !this.chosen.heights) return;
      const [low, high] = this.panStart.heights;
      const lifted = (event.clientY - this.panStart.y) / over.clientHeight * (high - low);
      this.chosen.setHeights(low + lifted, high + lifted);
    });
    window.addEventListener("pointerup", () => {
      if (!this.panStart) return;
      this.plot?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      setTimeout(() => (this.panStart = null));
    });
    this.place.addEventListener("click", (event) => {
      const isDrag = downAt !== null &&
        Math.hypot(event.clientX - downAt.x, event.clientY - downAt.y) >= 3;
      if (isDrag || event.shiftKey || !this.plot) return;
      const box = this.plot.over.getBoundingClientRect();
      const x = this.plot.posToVal(event.clientX - box.left, "x");
      this.chosen.chooseX(this.panel, Math.max(0, Math.min(this.panel.lastX(this.chosen.axis), x)));
    });
    this.place.addEventListener("mousemove", (event) => this.tellSpans(event));
    this.place.addEventListener("mouseleave", () => this.options.spanHint?.hide());
    this.place.addEventListener("dblclick", () => this.chosen.showAll());
    this.place.addEventListener("wheel", (event) => {
      if (!this.plot || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const box = this.plot.over.getBoundingClientRect();
      // With Shift some systems turn the wheel sideways.
      const factor = (event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8;
      if (event.shiftKey && this.options.hasHeights)
        this.chosen.zoomHeights(factor, this.plot.posToVal(event.clientY - box.top, "y"));
      else this.chosen.zoom(factor, this.plot.posToVal(event.clientX - box.left, "x"));
    }, { passive: false });
  }

  private listenToKeys(): void {
    this.place.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "+" || event.key === "=") this.chosen.zoom(0.5);
      else if (event.key === "-") this.chosen.zoom(2);
      else if (event.key === "0") this.chosen.showAll();
      else if (event.key === "[") this.chosen.pan(-0.25);
      else if (event.key === "]") this.chosen.pan(0.25);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  private showMoment(): void {
    if (!this.plot || !this.content) return;
    const x = this.panel.xOf(this.panel.state, this.chosen.axis);
    const left = this.plot.valToPos(x, "x");
    this.marker.hidden = !(left >= -1 && left <= this.plot.bbox.width / devicePixelRatio + 1);
    this.marker.style.transform = `translateX(${Math.round(left)}px)`;
    const row = lastNotAbove(this.content.steps, this.panel.device.states.steps[this.panel.state]!);
    const texts = this.content.lines.map((line) =>
      this.options.valueText((line.told ?? line.values)[row] ?? 0));
    texts.forEach((text, i) => (this.valueCells[i]!.textContent = text));
    this.place.setAttribute("aria-label", `${this.options.name}, ${this.panel.title}: ` +
      this.content.lines.map((line, i) => `${line.name} ${texts[i]}`).join(", "));
  }

  /** Once a frame at most. */
  private showRangeSoon(): void {
    if (this.isBehind) return;
    this.isBehind = true;
    requestAnimationFrame(() => {
      if (this.isSeen) this.showRange();
    });
  }

  private showRange(): void {
    this.isBehind = false;
    if (!this.plot || !this.content) return;
    const [min, max] = this.chosen.range;
    this.plot.setData([this.content.xs(), ...this.content.lines.map((line) => line.values)] as
                        unknown as uPlot.AlignedData, false);
    this.plot.setScale("x", { min, max });
    this.table.refresh();
  }

  private resize(): void {
    if (!this.plot || Math.abs(this.plot.width - this.place.clientWidth) < 2) return;
    this.plot.setSize({ width: Math.max(160, this.place.clientWidth), height: this.options.height });
  }

  /** The table of the range in view; of more rows than fit it has evenly chosen ones. */
  private tableOfView(): Node {
    const { xs: xsOf, steps, lines } = this.content!;
    const xs = xsOf();
    const first = lastNotAbove(xs, this.chosen.range[0]);
    const last = lastNotAbove(xs, this.chosen.range[1]);
    const count = Math.min(mostRowsOfTable, last - first + 1);
    const rows: string[][] = [];
    for (let i = 0; i < count; ++i) {
      const row = first + Math.round(count === 1 ? 0 : i * (last - first) / (count - 1));
      rows.push([
        numberText(steps[row]!),
        this.chosen.axis === "time" ? timeText(xs[row]!) : numberText(xs[row]!),
        ...lines.map((line) => this.options.valueText((line.told ?? line.values)[row]!)),
      ]);
    }
    const caption = `${this.options.name}, ${this.panel.title}: ${numberText(count)} of ` +
      `${numberText(last - first + 1)} moments in view`;
    const heads = ["events done", this.chosen.axis === "time" ? "time" : "event",
                   ...lines.map((line) => line.name)];
    return tableOf(caption, heads, rows, heads.map((_, i) => i));
  }
}
