/** Holds what is edited, with undo and redo, and tells listeners of changes. */

export interface Place {
  x: number;
  z: number;
  yaw_deg: number;
}

export const STAGE_KINDS = ["go to", "via", "follow", "stand on", "pick", "put down", "sit", "stand up", "duck"] as const;
export type StageKind = (typeof STAGE_KINDS)[number];

/** One stage of a task, written as in task files. Points are x, z or x, y, z, then the heading. */
export interface Stage {
  id: string;
  do: StageKind;
  at?: number[];
  points?: [number, number][];
  corridor_m?: number;
  within_m?: number;
  by_s?: number;
  height_m?: number;
  hand?: "left" | "right";
  foot?: "left" | "right";
}

/** One obstacle as in scene files, with the keys of its kind. */
export interface Thing {
  kind: string;
  name?: string;
  at?: number[];
  yaw_deg?: number;
  [key: string]: unknown;
}

/** A scene file as JSON. */
export interface SceneTable {
  name?: string;
  obstacle?: Thing[];
  query?: { name?: string; from?: number[]; to?: number[] }[];
  [key: string]: unknown;
}

/** Everything that an animator edits and a session file keeps. */
export interface Doc {
  scene: SceneTable | null;
  scene_name: string;
  library: string;
  character: string | null;
  method: string;
  alternatives: number;
  start: Place;
  stages: Stage[];
  speed: number | null;
  style: string;
  time_s: number;
  seed: number;
}

export type Selection =
  | { kind: "start" }
  | { kind: "stage"; id: string }
  | { kind: "thing"; index: number }
  | { kind: "footprint"; index: number }
  | { kind: "plan"; id: string }
  | null;

export type Mode = "plan" | "live" | "contacts";

export function emptyDoc(): Doc {
  return {
    scene: null,
    scene_name: "",
    library: "default",
    character: null,
    method: "auto",
    alternatives: 1,
    start: { x: 0, z: 0, yaw_deg: 0 },
    stages: [],
    speed: null,
    style: "",
    time_s: 30,
    seed: 0,
  };
}

let counter = 0;

/** Make a name that nothing else in this page has. */
export function newId(prefix: string): string {
  counter += 1;
  return `${prefix}-${Date.now().toString(36)}-${counter}`;
}

type Listener = () => void;
const MOST_STEPS = 200;

/** The edited document: `edit` records a step, `draft` changes it without (while dragging). */
export class Store {
  private past: Doc[] = [];
  private future: Doc[] = [];
  private before: Doc | null = null;
  private listeners = new Set<Listener>();
  private waiting = false;
  selection: Selection = null;
  mode: Mode = "plan";

  constructor(public doc: Doc = emptyDoc()) {}

  /** Be told, once per frame, that something changed. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      for (const listener of this.listeners) listener();
    });
  }

  /** Change the document as one step that can be undone. */
  edit(change: (doc: Doc) => void): void {
    const before = this.before ?? structuredClone(this.doc);
    this.before = null;
    change(this.doc);
    if (JSON.stringify(before) !== JSON.stringify(this.doc)) {
      this.past.push(before);
      if (this.past.length > MOST_STEPS) this.past.shift();
      this.future = [];
    }
    this.changed();
  }

  /** Change the document while a drag goes on; `edit` or `commit` ends it as one step. */
  draft(change: (doc: Doc) => void): void {
    this.before ??= structuredClone(this.doc);
    change(this.doc);
    this.changed();
  }

  commit(): void {
    this.edit(() => undefined);
  }

  /** Give up a drag. */
  revert(): void {
    if (this.before) this.doc = this.before;
    this.before = null;
    this.changed();
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): boolean {
    return this.step(this.past, this.future);
  }

  redo(): boolean {
    return this.step(this.future, this.past);
  }

  private step(from: Doc[], to: Doc[]): boolean {
    this.revert();
    const next = from.pop();
    if (!next) return false;
    to.push(this.doc);
    this.doc = next;
    this.selection = null;
    this.changed();
    return true;
  }

