/** Puts the studio together: toolbar, panels, timeline, keys, modes. */

import "./style.css";
import { Vector3 } from "three";
import { App } from "./app";
import { api } from "./api";
import { ContactEditor } from "./contacts";
import { exportSession, showExports } from "./exports";
import { Live } from "./live";
import { drawOutliner, drawProperties, removePlan, removeStage, removeThing } from "./panels";
import { LETTERS } from "./panels";
import type { FootprintFacts, Studio } from "./panels";
import type { Mode, Thing } from "./store";
import { HINTS, Tools } from "./tools";
import type { Tool } from "./tools";
import { button, el, fillSelect, need, select } from "./ui/dom";
import { showHelp } from "./ui/help";
import { Lanes } from "./ui/lanes";
import type { Lane } from "./ui/lanes";
import { attempt, closeMenu, complain, hint, menu, status, toast } from "./ui/messages";
import type { MenuItem } from "./ui/messages";
import { listenToKeys } from "./ui/shortcuts";
import { setTheme, startTheme, theme } from "./ui/theme";
import { Viewport } from "./view/viewport";
import type { Hit } from "./view/viewport";

startTheme();
need("status").replaceChildren(el("span", { id: "status-text" }, "Starting …"), el("span", { id: "status-hint" }), el("span", { id: "connection" }, "connected"));

const view = new Viewport(need("viewport"));
const app = new App(view);
const { store, clock } = app;
const live = new Live(app);
const contacts = new ContactEditor(app);

const studio: Studio = { app, live, contacts, footprint, moveFootprint: (index, x, z, yaw) => moveFootprint(index, x, z, yaw, true) };

/** A footprint of the first plan, as it is drawn now. */
function footprint(index: number): FootprintFacts | null {
  const show = app.shows.first;
  const [print, mesh] = [show?.motion.entry.footprints[index], show?.marks.footprints.children[index]];
  if (!print || !mesh || !app.shown.length) return null;
  const { x: qx, y: qy, z: qz, w } = mesh.quaternion;
  const yaw = (Math.atan2(2 * (qx * qz + w * qy), 1 - 2 * (qx ** 2 + qy ** 2)) * 180) / Math.PI;
  return { foot: print.foot, t: print.t, x: mesh.position.x, z: mesh.position.z, yaw };
}

/** Put a footprint elsewhere; on release the steps around it are planned again. */
function moveFootprint(index: number, x: number, z: number, yaw: number, done: boolean): void {
  const mesh = app.shows.first?.marks.footprints.children[index];
  const [plan, before] = [app.shown[0], footprint(index)];
  if (!mesh || !plan || !before) return;
  mesh.position.set(x, view.height(x, z) + 0.008, z);
  mesh.rotateOnWorldAxis(new Vector3(0, 1, 0), ((yaw - before.yaw) * Math.PI) / 180);
  view.invalidate();
  if (done) attempt(() => app.run({ kind: "footprint", plan, footprint: index, x, z, yaw_deg: yaw }));
}

/** What an object offers, asked of the server. */
async function objectMenu(hit: Hit, x: number, y: number): Promise<void> {
  const items: (MenuItem | null)[] = [];
  const point = hit.point;
  const { thing } = hit;
  if (point) items.push({ text: "Walk here", act: () => app.walkTo(Number(point.x.toFixed(3)), Number(point.z.toFixed(3))) });
  let title = "Floor";
  if (thing !== null) {
    const table = store.doc.scene?.obstacle?.[thing];
    title = table?.name || table?.kind || "Object";
    const holds = store.doc.stages.some((stage) => stage.do === "pick");
    const offers = (await api.sceneStages(store.doc.scene, thing)).filter((offer) => offer.stages[0]?.do !== "put down" || holds);
    if (offers.length) items.push(null);
    for (const offer of offers) items.push({ text: offer.label, act: () => app.addStages(offer.stages) });
    items.push(null, { text: "Move", note: "G", act: () => tools.grab("move") }, { text: "Turn", note: "R", act: () => tools.grab("turn") });
    items.push({ text: "Remove", note: "Delete", danger: true, act: () => removeThing(app, thing) });
  } else if (point) {
    const at = [Number(point.x.toFixed(3)), Number(point.z.toFixed(3))];
    items.push({ text: "Pass through here", act: () => app.addStages([{ do: "via", at }]) });
    items.push({ text: "Stand here with a foot", act: () => app.addStages([{ do: "stand on", at }]) });
    items.push(null, { text: "Add a box", act: () => addThing(at[0]!, at[1]!) });
    for (const [text, more] of PROPS) items.push({ text, act: () => addThing(at[0]!, at[1]!, more) });
  }
  menu(x, y, title, items);
}

