// Light and dark: as the system says, or as chosen on the page. Colours are those of the style
// sheet, so that what is drawn and what is laid out agree.

type Listener = () => void;

const listeners: Listener[] = [];
let cached = new Map<string, string>();

export function colour(name: string): string {
  let value = cached.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    cached.set(name, value);
  }
  return value;
}

/** One for each of so many things; beyond them all have the last, that of the rest. */
export const siteColourCount = 12;
export function siteColour(number: number): string {
  return colour(`site-${Math.min(number, siteColourCount - 1)}`);
}

export function onThemeChange(listener: Listener): void {
  listeners.push(listener);
}

function changed(): void {
  cached = new Map();
  listeners.forEach((listener) => listener());
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function setTheme(theme: "dark" | "light"): void {
  document.documentElement.dataset["theme"] = theme;
  changed();
}

export function setUpTheme(button: HTMLButtonElement): void {
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Change to light colours" : "Change to dark colours");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    label();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    label();
    changed();
  });
  let before: string | undefined;
  window.addEventListener("beforeprint", () => {
    before = document.documentElement.dataset["theme"];
    document.documentElement.dataset["theme"] = "light";
    changed();
  });
  window.addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset["theme"] = before;
    else delete document.documentElement.dataset["theme"];
    changed();
  });
  label();
}

/** Before the views are built anew. */
export function forgetThemeListeners(): void {
  listeners.length = 0;
}
