/** The outliner on the left and the properties on the right. */

import { api } from "./api";
import type { Improvement, PlanFacts } from "./api";
import { MOST_SHOWN } from "./app";
import type { App } from "./app";
import type { ContactEditor } from "./contacts";
import type { Live } from "./live";
import { groundPoint, moveStage } from "./store";
import type { Selection, Stage, Thing } from "./store";
import { button, el, field, icon, numberField, panel, select, slider, svg, tick } from "./ui/dom";
import { attempt } from "./ui/messages";
import { COLOURS } from "./view/markers";
import { TINTS } from "./view/shows";

export interface Studio {
  app: App;
  live: Live;
  contacts: ContactEditor;
  footprint(index: number): FootprintFacts | null;
  moveFootprint(index: number, x: number, z: number, yaw: number): void;
}

export interface FootprintFacts {
  foot: 0 | 1;
  t: number;
  x: number;
  z: number;
  /** Degrees. */
  yaw: number;
}

export const LETTERS = ["A", "B", "C", "D"];

function swatch(colour: number): HTMLElement {
  return el("span", { class: "swatch", style: `background:#${colour.toString(16).padStart(6, "0")}` });
}

function row(studio: Studio, mark: Node, text: string, note: string, target: Selection, remove?: () => void): HTMLLIElement {
  const { store } = studio.app;
  const chosen = JSON.stringify(store.selection) === JSON.stringify(target);
  const node = el("li", { role: "option", tabindex: "0", "aria-selected": String(chosen), "aria-label": text }, mark, el("span", { class: "text" }, text), el("small", {}, note));
  node.addEventListener("click", () => store.select(target));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter") store.select(target);
  });
  if (remove) {
    node.append(button({ icon: "trash", label: `Remove ${text}`, kind: "quiet" }, (event) => {
      event.stopPropagation();
      remove();
    }));
  }
  return node;
}

/** Build the outliner: task, plans and objects. */
export function drawOutliner(node: HTMLElement, studio: Studio): void {
  const { app } = studio;
  const { doc } = app.store;
  const scroll = node.scrollTop;
  const task = el("ul", { class: "tree", role: "listbox", "aria-label": "Task" });
  task.append(row(studio, swatch(COLOURS["start"]!), "Start", `${doc.start.x.toFixed(1)}, ${doc.start.z.toFixed(1)}`, { kind: "start" }));
  for (const stage of doc.stages) {
    const at = groundPoint(stage);
    const title = stage.do === "go to" ? "Go to" : stage.do === "follow" ? "Follow path" : stage.do[0]!.toUpperCase() + stage.do.slice(1);
    task.append(row(studio, swatch(COLOURS[stage.do] ?? 0), title, at ? `${at[0].toFixed(1)}, ${at[1].toFixed(1)}` : "", { kind: "stage", id: stage.id }, () => removeStage(app, stage.id)));
  }
  const plans = el("ul", { class: "tree", role: "listbox", "aria-label": "Plans" });
  for (const plan of [...app.plans].reverse().slice(0, MOST_LISTED)) plans.append(planRow(studio, plan));
  const things = el("ul", { class: "tree", role: "listbox", "aria-label": "Objects" });
  (doc.scene?.obstacle ?? []).forEach((thing, index) => {
    things.append(row(studio, icon("box"), thing.name || thing.kind, thing.name ? thing.kind : "", { kind: "thing", index }, () => removeThing(app, index)));
  });
  if (app.store.mode === "contacts") {
    node.replaceChildren(panel("Clips", clipList(studio)));
    node.scrollTop = scroll;
    return;
  }
  node.replaceChildren(
    panel("Task", task, doc.stages.length ? null : el("div", { class: "empty" }, "Click the floor to walk there.")),
    panel("Plans", app.plans.length ? plans : el("div", { class: "empty" }, "Plans and recordings appear here.")),
    panel("Objects", doc.scene?.obstacle?.length ? things : el("div", { class: "empty" }, "The scene has no objects.")),
  );
  node.scrollTop = scroll;
}

/** The clips of the library whose contacts are looked at. */
function clipList(studio: Studio): HTMLElement {
  const { contacts } = studio;
  const list = el("ul", { class: "tree", role: "listbox", "aria-label": "Clips" });
  for (const clip of contacts.clips) {
    const entry = el("li", { role: "option", tabindex: "0", "aria-selected": String(clip.name === contacts.clip) }, el("span", { class: "text" }, clip.name), el("small", {}, `${clip.seconds.toFixed(1)} s`));
    const choose = (): void => attempt(() => contacts.choose(clip.name));
    entry.addEventListener("click", choose);
    entry.addEventListener("keydown", (event) => {
      if (event.key === "Enter") choose();
    });
    list.append(entry);
  }
  return list;
}

