// The whole history in a strip, and the part of it that the plots show: drag its ends or all of it,
// or use the arrow keys on them.
import { canvasContext, element } from "./dom";
import { numberText, timeText } from "./format";
import { colour, onThemeChange } from "./theme";
import type { Axis, Chosen, Panel } from "./chosen";

const height = 44;
type Grip = "from" | "to" | "all";

export class OverviewView {
  readonly node: HTMLElement;
  private readonly canvas = element("canvas", { "aria-hidden": "true" });
  private readonly window = element("div", { class: "window" });
  private readonly grips: Record<"from" | "to", HTMLElement>;
  private readonly marker = element("div", { class: "moment-line" });
  private width = 1;
  private drawnAxis: Axis | null = null;
  private drawnPanel: Panel | null = null;
  private drag: { grip: Grip; x: number; range: [number, number] } | null = null;

  constructor(private readonly chosen: Chosen) {
    const grip = (name: string, label: string) => element("div", {
      class: `grip ${name}`, role: "slider", tabindex: "0", "aria-label": label,
      "aria-orientation": "horizontal" });
    this.grips = { from: grip("from", "Begin of the part in view"),
                   to: grip("to", "End of the part in view") };
    this.window.append(this.grips.from, this.grips.to);
    this.node = element("div", { class: "overview" }, this.canvas, this.window, this.marker);
    new ResizeObserver(([entry]) => {
      this.width = Math.max(1, entry!.contentRect.width);
      this.draw();
    }).observe(this.node);
    chosen.onRange(() => this.update());
    chosen.onMoment(() => this.update());
    onThemeChange(() => this.draw());
    this.listen();
  }

  private update(): void {
    if (this.chosen.axis === this.drawnAxis && this.chosen.lead === this.drawnPanel) this.place();
    else this.draw();
  }

  private draw(): void {
    this.drawnAxis = this.chosen.axis;
    this.drawnPanel = this.chosen.lead;
    const context = canvasContext(this.canvas, this.width, height);
    const panel = this.chosen.lead;
    const xs = panel.xsOfMoments(this.chosen.axis);
    const { reserved, allocated } = panel.device.moments;
    const most = panel.device.json.peak_reserved.reserved || 1;
    this.fill(context, xs, reserved, most, colour("reserved-fill"));
    this.fill(context, xs, allocated, most, colour("allocated"));
    this.place();
  }

  /** The highest of each column of pixels. */
  private fill(context: CanvasRenderingContext2D, xs: Float64Array, values: Float64Array,
               most: number, style: string): void {
    const columns = new Float64Array(Math.ceil(this.width) + 1);
    const scale = this.width / (this.chosen.lastX || 1);
    for (let i = 0; i < xs.length; ++i) {
      const from = Math.floor(xs[i]! * scale);
      const to = Math.floor((xs[i + 1] ?? this.chosen.lead.lastX(this.chosen.axis)) * scale);
      for (let column = from; column <= to && column < columns.length; ++column)
        if (values[i]! > columns[column]!) columns[column] = values[i]!;
    }
    context.fillStyle = style;
    columns.forEach((value, column) => {
      const tall = value / most * (height - 4);
      context.fillRect(column, height - tall, 1, tall);
    });
  }

  private place(): void {
    const scale = this.width / (this.chosen.lastX || 1);
    const [from, to] = this.chosen.range;
    this.window.style.left = `${from * scale}px`;
    this.node.classList.toggle("whole", from === 0 && to === this.chosen.lastX);
    this.window.style.width = `${Math.max(4, (to - from) * scale)}px`;
    this.marker.style.transform = `translateX(${Math.round(this.chosen.x * scale)}px)`;
    const text = (x: number) => this.chosen.axis === "time" ? timeText(x) : `event ${numberText(x)}`;
    for (const [name, x] of [["from", from], ["to", to]] as const) {
      const grip = this.grips[name];
      grip.setAttribute("aria-valuemin", "0");
      grip.setAttribute("aria-valuemax", String(Math.round(this.chosen.lastX)));
      grip.setAttribute("aria-valuenow", String(Math.round(x)));
      grip.setAttribute("aria-valuetext", text(x));
    }
  }

  private listen(): void {
    this.node.addEventListener("pointerdown", (event) => {
      const target = event.target as HTMLElement;
      const grip: Grip = target === this.grips.from ? "from" : target === this.grips.to ? "to" : "all";
      if (target !== this.window && grip === "all") {
        const middle = (event.clientX - this.node.getBoundingClientRect().left) / this.width *
          this.chosen.lastX;
        const half = (this.chosen.range[1] - this.chosen.range[0]) / 2;
        this.chosen.setRange(middle - half, middle + half);
      }
      this.drag = { grip, x: event.clientX, range: this.chosen.range };
      this.node.setPointerCapture(event.pointerId);
    });
    this.node.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      const by = (event.clientX - this.drag.x) / this.width * this.chosen.lastX;
      this.move(this.drag.grip, this.drag.range, by);
    });
    const end = () => (this.drag = null);
    this.node.addEventListener("pointerup", end);
    this.node.addEventListener("pointercancel", end);
    this.node.addEventListener("dblclick", () => this.chosen.showAll());
    for (const name of ["from", "to"] as const)
      this.grips[name].addEventListener("keydown", (event) => {
        const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
        if (direction === 0) return;
        event.preventDefault();
        event.stopPropagation();
        const share = event.shiftKey ? 0.1 : 0.01;
        this.move(name, this.chosen.range, direction * share * this.chosen.lastX);
      });
  }

  private move(grip: Grip, [from, to]: [number, number], by: number): void {
    if (grip === "all") this.chosen.setRange(from + by, to + by);
    else if (grip === "from") this.chosen.setRange(Math.max(0, Math.min(from + by, to)), to);
    else this.chosen.setRange(from, Math.max(from, Math.min(to + by, this.chosen.lastX)));
  }
}
