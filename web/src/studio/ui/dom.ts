/** Builds HTML elements without a framework. */

type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string | null | undefined | false;

/** Make an element with attributes and children; `on…` handlers are set separately. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) node.append(child);
  return node;
}

/** Make an SVG element. */
export function svg(tag: string, attributes: Attributes = {}): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/** Find an element that the page must have. */
export function need(id: string): HTMLElement {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element #${id}.`);
  return node;
}

const PATHS: Record<string, string> = {
  select: "M4 2l9 6-4 1 2.5 4-1.6 1L7.4 10 5 13z",
  start: "M8 1a2 2 0 110 4 2 2 0 010-4zM5 6h6v4h-1v5H6v-5H5z",
  goal: "M3 1h1.5v14H3zM5 2h8l-2 3 2 3H5z",
  path: "M2 13c3 0 3-4 6-4s3-6 6-6v1.7c-2 0-2.5 6-6 6-2 0-3 4-6 4z",
  via: "M8 1a5 5 0 015 5c0 3-5 9-5 9S3 9 3 6a5 5 0 015-5zm0 3a2 2 0 100 4 2 2 0 000-4z",
  box: "M8 1l6 3v8l-6 3-6-3V4zm0 1.7L4.2 4.6 8 6.5l3.8-1.9zM3.5 6v5.2l3.8 1.9V7.9zm9 0L8.7 7.9v5.2l3.8-1.9z",
  play: "M4 2l9 6-9 6z",
  pause: "M4 2h3v12H4zM9 2h3v12H9z",
  first: "M3 2h2v12H3zM13 2v12L6 8z",
  last: "M11 2h2v12h-2zM3 2v12l7-6z",
  undo: "M6 2L2 6l4 4V7h4a2.5 2.5 0 010 5H6v2h4a4.5 4.5 0 000-9H6z",
  redo: "M10 2l4 4-4 4V7H6a2.5 2.5 0 000 5h4v2H6a4.5 4.5 0 010-9h4z",
  theme: "M8 1a7 7 0 100 14A7 7 0 008 1zm0 1.6v10.8a5.4 5.4 0 010-10.8z",
  help: "M8 1a7 7 0 100 14A7 7 0 008 1zm-.9 9.6h1.7v1.7H7.1zM8 3.6c1.7 0 2.8 1 2.8 2.4 0 1.8-2 2-2 3.4H7.2c0-2.2 1.9-2.3 1.9-3.3 0-.6-.4-1-1.1-1-.8 0-1.2.5-1.3 1.2l-1.6-.3C5.3 4.6 6.4 3.6 8 3.600z",
  save: "M2 2h10l2 2v10H2zm2 1.500v4h7v-4zM5 9.500V13h6V9.500z",
  open: "M1 3h5l1.5 2H14v2H4.500L3 12 1 13zM5 8h11l-2.5 5.500H3z",
  export: "M7.2 1h1.600v7l2.2-2.200L12 7l-4 4-4-4 1-1.200L7.2 8zM2 11h1.600v2.400h8.800V11H14v4H2z",
  trash: "M6 1h4v1.500h4V4H2V2.500h4zM3 5h10l-1 10H4z",
  plus: "M7 2h2v5h5v2H9v5H7V9H2V7h5z",
  frame: "M1 1h5v1.600H2.600V6H1zm9 0h5v5h-1.600V2.600H10zM1 10h1.600v3.400H6V15H1zm12.4 0H15v5h-5v-1.600h3.400zM5 5h6v6H5z",
  eye: "M8 3c4 0 6.5 3 7.5 5-1 2-3.5 5-7.5 5S1.5 10 .5 8C1.5 6 4 3 8 3zm0 2a3 3 0 100 6 3 3 0 000-6z",
  record: "M8 3a5 5 0 110 10A5 5 0 018 3z",
  cancel: "M3.5 2L8 6.5 12.5 2 14 3.5 9.5 8l4.5 4.5-1.5 1.500L8 9.5 3.5 14 2 12.5 6.5 8 2 3.500z",
  crowd: "M5 2a2 2 0 110 4 2 2 0 010-4zm6 0a2 2 0 110 4 2 2 0 010-4zM1 14c0-4 1-7 4-7 1.5 0 2.4.7 3 1.800C8.6 7.7 9.5 7 11 7c3 0 4 3 4 7z",
  follow: "M8 2a2.5 2.5 0 110 5 2.5 2.5 0 010-5zM3 14c0-4 2-6 5-6s5 2 5 6z",
};

/** Make an icon; it inherits the text colour. */
export function icon(name: string): SVGElement {
  const node = svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  node.append(svg("path", { d: PATHS[name] ?? "", fill: "currentColor", "fill-rule": "evenodd" }));
  return node;
}