const MOST_LISTED = 60;

/** A number with three digits that count. */
function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** A plan: a click shows it alone, its eye shows it beside others. */
function planRow(studio: Studio, plan: PlanFacts): HTMLElement {
  const { app } = studio;
  const place = app.shown.indexOf(plan.id);
  const name = plan.name || plan.method || plan.status;
  const mark = place >= 0 && app.shown.length > 1 ? el("span", { class: "letter", style: place ? `color:#${(TINTS[place] ?? 0).toString(16).padStart(6, "0")}` : undefined }, LETTERS[place] ?? "") : icon(plan.kind === "recording" ? "record" : plan.found ? "play" : "cancel");
  const entry = row(studio, mark, name, plan.found ? `${plan.seconds.toFixed(1)} s` : plan.status, { kind: "plan", id: plan.id }, () => attempt(() => removePlan(app, plan.id)));
  if (!plan.found) return entry;
  entry.addEventListener("click", () => {
    if (app.store.mode === "plan" && place < 0) attempt(() => app.showPlans([plan.id], true));
  });
  const eye = button({ icon: "eye", label: place < 0 ? `Show ${name} beside what is shown` : `Hide ${name}`, kind: "quiet", pressed: place >= 0 }, (event) => {
    event.stopPropagation();
    attempt(() => app.toggleShown(plan.id));
  });
  eye.classList.add("eye");
  if (app.store.mode === "plan") entry.insertBefore(eye, entry.lastChild);
  return entry;
}

export function removeStage(app: App, id: string): void {
  app.store.edit((doc) => (doc.stages = doc.stages.filter((stage) => stage.id !== id)));
  app.store.select(null);
}

export function removeThing(app: App, index: number): void {
  app.editScene((scene) => scene.obstacle?.splice(index, 1));
  app.store.select(null);
}

export async function removePlan(app: App, id: string): Promise<void> {
  await api.removePlan(id);
  app.plans = app.plans.filter((plan) => plan.id !== id);
  if (app.shown.includes(id)) await app.toggleShown(id);
  app.store.select(null);
}

function sceneChoices(app: App): HTMLElement {
  const { doc } = app.store;
  const scenes = app.lists.scenes.map((scene) => ({ value: scene.name, text: scene.name, title: scene.description, group: scene.source === "work" ? "Yours" : "Built in" }));
  const libraries = app.lists.libraries.map((library) => ({ value: library.name, text: library.name, group: library.source === "work" ? "Yours" : "Built in" }));
  const people = [{ value: "", text: "of the library" }, ...app.lists.characters.map((each) => ({ value: each.name, text: each.name }))];
  return panel(
    "Scene and people",
    field("Scene", select("Scene", scenes, doc.scene_name, (value) => attempt(() => app.useScene(value)))),
    field("Library", select("Library", libraries, doc.library, (value) => app.store.edit((each) => (each.library = value)))),
    field("Character", select("Character", people, doc.character ?? "", (value) => app.store.edit((each) => (each.character = value || null)))),
    el("div", { class: "note" }, "Drop a scene, clips, a character, a task or a session anywhere."),
  );
}

function wishes(app: App): HTMLElement {
  const { doc } = app.store;
  return panel(
    "Planning",
    numberField("Speed", doc.speed, { min: 0.2, max: 6, step: 0.1, unit: "m/s", empty: "any" }, (value) => app.store.edit((each) => (each.speed = value))),
    numberField("Time", doc.time_s, { min: 1, max: 600, step: 1, unit: "s" }, (value) => app.store.edit((each) => (each.time_s = value ?? 10))),
    numberField("Seed", doc.seed, { min: 0, step: 1 }, (value) => app.store.edit((each) => (each.seed = Math.round(value ?? 0)))),
    numberField("Alternatives", doc.alternatives, { min: 1, max: 8, step: 1 }, (value) => app.store.edit((each) => (each.alternatives = Math.round(value ?? 1)))),
  );
}

