// The JSON of commands, as far as the page shows it (docs/reference/schemas).
import type { Answer } from "../../report/src/answer_view";

export interface Replayed {
  reference: string;
  options: string;
  events: number;
  notes: string[];
  metrics: Record<string, number>;
  out_of_memory: { device: number; event: number }[];
  devices: ReplayedDevice[];
}
export interface ReplayedDevice {
  device: number;
  memory_bytes: number | null;
  memory_origin: string;
  recorded_peak_reserved_bytes: number | null;
  recorded_counts: Record<string, number> | null;
}

export interface DeviceFacts {
  device: number;
  events: number;
  history: string;
  history_reason: string;
  segments: { count: number; reserved_bytes: number; allocated_bytes: number } | null;
}
export interface FileFacts {
  file: string;
  format: string;
  bytes: number;
  version: string;
  version_reason: string;
  devices: DeviceFacts[];
  /** Null for a snapshot. */
  program: { events: number } | null;
}
export interface Info { files: FileFacts[] }

export interface Verified {
  files: { label: string; reference: string; options: string; devices: { reasons: string[] }[] }[];
}

export interface Swept {
  rows: { conf: string; as_recorded: boolean; refused: string | null; [figure: string]: unknown }[];
}

export interface Explained { answer: Answer & { file: string } }

/** The document of several files. */
export interface OfFiles<Document> { worst_file: string; files: Document[] }

export interface Advised extends Answer {
  conf: string;
  nothing_helps: boolean;
  /** The setting as a shell takes it. */
  export: string | null;
  files: string[];
  best: AdvisedRow;
  no_options: AdvisedRow;
  recorded: AdvisedRow;
}
export interface AdvisedRow {
  /** None where the setting was refused. */
  files?: { peak_reserved: number; out_of_memory_at: { event: number } | null }[];
}

export interface CapacityOfFile { file: string; notes: string[]; rows: CapacityRow[] }
export interface CapacityRow {
  conf: string;
  least_bytes: number | null;
  above_packing_millionths: number | null;
  peak_without_limit_bytes: number;
  smallest_gpu: { name: string; available_bytes: number; larger_gpus: number } | null;
  lower_bounds: { live_rounded_bytes: number } | null;
}

interface Held { bytes: number; blocks: number }
export interface Holdings {
  notes: string[];
  devices: (Held & { device: number; event: number | null; groups: (Held & { key: string })[];
                     more: Held & { groups: number } })[];
}

export interface Compared {
  base: { file: string };
  new: { file: string };
  moment: string;
  /** A figure is null where its file does not tell it. */
  changes: Record<string, { unit: string; base: number | null; new: number | null }>;
  groups: { group: string; base_bytes: number; new_bytes: number }[];
}