/** What can be added, and whether it turns its front to the start or its back. */
const PROPS: [string, Partial<Thing>][] = [
  ["Add a chair", { kind: "chair", yaw_deg: 0 }],
  ["Add a table with a cup", { kind: "table", size: [0.6, 0.9, 0.4], item: [0, -0.1], yaw_deg: 180 }],
  ["Add a bar to duck under", { kind: "bar", clearance: 1.3, yaw_deg: 180 }],
  ["Add a hurdle", { kind: "box", size: [2, 0.2, 0.2], yaw_deg: 180 }],
  ["Add stairs", { kind: "stairs", width: 1.2, steps: 4, landing: 1, yaw_deg: 180 }],
];

function addThing(x: number, z: number, prop: Partial<Thing> = { kind: "box", size: [0.6, 0.8, 0.6] }): void {
  const kind = prop.kind ?? "box";
  const { start } = store.doc;
  const facing = Math.round((Math.atan2(start.x - x, start.z - z) * 180) / Math.PI);
  const more = prop.yaw_deg === undefined ? prop : { ...prop, yaw_deg: facing + prop.yaw_deg };
  const count = (store.doc.scene?.obstacle?.length ?? 0) + 1;
  app.editScene((scene) => (scene.obstacle ??= []).push({ ...more, kind, name: `${kind} ${count}`, at: [x, z] }));
  store.select({ kind: "thing", index: count - 1 });
  tools.use("select");
}

function changeThing(index: number, done: boolean, change: (thing: Thing) => void): void {
  store.draft((doc) => {
    const thing = doc.scene?.obstacle?.[index];
    if (!thing?.at) return;
    if (!done) doc.scene = { ...doc.scene, obstacle: doc.scene!.obstacle!.map((each) => ({ ...each })) };
    change(doc.scene!.obstacle![index]!);
  });
  const thing = store.doc.scene?.obstacle?.[index];
  if (!thing?.at) {
    if (done) toast("This object lies between two points and cannot be dragged; change its numbers instead.");
    return;
  }
  const mesh = app.shows.scenery?.children.find((each) => each.userData["index"] === index);
  view.invalidate();
  mesh?.position.setX(thing.at[0] ?? 0).setZ(thing.at[thing.at.length - 1] ?? 0);
  mesh?.rotation.set(0, ((thing.yaw_deg ?? 0) * Math.PI) / 180, 0);
  if (live.on) live.obstacle(index, [thing.at[0] ?? 0, thing.at[thing.at.length - 1] ?? 0], thing.yaw_deg ?? 0);
  if (!done) return;
  store.commit();
  attempt(() => app.drawScene());
}

const tools = new Tools(view, store, {
  walk: (x, z) => {
    if (store.mode === "plan") app.walkTo(x, z);
  },
  context: (hit, event) => {
    if (store.mode !== "plan") return;
    if (hit.footprint !== null && store.mode === "plan") store.select({ kind: "footprint", index: hit.footprint });
    else attempt(() => objectMenu(hit, event.clientX, event.clientY));
  },
  moveThing: (index, x, z, done) => changeThing(index, done, (thing) => (thing.at = thing.at?.length === 3 ? [x, thing.at[1]!, z] : [x, z])),
  turnThing: (index, yaw, done) => changeThing(index, done, (thing) => (thing.yaw_deg = yaw)),
  thingAt: (index) => {
    const thing = store.doc.scene?.obstacle?.[index];
    return thing?.at ? { x: thing.at[0] ?? 0, z: thing.at[thing.at.length - 1] ?? 0, yaw_deg: thing.yaw_deg ?? 0 } : null;
  },
  addThing: (x, z) => addThing(x, z),
  footprintAt: (index) => footprint(index),
  moveFootprint,
  edited: (id) => {
    if (store.mode === "plan" && store.doc.stages.length) attempt(() => (id ? app.planMoved(id) : app.plan()));
  },
  taken: (event, phase) => live.point(event, phase),
});