export interface ButtonOptions {
  icon?: string;
  text?: string;
  label?: string;
  hint?: string;
  kind?: "primary" | "quiet" | "danger";
  id?: string;
  pressed?: boolean;
}

/** Make a button; `label` is what screen readers and tooltips say. */
export function button(options: ButtonOptions, press: (event: MouseEvent) => void): HTMLButtonElement {
  const label = options.label ?? options.text ?? "";
  const node = el("button", {
    type: "button",
    class: options.kind,
    id: options.id,
    "aria-label": label,
    title: options.hint ? `${label} (${options.hint})` : label,
    "aria-pressed": options.pressed === undefined ? undefined : String(options.pressed),
  });
  if (options.icon) node.append(icon(options.icon));
  if (options.text) node.append(el("span", {}, options.text));
  node.addEventListener("click", press);
  return node;
}

/** Make a labelled row of a form. */
export function field(label: string, control: HTMLElement, unit = ""): HTMLLabelElement {
  return el("label", { class: "field" }, el("span", { class: "name" }, label), control, unit ? el("span", { class: "unit" }, unit) : null);
}

export interface Choice {
  value: string;
  text: string;
  group?: string;
  title?: string;
}

/** Make a drop-down list. */
export function select(label: string, choices: readonly Choice[], value: string, change: (value: string) => void): HTMLSelectElement {
  const node = el("select", { "aria-label": label });
  fillSelect(node, choices, value);
  node.addEventListener("change", () => change(node.value));
  return node;
}

/** Replace what a drop-down list offers. */
export function fillSelect(node: HTMLSelectElement, choices: readonly Choice[], value: string): void {
  node.replaceChildren();
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const choice of choices) {
    const option = el("option", { value: choice.value, title: choice.title }, choice.text);
    if (!choice.group) {
      node.append(option);
      continue;
    }
    let group = groups.get(choice.group);
    if (!group) {
      group = el("optgroup", { label: choice.group });
      groups.set(choice.group, group);
      node.append(group);
    }
    group.append(option);
  }
  node.value = value;
}

export interface NumberOptions {
  min?: number;
  max?: number;
  step?: number;
  unit?: string;
  empty?: string;
}

/** Make a number field; `change` hears null where it is left empty. */
export function numberField(
  label: string,
  value: number | null,
  options: NumberOptions,
  change: (value: number | null) => void,
): HTMLLabelElement {
  const input = el("input", {
    type: "number",
    "aria-label": label,
    min: options.min,
    max: options.max,
    step: options.step ?? 0.1,
    placeholder: options.empty,
    value: value === null ? "" : String(Number(value.toFixed(4))),
  });
  input.addEventListener("change", () => {
    if (input.value === "") {
      if (options.empty !== undefined) change(null);
      else input.value = value === null ? "" : String(value);
      return;
    }
    let next = Number(input.value);
    if (!Number.isFinite(next)) return;
    if (options.min !== undefined) next = Math.max(options.min, next);
    if (options.max !== undefined) next = Math.min(options.max, next);
    input.value = String(next);
    change(next);
  });
  return field(label, input, options.unit ?? "");
}

/** Make a slider that shows its value. */
export function slider(
  label: string,
  value: number,
  options: Required<Pick<NumberOptions, "min" | "max" | "step">> & { unit?: string; digits?: number },
  change: (value: number) => void,
): HTMLLabelElement {
  const shown = el("output", {}, "");
  const input = el("input", { type: "range", "aria-label": label, min: options.min, max: options.max, step: options.step, value });
  const say = (): void => {
    shown.textContent = `${Number(input.value).toFixed(options.digits ?? 1)}${options.unit ? " " + options.unit : ""}`;
  };
  say();
  input.addEventListener("input", () => {
    say();
    change(Number(input.value));
  });
  return el("label", { class: "field slider" }, el("span", { class: "name" }, label), input, shown);
}

/** Make a tick box. */
export function tick(label: string, value: boolean, change: (value: boolean) => void): HTMLLabelElement {
  const input = el("input", { type: "checkbox", "aria-label": label });
  input.checked = value;
  input.addEventListener("change", () => change(input.checked));
  return el("label", { class: "field tick" }, input, el("span", {}, label));
}

/** Make a panel with a heading that can be folded. */
export function panel(title: string, ...children: Child[]): HTMLDetailsElement {
  return el("details", { class: "panel", open: true }, el("summary", {}, title), ...children);
}

/** Tell whether keys go into a text field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["range", "checkbox", "button", "file"].includes(target.type);
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** Let the browser save bytes as a file. */
export function download(name: string, data: Blob): void {
  const link = el("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