function stagePanel(studio: Studio, stage: Stage): HTMLElement {
  const { store } = studio.app;
  const change = (edit: (stage: Stage) => void): void => store.edit((doc) => {
    const found = doc.stages.find((each) => each.id === stage.id);
    if (found) edit(found);
  });
  const box = panel(stage.do === "follow" ? "Path" : `Stage: ${stage.do}`);
  const at = groundPoint(stage);
  if (at && stage.do !== "follow") {
    box.append(numberField("X", at[0], { unit: "m" }, (value) => change((each) => moveStage(each, value ?? 0, at[1]))));
    box.append(numberField("Z", at[1], { unit: "m" }, (value) => change((each) => moveStage(each, at[0], value ?? 0))));
  }
  if (stage.do === "go to" || stage.do === "sit" || stage.do === "stand on") {
    box.append(numberField("Heading", stage.at?.[2] ?? null, { step: 5, unit: "°", empty: "any" }, (value) => change((each) => {
      each.at = [each.at?.[0] ?? 0, each.at?.[1] ?? 0, ...(value === null ? [] : [value])];
    })));
  }
  if (stage.do === "follow") {
    box.append(slider("Corridor", stage.corridor_m ?? 1, { min: 0.2, max: 3, step: 0.1, unit: "m" }, (value) => change((each) => (each.corridor_m = value))));
    box.append(el("div", { class: "note" }, "Drag the white points to bend the path."));
  }
  const actions = el("div", { class: "row" });
  if (studio.app.shown.length && (stage.do === "via" || stage.do === "go to")) box.append(el("div", { class: "note" }, "Drag it: only the motion around it changes, if that passes all checks. Plan makes a new motion."));
  actions.append(button({ icon: "trash", text: "Remove", kind: "danger" }, () => removeStage(studio.app, stage.id)));
  box.append(actions);
  return box;
}

function thingPanel(app: App, index: number, thing: Thing): HTMLElement {
  const change = (edit: (thing: Thing) => void): void => app.editScene((scene) => {
    const found = scene.obstacle?.[index];
    if (found) edit(found);
  });
  const box = panel(thing.name || thing.kind);
  if (thing.at) {
    const last = thing.at.length - 1;
    box.append(numberField("X", thing.at[0] ?? 0, { unit: "m" }, (value) => change((each) => each.at && (each.at[0] = value ?? 0))));
    box.append(numberField("Z", thing.at[last] ?? 0, { unit: "m" }, (value) => change((each) => each.at && (each.at[last] = value ?? 0))));
    box.append(numberField("Heading", thing.yaw_deg ?? 0, { step: 5, unit: "°" }, (value) => change((each) => (each.yaw_deg = value ?? 0))));
  }
  const size = thing["size"];
  if (Array.isArray(size)) {
    ["Width", "Height", "Depth"].slice(0, size.length).forEach((label, axis) => {
      box.append(numberField(label, Number(size[axis]), { min: 0.05, unit: "m" }, (value) => change((each) => ((each["size"] as number[])[axis] = value ?? 1))));
    });
  }
  box.append(el("div", { class: "row" }, button({ icon: "trash", text: "Remove", kind: "danger" }, () => removeThing(app, index))));
  return box;
}

function planPanel(app: App, id: string): HTMLElement | null {
  const plan = app.plans.find((each) => each.id === id);
  if (!plan) return null;
  const facts = el("dl", { class: "facts" });
  const say = (name: string, value: string): void => facts.append(el("dt", {}, name), el("dd", {}, value));
  say("Status", plan.status);
  say("Length", `${plan.seconds.toFixed(2)} s`);
  say("Method", plan.method || "–");
  if (plan.cost !== null) say("Cost", short(plan.cost));
  if (plan.bound) say("Bound", `at most ${plan.bound.toFixed(2)} × the best`);
  const box = panel(plan.name || "Plan", facts, plan.reason ? el("div", { class: "note bad" }, plan.reason) : null);
  const row = el("div", { class: "row" });
  const first = app.shown[0];
  if (plan.found && !app.shown.includes(id)) row.append(button({ icon: "eye", text: "Show" }, () => attempt(() => app.showPlans([id], true))));
  if (plan.found && first && !app.shown.includes(id)) row.append(button({ text: "Compare", id: "compare" }, () => attempt(() => app.toggleShown(id))));
  row.append(button({ icon: "trash", text: "Remove", kind: "danger" }, () => attempt(() => removePlan(app, id))));
  box.append(row);
  return box;
}