// Toolbar
const modes = new Map<Mode, HTMLButtonElement>();
const modeGroup = el("div", { class: "group joined", role: "group", "aria-label": "Mode" });
for (const [mode, text] of [["plan", "Plan"], ["live", "Live"], ["contacts", "Contacts"]] as [Mode, string][]) {
  const node = button({ text, id: `mode-${mode}`, pressed: mode === "plan" }, () => setMode(mode));
  modes.set(mode, node);
  modeGroup.append(node);
}
const method = select("Method", [{ value: "auto", text: "auto" }], "auto", (value) => store.edit((doc) => (doc.method = value)));
method.id = "method";
const planButton = button({ icon: "play", text: "Plan", id: "plan-button", kind: "primary", hint: "Enter" }, () => attempt(() => app.plan()));
const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of planning" });
const progress = el("div", { id: "progress", hidden: true }, bar, button({ icon: "cancel", text: "Cancel", id: "cancel" }, () => attempt(() => app.cancel())));
const undo = button({ icon: "undo", label: "Undo", hint: "Ctrl+Z", kind: "quiet" }, () => app.back(false));
const redo = button({ icon: "redo", label: "Redo", hint: "Ctrl+Shift+Z", kind: "quiet" }, () => app.back(true));
const chooser = el("input", { type: "file", multiple: true, hidden: true, "aria-label": "Open files" });
chooser.addEventListener("change", () => {
  const files = [...(chooser.files ?? [])];
  chooser.value = "";
  attempt(() => app.take(files));
});
need("toolbar").replaceChildren(
  el("span", { class: "brand" }, "Footfall Studio"), modeGroup, method, planButton, progress, el("span", { class: "space" }),
  el("div", { class: "group" }, undo, redo),
  el("div", { class: "group" },
    button({ icon: "open", text: "Open", hint: "or drop files" }, () => chooser.click()),
    button({ icon: "export", text: "Export", id: "export", hint: "Ctrl+E" }, () => attempt(() => showExports(app)))),
  el("div", { class: "group" },
    button({ icon: "theme", label: "Dark or light", id: "theme", kind: "quiet" }, () => setTheme(theme() === "dark" ? "light" : "dark")),
    button({ icon: "help", label: "Help", id: "help", hint: "?", kind: "quiet" }, showHelp)),
  chooser,
);

// Tools of the view
const toolBox = el("div", { class: "tools", role: "group", "aria-label": "Tool" });
const toolButtons = new Map<Tool, HTMLButtonElement>();
for (const [tool, picture, label, key] of [
  ["select", "select", "Choose and walk", "V"], ["start", "start", "Place the start", "S"], ["goal", "goal", "Place the goal", "E"],
  ["via", "via", "Add a via point", "A"], ["path", "path", "Sketch a path", "P"], ["box", "box", "Add an obstacle", "B"],
] as [Tool, string, string, string][]) {
  const node = button({ icon: picture, label, hint: key, id: `tool-${tool}`, pressed: tool === "select" }, () => tools.use(tool));
  toolButtons.set(tool, node);
  toolBox.append(node);
}
tools.onTool = () => {
  for (const [tool, node] of toolButtons) node.setAttribute("aria-pressed", String(tool === tools.tool));
};
const follow = button({ icon: "follow", label: "Follow the character", hint: "C", pressed: false }, () => toggleFollow());
const card = el("div", { class: "card bottom" }, "Click the floor: the person walks there.");
need("viewport").append(
  toolBox, el("div", { class: "overlay top-right" }, button({ icon: "frame", label: "Frame", hint: "F" }, () => app.frame()), follow), card,
  el("div", { class: "drop" }, "Drop a scene, clips, a character, a task or a session"),
);

