// The settings of a question about a recording: the options, the device and the version. They stand
// in the page's address, so that a question can be shared; the recording never does.

export interface Settings {
  conf: string | null;
  gpu: string;
  /** In GiB; null for no limit of its own. */
  memory: number | null;
  reference: string;
}

export const unchanged: Settings = { conf: null, gpu: "", memory: null, reference: "" };

export function isUnchanged(settings: Settings): boolean {
  return settings.conf === null && settings.gpu === "" && settings.memory === null &&
    settings.reference === "";
}

/** Conditions alone, for commands that try options themselves. */
export function conditionWords(settings: Settings): string[] {
  const words: string[] = [];
  if (settings.gpu !== "") words.push("--gpu", settings.gpu);
  else if (settings.memory !== null) words.push("--device-memory", `${mebibytes(settings.memory)}MiB`);
  if (settings.reference !== "") words.push("--reference", settings.reference);
  return words;
}

export function settingWords(settings: Settings): string[] {
  const conf = settings.conf === null ? [] : ["--conf", settings.conf];
  return [...conf, ...conditionWords(settings)];
}

function mebibytes(gibibytes: number): number {
  return Math.round(gibibytes * 1024);
}

/** As a shell reads it. */
export function commandLine(words: string[]): string {
  const quoted = (word: string) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  return ["vramlab", ...words].map(quoted).join(" ");
}

export function settingsOfAddress(hash: string): Settings {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const memory = Number(given.get("memory"));
  return {
    conf: given.get("conf"),
    gpu: given.get("gpu") ?? "",
    memory: given.has("memory") && memory > 0 ? memory : null,
    reference: given.get("reference") ?? "",
  };
}

export function addressOf(settings: Settings): string {
  const given = new URLSearchParams();
  if (settings.conf !== null) given.set("conf", settings.conf);
  if (settings.gpu !== "") given.set("gpu", settings.gpu);
  if (settings.memory !== null) given.set("memory", String(settings.memory));
  if (settings.reference !== "") given.set("reference", settings.reference);
  const text = given.toString();
  return text === "" ? "#" : `#${text}`;
}
