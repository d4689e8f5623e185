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
  id: string;
  kind: string;
  name: string;
  at: number[];
  yaw_deg: number;
  [key: string]: unknown;
}

/** Everything that an animator edits and a session file keeps. */
export interface Doc {
  scene: string;
  added: Thing[];
  moved: Record<string, { at: number[]; yaw_deg: number }>;
  removed: string[];
  library: string;
  character: string;
  method: string;
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
  | { kind: "thing"; name: string }
  | { kind: "footprint"; index: number }
  | { kind: "plan"; id: string }
  | null;

export type Mode = "plan" | "live" | "contacts";

export function emptyDoc(): Doc {
  return {
    scene: "room",
    added: [],
    moved: {},
    removed: [],
    library: "default:basten",
    character: "",
    method: "auto",
    start: { x: 0, z: 0, yaw_deg: 0 },
    stages: [],
    speed: null,
    style: "",
    time_s: 10,
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
