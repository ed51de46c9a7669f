// The JSON of commands, as far as the page shows it (docs/reference/schemas).

export interface Replayed {
  reference: string;
  options: string;
  events: number;
  notes: string[];
  metrics: Record<string, number>;
  out_of_memory: { device: number; event: number; text?: string }[];
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
}
export interface Info { files: FileFacts[] }

export interface Verified {
  files: { label: string; reference: string; options: string; devices: { reasons: string[] }[] }[];
}

export interface Swept {
  rows: { conf: string; as_recorded: boolean; refused: string | null; [figure: string]: unknown }[];
}
