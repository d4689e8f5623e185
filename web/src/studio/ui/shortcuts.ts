/** Keyboard shortcuts: keys to actions, silent while somebody types. */

import { isTyping } from "./dom";

export type Keys = Record<string, () => void>;

/** The name of a key with its modifiers, like "Ctrl+Shift+Z". */
function nameOf(event: KeyboardEvent): string {
  const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const held = [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.altKey ? "Alt" : ""].filter(Boolean);
  const shifted = event.shiftKey && (key.length > 1 || held.length > 0);
  return [...held, ...(shifted ? ["Shift"] : []), key].join("+");
}

/** Act on keys; the table is asked each time, so that it may depend on the mode. */
export function listenToKeys(table: () => Keys): void {
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const name = nameOf(event);
    if (isTyping(event.target) && !name.startsWith("Ctrl+S") && !name.startsWith("Ctrl+E") && name !== "Escape") return;
    const onControl = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
    if (onControl && (name === "Enter" || (name === "Space" && event.target instanceof HTMLInputElement))) return;
    if (event.target instanceof HTMLInputElement && event.target.type === "range" && name.includes("Arrow")) return;
    const act = table()[name];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

/** The keys that are held down now, for steering. */
export function heldKeys(): Set<string> {
  const held = new Set<string>();
  addEventListener("keydown", (event) => {
    if (!isTyping(event.target) && !event.ctrlKey && !event.metaKey) held.add(event.code);
  });
  addEventListener("keyup", (event) => held.delete(event.code));
  addEventListener("blur", () => held.clear());
  return held;
}