/** The plans to choose from, if a job found several. */
function alternativesPanel(app: App): HTMLElement | null {
  const id = app.shown[0];
  const found = id ? app.alternatives(id) : [];
  if (found.length < 2) return null;
  const list = el("div", { class: "choices", role: "radiogroup", "aria-label": "Alternatives" });
  found.forEach((plan, index) => {
    const cost = plan.cost === null ? "" : `cost ${short(plan.cost)}`;
    const node = el("button", { type: "button", role: "radio", "aria-checked": String(plan.id === id), id: `alternative-${index + 1}` }, el("b", {}, String(index + 1)), el("span", {}, `${plan.seconds.toFixed(1)} s`), el("small", {}, cost));
    node.addEventListener("click", () => attempt(() => app.showPlans([plan.id], true)));
    list.append(node);
  });
  const all = button({ icon: "eye", text: "Show all in sync", id: "show-all" }, () => attempt(() => app.showPlans(found.slice(0, MOST_SHOWN).map((plan) => plan.id), true)));
  return panel("Alternatives", list, el("div", { class: "row" }, all));
}

const CHART = { width: 220, height: 74, edge: 6 };

/** How the cost came down while the search went on, and what is proven of it. */
function searchPanel(app: App): HTMLElement | null {
  const job = app.job ?? app.lastJob;
  const points = (job?.improvements ?? []).filter((each) => each.cost !== null);
  const last = points[points.length - 1];
  if (!job || !last || points.length < 2 || job.plans.length > 1) return null;
  const { width, height, edge } = CHART;
  const end = Math.max(job.seconds, last.seconds, 1e-3);
  const most = Math.max(...points.map((each) => each.cost));
  const least = Math.min(...points.map((each) => each.cost / (each.bound ?? 1)));
  const x = (seconds: number): number => edge + (seconds / end) * (width - 2 * edge);
  const y = (cost: number): number => height - edge - ((cost - least) / Math.max(1e-9, most - least)) * (height - 2 * edge);
  const steps = (value: (each: Improvement) => number): string => points.map((each, n) => `${n ? `H${x(each.seconds)}` : `M${x(each.seconds)} ${y(value(each))}`}V${y(value(each))}`).join("") + `H${x(end)}`;
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `The cost fell from ${short(most)} to ${short(last.cost)}` });
  if (last.bound) chart.append(svg("path", { d: steps((each) => each.cost / (each.bound ?? 1)), class: "bound" }));
  chart.append(svg("path", { d: steps((each) => each.cost) }));
  const proven = last.bound ? `, at most ${last.bound.toFixed(2)} × the best` : "";
  return panel("Search", chart, el("div", { class: "note" }, `${points.length} solutions in ${end.toFixed(1)} s: cost ${short(most)} → ${short(last.cost)}${proven}`));
}

function footprintPanel(studio: Studio, index: number): HTMLElement | null {
  const print = studio.footprint(index);
  if (!print) return null;
  const move = (x: number, z: number, yaw: number): void => studio.moveFootprint(index, x, z, yaw);
  return panel(
    `Footprint ${index + 1}, ${print.foot ? "right" : "left"}, ${print.t.toFixed(2)} s`,
    numberField("X", print.x, { unit: "m", step: 0.02 }, (value) => move(value ?? print.x, print.z, print.yaw)),
    numberField("Z", print.z, { unit: "m", step: 0.02 }, (value) => move(print.x, value ?? print.z, print.yaw)),
    numberField("Heading", print.yaw, { unit: "°", step: 2 }, (value) => move(print.x, print.z, value ?? print.yaw)),
    el("div", { class: "note" }, "Or drag it in the view; G moves, R turns. Only the steps around it change."),
  );
}

function checks(app: App): HTMLElement | null {
  const entry = app.shows.first?.motion.entry;
  if (!entry || !app.shown.length) return null;
  const facts = el("dl", { class: "facts" });
  for (const value of entry.verified.slice(0, 12)) {
    const shown = value.value === null ? "–" : `${value.ok === false ? "✗" : value.ok ? "✓" : ""} ${Number(value.value.toPrecision(3))} ${value.unit}`;
    facts.append(el("dt", {}, value.label), el("dd", {}, shown));
  }
  const notes = entry.notes.slice(0, 4).map((note) => el("div", { class: "note" }, note));
  return panel("Checked", facts, ...notes);
}