function toggleFollow(): void {
  view.follow(view.isFollowing ? null : () => app.shows.where());
  follow.setAttribute("aria-pressed", String(view.isFollowing));
}

// Timeline
const lanes = new Lanes("Timeline of the motion", { scrub, pick: (key) => lanes.choose(key) });
const contactLanes = new Lanes("Contacts of the clip", {
  scrub, pick: (key) => contactLanes.choose(key),
  edit: (key, from, to, done) => contacts.contacts?.editable && contacts.edit(key, from, to, done),
  toggle: (key, lane, time) => contacts.contacts?.editable && contacts.toggle(key, lane, time),
});
const time = el("span", { class: "time" }, "0.00 / 0.00 s");
const play = button({ icon: "play", label: "Play or pause", hint: "Space", id: "play" }, () => clock.toggle());
need("timeline").append(
  el("div", { class: "transport" },
    button({ icon: "first", label: "First frame", hint: "Home" }, () => clock.seek(0)), play,
    button({ icon: "last", label: "Last frame", hint: "End" }, () => clock.seek(clock.duration)), time,
    select("Speed of playing", ["0.25", "0.5", "1", "2"].map((value) => ({ value, text: `${value} ×` })), "1", (value) => clock.setSpeed(Number(value)))),
  lanes.node, contactLanes.node,
);

function scrub(at: number): void {
  clock.pause();
  clock.seek(at);
}

/** With more plans than these there is room for their clips alone. */
const MOST_WITH_FEET = 2;

function motionLanes(): Lane[] {
  const out: Lane[] = [];
  for (const show of app.shows.shown.values()) {
    const { entry } = show.motion;
    if (show.id === "standing") continue;
    const seconds = (frame: number): number => entry.start + frame / entry.fps;
    out.push({
      name: app.shown.length > 1 ? `clips ${LETTERS[app.shown.indexOf(show.id)]}` : "clips", marks: entry.seams.map((seam) => ({ at: seconds(seam), colour: "#e5605e" })),
      spans: entry.segments.map((each, index) => ({ from: seconds(each.first), to: seconds(each.stop), text: each.label, colour: index % 2 ? "#5b6f8f" : "#47607f" })),
    });
    const many = app.shown.length;
    for (const lane of entry.contacts) {
      if (many > MOST_WITH_FEET || (many > 1 && lane.name.includes("heel"))) continue;
      const spans = [];
      for (let at = 0; at + 1 < lane.spans.length; at += 2) spans.push({ from: seconds(lane.spans[at]!), to: seconds(lane.spans[at + 1]!), colour: lane.name.includes("left") ? "#3d8bf2" : "#e08434" });
      if (spans.length) out.push({ name: many > 1 ? lane.name.split("_")[0]! : lane.name.replace("_", " "), spans });
    }
  }
  return out.length ? out : [{ name: "no motion yet", spans: [] }];
}

clock.listen(() => {
  lanes.at(clock.time);
  contactLanes.at(clock.time);
  time.textContent = `${clock.time.toFixed(2)} / ${clock.duration.toFixed(2)} s`;
});

let bringBack = (): void => undefined;

function setMode(mode: Mode): void {
  if (store.mode === mode) return;
  const before = store.mode;
  store.mode = mode;
  store.selection = null;
  tools.use("select");
  closeMenu();
  if (before === "live") live.stop();
  app.shows.setPlain(mode === "contacts");
  if (before === "plan") bringBack = view.keepCamera();
  else if (mode === "plan") bringBack();
  if (mode === "live") live.start();
  else if (mode === "contacts") attempt(() => contacts.open(contacts.library || store.doc.library));
  else attempt(() => app.showPlans(app.shown, false));
  view.marks.visible = mode === "plan";
  if (mode === "plan") hint(HINTS[tools.tool]);
  store.changed();
}

