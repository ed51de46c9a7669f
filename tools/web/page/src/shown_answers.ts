// Answers of commands as sentences, facts and tables, from their JSON.
import { answerNode } from "../../report/src/answer_view";
import type { AnswerLine } from "../../report/src/answer_view";
import { element, tableOf } from "../../report/src/dom";
import { numberText, sizeText, timeText } from "../../report/src/format";
import type { Advised, AdvisedRow, CapacityOfFile, CapacityRow, Compared, Holdings, OfFiles } from "./answers";

type Gpu = NonNullable<CapacityRow["smallest_gpu"]>;

const sentence = (text: string) => element("p", { class: "headline" }, text);
const isOfFiles = <Document>(answer: Document | OfFiles<Document>): answer is OfFiles<Document> =>
  typeof answer === "object" && answer !== null && "worst_file" in answer;
const sizeOrNone = (bytes: number | null) => (bytes === null ? "-" : sizeText(bytes));
const share = (part: number, all: number) => (all === 0 ? "-" : `${(100 * part / all).toFixed(1)} %`);
const settingText = (conf: string) => (conf === "" ? "no options" : conf);

/** `setting` is put below the sentence that it belongs to. */
export function adviceNode(advice: Advised, setting: Node | null): HTMLElement {
  const node = answerNode(advice);
  if (setting) node.firstElementChild!.after(setting);
  if (advice.files.length < 2) return node;
  const rows: [string, AdvisedRow][] = [["as recorded", advice.recorded], ["no options", advice.no_options]];
  if (!advice.nothing_helps) rows.push([advice.conf, advice.best]);
  const cell = ({ files }: AdvisedRow, file: number) => {
    const figures = files?.[file];
    if (!figures) return "-";
    return figures.out_of_memory_at ? `fails at event ${numberText(figures.out_of_memory_at.event)}`
                                    : sizeText(figures.peak_reserved);
  };
  node.append(tableOfFiles("Peak reserved of each file; the worst counts.", ["file", ...rows.map(([name]) => name)],
    advice.files.map((file, i) => [file, ...rows.map(([, row]) => cell(row, i))])));
  return node;
}

/** A table whose file names have rows of their own in narrow windows. */
function tableOfFiles(caption: string, heads: string[], rows: string[][]): HTMLElement {
  const table = tableOf(caption, heads, rows, heads.slice(1).map((_, i) => i + 1));
  table.classList.add("named");
  return table;
}

function packingText({ above_packing_millionths: above }: CapacityRow): string {
  return above === null ? "-" : `${(Math.abs(above) / 1e4).toFixed(1)} % ${above < 0 ? "below" : "above"}`;
}

function gpuText({ name, available_bytes: bytes, larger_gpus: larger }: Gpu): string {
  return `${name} (${sizeText(bytes)} for the allocator)${larger === 0 ? "" : ` or ${larger} larger`}`;
}

/** The need under the first setting, which is the only one that the page asks about. */
export function capacityNode(answer: CapacityOfFile | OfFiles<CapacityOfFile>): HTMLElement {
  const files = isOfFiles(answer) ? answer.files : [answer];
  const worst = files.find(({ file }) => !isOfFiles(answer) || file === answer.worst_file)!;
  const row = worst.rows[0]!;
  const least = row.least_bytes;
  const headline = least === null ? "No size of device memory is enough."
    : `${sizeText(least)} of device memory ${isOfFiles(answer) ? "is enough for each file" : "is enough"}: ` +
      `with less, a request fails.`;
  const lines: AnswerLine[] = [{ name: "under", text: settingText(row.conf) }];
  if (isOfFiles(answer)) lines.unshift({ name: "worst file", text: worst.file });
  if (least !== null) lines.push({ name: "to ask again", text: `--device-memory ${least / 2 ** 20}MiB` });
  if (row.smallest_gpu) lines.push({ name: "smallest GPU", text: gpuText(row.smallest_gpu) });
  lines.push({ name: "without a limit", text: `${sizeText(row.peak_without_limit_bytes)} reserved at the peak` });
  if (row.lower_bounds)
    lines.push({ name: "live at once",
                 text: `${sizeText(row.lower_bounds.live_rounded_bytes)}: no allocator needs less under this setting` });
  if (row.above_packing_millionths !== null)
    lines.push({ name: "best packing",
                 text: `this is ${packingText(row)} what a planner needs that knows all blocks in advance` });
  for (const note of worst.notes) lines.push({ name: "note", text: note });
  const node = answerNode({ headline, lines });
  if (files.length > 1)
    node.append(tableOfFiles("Each file alone; the largest counts.",
      ["file", "least memory", "peak without limit", "best packing"],
      files.map(({ file, rows: [own] }) =>
        [file, sizeOrNone(own!.least_bytes), sizeText(own!.peak_without_limit_bytes), packingText(own!)])));
  return node;
}

export function holdersNode({ devices, notes }: Holdings): HTMLElement {
  const node = element("div");
  for (const device of devices) {
    const when = device.event === null ? "at the end" : `after event ${numberText(device.event)}`;
    const more = device.more.groups === 0 ? []
      : [[sizeText(device.more.bytes), share(device.more.bytes, device.bytes), numberText(device.more.blocks),
          `${numberText(device.more.groups)} more`]];
    node.append(
      sentence(`GPU ${device.device} at the peak of allocated memory, ${when}: ${sizeText(device.bytes)} in ` +
               `${numberText(device.blocks)} blocks.`),
      tableOf("Who holds it, the largest first.", ["bytes", "share", "blocks", "call site"],
              [...device.groups.map(({ key, bytes, blocks }) =>
                [sizeText(bytes), share(bytes, device.bytes), numberText(blocks), key]), ...more], [0, 1, 2]));
  }
  node.append(...notes.map((note) => element("p", { class: "note" }, note)));
  return node;
}

function amountText(unit: string, amount: number | null): string {
  if (amount === null) return "-";
  if (unit === "bytes") return sizeText(amount);
  if (unit === "nanoseconds") return timeText(amount / 1000);
  return unit === "ratio" ? `${(100 * amount).toFixed(1)} %` : numberText(amount);
}

function changeText(unit: string, base: number | null, other: number | null): string {
  if (base === null || other === null) return "-";
  const change = other - base;
  return change === 0 ? "same" : (change > 0 ? "+" : "−") + amountText(unit, Math.abs(change));
}

export function comparisonNode({ base, new: other, moment, changes, groups }: Compared): HTMLElement {
  const changed = Object.entries(changes).filter(([, { base: before, new: now }]) => before || now);
  return element("div", {},
    sentence(`${other.file} beside ${base.file}, each at ${moment}.`),
    tableOf("Figures.", ["", "base", "new", "change"], changed.map(([name, { unit, base: before, new: now }]) =>
      [name.replaceAll("_", " "), amountText(unit, before), amountText(unit, now),
       changeText(unit, before, now)]), [1, 2, 3]),
    tableOf("Call sites that changed most.", ["change", "base", "new", "call site"],
      groups.slice(0, mostGroups).map(({ group, base_bytes: before, new_bytes: now }) =>
        [changeText("bytes", before, now), sizeText(before), sizeText(now), group]), [0, 1, 2]));
}
const mostGroups = 20;
