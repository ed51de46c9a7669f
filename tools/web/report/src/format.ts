// Sizes, times and numbers as people read them.

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Two decimals; halves go to the even digit, as in the program: 39.625 is 39.62. */
function rounded(value: number): string {
  const isHalf = Math.abs(value * 8) % 4 === 1;
  return (isHalf ? value - Math.sign(value) * 0.001 : value).toFixed(2);
}

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A size that two decimals would round up to 1024 of a unit is one of the next unit, as the
  // program prints it.
  while (Math.abs(value) >= (unit === 0 ? 1024 : 1023.995) && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return unit === 0 ? `${value} B` : `${rounded(value)} ${units[unit]}`;
}

/** Short, for axes. */
export function roundSizeText(bytes: number): string {
  if (bytes === 0) return "0";
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${Number(value.toPrecision(3))} ${units[unit]}`;
}

/** Such as `64KiB`, `1.5 GB` or `512`; nothing where it is no size. */
export function sizeOf(text: string): number | null {
  const match = /^([0-9.]+)\s*([kmgt]?)(i?)b?$/i.exec(text.trim());
  if (!match || Number.isNaN(Number(match[1]))) return null;
  const power = " kmgt".indexOf(match[2]!.toLowerCase() || " ");
  return Number(match[1]) * (match[3] ? 1024 : match[2] ? 1000 : 1) ** power;
}

export function timeText(microseconds: number): string {
  const size = Math.abs(microseconds);
  if (size < 1000) return `${Math.round(microseconds)} µs`;
  if (size < 1e6) return `${(microseconds / 1e3).toFixed(3)} ms`;
  return `${(microseconds / 1e6).toFixed(3)} s`;
}

/** Short, for axes. */
export function roundTimeText(microseconds: number, step: number): string {
  const unit = step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
  const name = unit === 1e6 ? "s" : unit === 1e3 ? "ms" : "µs";
  return `${numberText(Number((microseconds / unit).toPrecision(12)))} ${name}`;
}

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
export function numberText(value: number): string {
  return grouped.format(value).replaceAll(",", "\u202f");
}

export function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function addressText(address: number): string {
  return `0x${address.toString(16)}`;
}

export function frameText(frame: { name: string; file: string; line: number }): string {
  const parts = frame.file.replaceAll("\\", "/").split("/");
  const file = parts.slice(-2).join("/");
  if (!file || file === "??") return frame.name;
  return `${file}${frame.line ? `:${frame.line}` : ""} ${frame.name}`;
}