const EMPTY_S = 5;
const MODE_HINTS = {
  live: "Hold the pointer on the floor, or W A S D. Shift runs. T records.",
  contacts: "Drag the ends of a contact; double-click adds or removes one.",
};

function draw(): void {
  const { mode } = store;
  need("studio").dataset["mode"] = mode;
  for (const [each, node] of modes) node.setAttribute("aria-pressed", String(each === mode));
  fillSelect(method, [{ value: "auto", text: "auto" }, ...app.lists.methods.map((each) => ({ value: each.name, text: each.name, title: each.summary }))], store.doc.method);
  for (const node of [method, planButton, toolBox]) node.hidden = mode !== "plan";
  toolBox.style.display = mode === "plan" ? "" : "none";
  progress.hidden = !app.job;
  bar.value = app.job?.share ?? 0;
  undo.disabled = !store.canUndo;
  redo.disabled = !store.canRedo;
  card.hidden = mode !== "plan" || store.doc.stages.length > 0;
  need("connection").classList.toggle("off", !app.connected);
  need("connection").textContent = app.connected ? "connected" : "no server";
  drawOutliner(need("outliner"), studio);
  drawProperties(need("properties"), studio);
  lanes.node.style.display = mode === "contacts" ? "none" : "";
  contactLanes.node.style.display = mode === "contacts" ? "" : "none";
  if (mode === "contacts") contactLanes.show(contacts.lanes(), contacts.duration);
  else lanes.show(motionLanes(), clock.duration || EMPTY_S);
  if (mode !== "plan") hint(MODE_HINTS[mode]);
}
app.onChange = draw;
live.onChange = draw;
contacts.onChange = draw;

function removeChosen(): void {
  const chosen = store.selection;
  if (chosen?.kind === "stage") removeStage(app, chosen.id);
  else if (chosen?.kind === "thing") removeThing(app, chosen.index);
  else if (chosen?.kind === "plan") attempt(() => removePlan(app, chosen.id));
  else status("Choose something to remove first.");
}

listenToKeys(() => {
  const common = {
    "?": showHelp, F: () => app.frame(), C: toggleFollow, Delete: removeChosen, "Ctrl+Z": () => app.back(false), "Ctrl+Shift+Z": () => app.back(true),
    "Ctrl+Y": () => app.back(true), "Ctrl+S": () => attempt(() => exportSession(app)), "Ctrl+E": () => attempt(() => showExports(app)),
    G: () => tools.grab("move"), R: () => tools.grab("turn"),
    Escape: () => {
      closeMenu();
      if (!tools.cancel() && app.job) attempt(() => app.cancel());
    },
  };
  if (store.mode === "live") return { ...common, T: () => live.record() };
  const playing = {
    Space: () => clock.toggle(), ArrowLeft: () => clock.step(-1), ArrowRight: () => clock.step(1), Home: () => clock.seek(0), End: () => clock.seek(clock.duration),
    "Shift+ArrowLeft": () => clock.seek(clock.time - 0.5), "Shift+ArrowRight": () => clock.seek(clock.time + 0.5),
  };
  if (store.mode === "contacts") return { ...common, ...playing };
  return {
    ...common, ...playing, Enter: () => attempt(() => app.plan()), V: () => tools.use("select"), S: () => tools.use("start"), E: () => tools.use("goal"),
    P: () => tools.use("path"), A: () => tools.use("via"), B: () => tools.use("box"),
    O: () => {
      app.shows.ghosts = !app.shows.ghosts;
      app.shows.refresh();
      draw();
    },
  };
});

addEventListener("dragover", (event) => {
  event.preventDefault();
  need("viewport").classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) need("viewport").classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  need("viewport").classList.remove("dropping");
  const files = [...(event.dataTransfer?.files ?? [])];
  attempt(() => app.take(files));
});

// For tests and for the curious in the console.
Object.assign(window, { studio: { app, live, contacts, tools, lanes, contactLanes, setMode } });

tools.use("select");
app.start().then(() => status("Ready.")).catch(complain);