function livePanel(studio: Studio): HTMLElement {
  const { live } = studio;
  return panel(
    "Live",
    slider("Speed", live.speed, { min: 0.4, max: 4, step: 0.1, unit: "m/s" }, (value) => (live.speed = value)),
    slider("Style", live.style, { min: 0, max: 1, step: 0.05, digits: 2 }, (value) => (live.style = value)),
    slider("Crowd", live.crowd, { min: 0, max: 100, step: 1, digits: 0 }, (value) => live.setCrowd(value)),
    el("div", { class: "row" },
      button({ icon: "record", text: live.recording ? "Stop recording" : "Record", id: "record", kind: live.recording ? "danger" : "primary" }, () => live.record()),
      button({ icon: "crowd", text: "100 people", id: "crowd-100" }, () => {
        live.setCrowd(100);
        studio.app.onChange();
      })),
    live.facts,
    el("div", { class: "note" }, "Hold the pointer on the floor, or use W A S D or a gamepad; Shift runs. Drag an object into the way. Recordings go to the plans, to be shown and exported."),
  );
}

function contactsPanel(studio: Studio): HTMLElement {
  const { contacts, app } = studio;
  const libraries = app.lists.libraries.map((library) => ({ value: library.name, text: library.name, group: library.source === "work" ? "Yours" : "Built in" }));
  const clips = contacts.clips.map((clip) => ({ value: clip.name, text: `${clip.name} (${clip.seconds.toFixed(1)} s)` }));
  const editable = contacts.contacts?.editable ?? false;
  const box = panel(
    "Clip",
    field("Library", select("Library of the clip", libraries, contacts.library, (value) => attempt(() => contacts.open(value)))),
    field("Clip", select("Clip", clips, contacts.clip, (value) => attempt(() => contacts.choose(value)))),
  );
  if (editable) {
    const save = button({ icon: "save", text: "Save contacts", id: "save-contacts", kind: "primary" }, () => attempt(() => contacts.save()));
    save.disabled = !contacts.changed;
    box.append(el("div", { class: "note" }, "Drag the ends of a contact. Double-click to add or remove one."), el("div", { class: "row" }, save));
  } else {
    box.append(el("div", { class: "note" }, "Clips that come with Footfall cannot be changed. Copy this one to a library of your own to edit its contacts."));
    box.append(el("div", { class: "row" }, button({ text: "Copy to edit", id: "copy-clip", kind: "primary" }, () => attempt(() => contacts.copy()))));
  }
  return box;
}

/** Build the properties of what is chosen, of the mode and of the whole. */
export function drawProperties(node: HTMLElement, studio: Studio): void {
  if (node.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement && document.activeElement.type === "range") return;
  const { app } = studio;
  const { store } = app;
  const parts: (Node | null)[] = [];
  const chosen = store.selection;
  if (store.mode === "contacts") parts.push(contactsPanel(studio));
  if (store.mode === "live") parts.push(livePanel(studio));
  if (chosen?.kind === "start") {
    const { start } = store.doc;
    parts.push(panel("Start",
      numberField("X", start.x, { unit: "m" }, (value) => store.edit((doc) => (doc.start.x = value ?? 0))),
      numberField("Z", start.z, { unit: "m" }, (value) => store.edit((doc) => (doc.start.z = value ?? 0))),
      numberField("Heading", start.yaw_deg, { step: 5, unit: "°" }, (value) => store.edit((doc) => (doc.start.yaw_deg = value ?? 0)))));
  }
  const stage = chosen?.kind === "stage" ? store.stage(chosen.id) : undefined;
  if (stage) parts.push(stagePanel(studio, stage));
  const thing = chosen?.kind === "thing" ? store.doc.scene?.obstacle?.[chosen.index] : undefined;
  if (thing && chosen?.kind === "thing") parts.push(thingPanel(app, chosen.index, thing));
  if (chosen?.kind === "plan") parts.push(planPanel(app, chosen.id));
  if (chosen?.kind === "footprint") parts.push(footprintPanel(studio, chosen.index));
  if (store.mode === "plan") {
    parts.push(alternativesPanel(app), searchPanel(app));
    parts.push(sceneChoices(app), wishes(app));
    parts.push(panel("Show", tick("Onion skins", app.shows.ghosts, (value) => {
      app.shows.ghosts = value;
      app.shows.refresh();
    })));
    parts.push(checks(app));
  }
  const scroll = node.scrollTop;
  node.replaceChildren(...parts.filter((part): part is Node => part !== null));
  node.scrollTop = scroll;
}
