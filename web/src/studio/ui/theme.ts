/** Dark and light themes; the choice is remembered. */

const KEY = "footfall.theme";
export type Theme = "dark" | "light";
const listeners = new Set<(theme: Theme) => void>();

export function theme(): Theme {
  return document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
}

export function setTheme(next: Theme): void {
  document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Private windows may refuse; then it is chosen anew next time.
  }
  for (const listener of listeners) listener(next);
}

/** Take the remembered theme, else the system's. */
export function startTheme(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    kept = null;
  }
  const light = kept ? kept === "light" : matchMedia("(prefers-color-scheme: light)").matches;
  setTheme(light ? "light" : "dark");
}

export function onTheme(listener: (theme: Theme) => void): void {
  listeners.add(listener);
}
