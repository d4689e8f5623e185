/** Toasts, the status line, dialogs and context menus. */

import { button, el, need } from "./dom";

export type Tone = "info" | "good" | "error";

/** Show a message for a while, errors for longer. */
export function toast(text: string, tone: Tone = "info"): void {
  const box = need("toasts");
  for (const other of Array.from(box.children)) if (other.getAttribute("data-text") === text) other.remove();
  const node = el("div", { class: `toast ${tone}`, "data-text": text }, el("span", {}, text));
  node.append(button({ icon: "cancel", label: "Close message", kind: "quiet" }, () => node.remove()));
  box.append(node);
  while (box.children.length > 4) box.firstElementChild?.remove();
  if (tone !== "error") setTimeout(() => node.remove(), 5000);
  else setTimeout(() => node.remove(), 20_000);
}

/** Say in a toast what went wrong. */
export function complain(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  toast(error instanceof Error ? error.message : String(error), "error");
}

/** Run something that may fail; failures become toasts. */
export function attempt(work: () => Promise<unknown>): void {
  work().catch(complain);
}

/** Write the status line: what is going on, and on the right what the pointer can do. */
export function status(text: string): void {
  need("status-text").textContent = text;
}

export function hint(text: string): void {
  const node = need("status-hint");
  if (node.textContent !== text) node.textContent = text;
}

export interface MenuItem {
  text: string;
  note?: string;
  danger?: boolean;
  disabled?: boolean;
  act?: () => void;
}

let openMenu: HTMLElement | null = null;

export function closeMenu(): void {
  openMenu?.remove();
  openMenu = null;
}

/** Open a context menu at a point of the page; null draws a line between items. */
export function menu(x: number, y: number, title: string, items: readonly (MenuItem | null)[]): void {
  closeMenu();
  const node = el("div", { class: "menu", role: "menu", "aria-label": title }, el("div", { class: "menu-title" }, title));
  for (const item of items) {
    if (!item) {
      node.append(el("hr"));
      continue;
    }
    const entry = el("button", { type: "button", role: "menuitem", class: item.danger ? "danger" : undefined, disabled: item.disabled });
    entry.append(el("span", {}, item.text), item.note ? el("small", {}, item.note) : "");
    entry.addEventListener("click", () => {
      closeMenu();
      item.act?.();
    });
    node.append(entry);
  }
  document.body.append(node);
  const box = node.getBoundingClientRect();
  node.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 4))}px`;
  node.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 4))}px`;
  openMenu = node;
  (node.querySelector("button:not(:disabled)") as HTMLElement | null)?.focus({ preventScroll: true });
  node.addEventListener("keydown", moveInMenu);
}

function moveInMenu(event: KeyboardEvent): void {
  if (!openMenu) return;
  event.stopPropagation();
  if (event.key === "Escape") closeMenu();
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (!step) return;
  event.preventDefault();
  const entries = Array.from(openMenu.querySelectorAll<HTMLButtonElement>("button:not(:disabled)"));
  const at = entries.indexOf(document.activeElement as HTMLButtonElement);
  entries[(at + step + entries.length) % entries.length]?.focus();
}

addEventListener("pointerdown", (event) => {
  if (openMenu && !openMenu.contains(event.target as Node)) closeMenu();
}, true);

/** Open a modal dialog; it closes on Escape, on its cross and on a click beside it. */
export function dialog(title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const node = el("dialog", { "aria-label": title });
  const close = button({ icon: "cancel", label: "Close", kind: "quiet" }, () => node.close());
  node.append(el("header", {}, el("h2", {}, title), close), el("div", { class: "content" }, ...content));
  node.addEventListener("click", (event) => {
    if (event.target === node) node.close();
  });
  node.addEventListener("close", () => node.remove());
  document.body.append(node);
  node.showModal();
  return node;
}