  /** Put another document in its place, and forget the steps to it. */
  replace(doc: Doc): void {
    this.doc = { ...emptyDoc(), ...doc };
    this.past = [];
    this.future = [];
    this.before = null;
    this.selection = null;
    this.changed();
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.changed();
  }

  stage(id: string): Stage | undefined {
    return this.doc.stages.find((stage) => stage.id === id);
  }

  /** Where the last stage that has a place ends, for the goal's marker. */
  get goal(): Stage | undefined {
    const last = this.doc.stages[this.doc.stages.length - 1];
    return last && last.do === "go to" ? last : undefined;
  }
}

/** Where a stage is on the ground. */
export function groundPoint(stage: Stage): [number, number] | null {
  if (stage.points?.length) return stage.points[stage.points.length - 1] ?? null;
  const at = stage.at;
  if (!at || at.length < 2) return null;
  const tall = stage.do === "pick" || stage.do === "put down";
  return tall ? [at[0] ?? 0, at[2] ?? 0] : [at[0] ?? 0, at[1] ?? 0];
}

/** Move a stage to another point of the ground; its height and heading stay. */
export function moveStage(stage: Stage, x: number, z: number): void {
  const round = (value: number): number => Math.round(value * 1000) / 1000;
  const old = groundPoint(stage);
  if (stage.points && old) {
    const [dx, dz] = [x - old[0], z - old[1]];
    stage.points = stage.points.map(([px, pz]) => [round(px + dx), round(pz + dz)]);
    return;
  }
  const at = stage.at ? [...stage.at] : [];
  const tall = stage.do === "pick" || stage.do === "put down";
  at[0] = round(x);
  at[tall ? 2 : 1] = round(z);
  stage.at = at;
}

/** The heading of a stage in degrees, null where any will do. */
export function stageYaw(stage: Stage): number | null {
  const tall = stage.do === "pick" || stage.do === "put down";
  return tall ? null : (stage.at?.[2] ?? null);
}

/** The task as in task files, without its scene. */
export function taskOf(doc: Doc): Record<string, unknown> {
  const task: Record<string, unknown> = { from: [doc.start.x, doc.start.z, doc.start.yaw_deg], time_s: doc.time_s, seed: doc.seed };
  if (doc.speed !== null) task["speed"] = doc.speed;
  if (doc.style) task["style"] = doc.style;
  const sketch = doc.stages.find((stage) => stage.do === "follow");
  const last = doc.stages[doc.stages.length - 1];
  if (sketch?.points) {
    task["path"] = { points: sketch.points };
    task["corridor_m"] = sketch.corridor_m ?? 1;
    if (last?.do === "go to") task["to"] = last.at;
    return task;
  }
  if (doc.stages.length === 1 && last?.do === "go to") task["to"] = last.at;
  else task["stages"] = doc.stages.map(({ id: _id, ...stage }) => stage);
  return task;
}

/** Read a task table back: `to`, `path` or `stages`. */
export function docOfTask(task: Record<string, unknown>): Partial<Doc> {
  const from = (task["from"] as number[] | undefined) ?? [0, 0, 0];
  const found: Partial<Doc> = { start: { x: from[0] ?? 0, z: from[1] ?? 0, yaw_deg: from[2] ?? 0 }, stages: [] };
  const path = task["path"] as { points?: [number, number][] } | undefined;
  if (path?.points) found.stages?.push({ id: newId("path"), do: "follow", points: path.points, corridor_m: (task["corridor_m"] as number | undefined) ?? 1 });
  for (const stage of (task["stages"] as Stage[] | undefined) ?? []) found.stages?.push({ ...stage, id: newId("stage") });
  if (Array.isArray(task["to"])) found.stages?.push({ id: newId("goal"), do: "go to", at: task["to"] as number[] });
  if (typeof task["speed"] === "number") found.speed = task["speed"];
  if (typeof task["style"] === "string") found.style = task["style"];
  if (typeof task["time_s"] === "number") found.time_s = task["time_s"];
  if (typeof task["seed"] === "number") found.seed = task["seed"];
  return found;
}
