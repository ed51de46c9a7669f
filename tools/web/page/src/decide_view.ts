// The buttons: questions that take longer, each a command of the program.
import { answerNode } from "../../report/src/answer_view";
import { byId, element } from "../../report/src/dom";
import { sizeText } from "../../report/src/format";
import type { Advised, Explained, Swept } from "./answers";
import { copyable } from "./copying";
import { showWork } from "./counting";
import { faultNode } from "./faults";
import { named } from "./opened";
import type { Opened } from "./opened";
import type { NamedFile } from "./orders";
import type { Program } from "./program";
import { commandLine, conditionWords, settingWords } from "./settings";
import type { Settings } from "./settings";
import { adviceNode, capacityNode, comparisonNode, holdersNode } from "./shown_answers";

type Cell = string | number;

/** Without alternatives of their own people want to see these. */
const usualGrid = ["expandable_segments=True|False", "max_split_size_mb=none|64|256",
                   "roundup_power2_divisions=none|4"];

export class DecideView {
  private readonly box = byId("answer");

  constructor(private readonly program: Program, private readonly opened: () => Opened,
              private readonly settings: () => Settings, private readonly choose: (conf: string) => void) {
    const chosen = () => this.opened().chosen.name;
    const all = () => this.opened().files.map(({ name }) => name);
    const button = (id: string, words: () => string[], shown: (answer: never) => Node) =>
      byId(id).addEventListener("click", () => void this.run(words(), this.opened().files, shown));
    button("advise", () => ["advise", ...all(), ...conditionWords(this.settings())],
           (answer: Advised) => this.advice(answer));
    button("capacity", () => ["capacity", ...all(), ...settingWords(withoutDevice(this.settings()))], capacityNode);
    button("sweep", () => ["sweep", ...all(), ...usualGrid, "--recorded", ...conditionWords(this.settings())],
           (answer: Swept) => this.sweepTable(answer));
    button("why", () => ["explain", chosen(), ...settingWords(this.settings())],
           ({ answer }: Explained) => answerNode(answer));
    button("peak", () => ["top", chosen(), "--at", "peak", "--limit", "20"], holdersNode);
    const second = byId<HTMLInputElement>("second");
    second.addEventListener("change", () => {
      const base = this.opened().chosen;
      const files = named([...second.files!]);
      if (files.length === 0) return;
      const other = { name: files[0]!.name === base.name ? `2-${base.name}` : files[0]!.name,
                      data: files[0]!.data };
      second.value = "";
      void this.run(["diff", base.name, other.name], [base, other], comparisonNode);
    });
  }

  clear(): void {
    this.box.hidden = true;
    this.box.replaceChildren();
  }

  private async run(words: string[], files: NamedFile[], shown: (answer: never) => Node): Promise<void> {
    this.box.hidden = false;
    const listener = showWork(this.box, "Working…");
    try {
      const { output } = await this.program.run([...words, "--json"], files, listener);
      this.box.replaceChildren(copyable(commandLine(words)), shown(JSON.parse(output) as never));
    } catch (error) {
      const fault = faultNode(error);
      this.box.replaceChildren(fault ?? "Cancelled.");
    }
  }

  /** The setting can be copied as it is set, and asked here. */
  private advice(advice: Advised): Node {
    if (advice.export === null) return adviceNode(advice, null);
    const asks = element("button", { type: "button", class: "asks" }, "Ask this setting");
    asks.addEventListener("click", () => this.choose(advice.conf));
    return adviceNode(advice, copyable(`export ${advice.export}`, asks));
  }

  private sweepTable({ rows }: Swept): Node {
    const heads = ["options", "peak reserved", "stranded", "device calls", "out of memory"];
    const cells = rows.map((row): { conf: string; refused: string | null; sort: Cell[]; shown: string[] } => {
      const figure = (name: string) => Number(row[name] ?? 0);
      const calls = figure("device_allocs") + figure("device_frees") + figure("units_mapped") +
        figure("units_unmapped");
      const sort: Cell[] = [row.conf, figure("peak_reserved"), figure("stranded_at_peak"), calls,
                            figure("out_of_memory")];
      const name = (row.conf === "" ? "no options" : row.conf) + (row.as_recorded ? " (recorded)" : "");
      return { conf: row.conf, refused: row.refused, sort,
               shown: [name, sizeText(figure("peak_reserved")), sizeText(figure("stranded_at_peak")),
                       String(calls), figure("out_of_memory") > 0 ? "yes" : "no"] };
    });
    const caption = "Best first; a heading sorts, options are tried above.";
    const table = element("table", { class: "named" }, element("caption", {}, caption));
    const body = element("tbody");
    const fill = (order: typeof cells) => body.replaceChildren(...order.map((row) => {
      const name = element("button", { type: "button" }, row.shown[0]!);
      name.addEventListener("click", () => this.choose(row.conf));
      const rest = row.refused !== null
        ? [element("td", { colspan: "4" }, row.refused)]
        : row.shown.slice(1).map((text) => element("td", { class: "number" }, text));
      return element("tr", {}, element("td", {}, name), ...rest);
    }));
    const head = element("tr", {}, ...heads.map((text, column) => {
      const sorter = element("button", { type: "button" }, text);
      sorter.addEventListener("click", () => fill([...cells].sort((a, b) =>
        column === 0 ? String(a.sort[0]).localeCompare(String(b.sort[0]))
                     : Number(a.sort[column]) - Number(b.sort[column]))));
      return element("th", { scope: "col" }, sorter);
    }));
    table.append(element("thead", {}, head), body);
    fill(cells);
    return table;
  }
}

function withoutDevice(settings: Settings): Settings {
  return { ...settings, gpu: "", memory: null };
}
