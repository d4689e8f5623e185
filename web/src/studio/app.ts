/** The studio's centre: what is loaded, planned and shown; panels and modes ask it. */

import { Box3, Vector3 } from "three";
import { Clock } from "../viewer";
import { api } from "./api";
import type { Job, MethodFacts, PlanFacts, Session } from "./api";
import { Store, docOfTask, groundPoint, newId, taskOf } from "./store";
import type { Doc, SceneTable, Stage } from "./store";
import { ServerError, Socket } from "./transport";
import { attempt, complain, status, toast } from "./ui/messages";
import { Cloud, Markers } from "./view/markers";
import { STANDING, Shows } from "./view/shows";
import { Viewport } from "./view/viewport";

export interface Lists {
  scenes: { name: string; source: string; description: string }[];
  libraries: { name: string; source: string; clips: number | null }[];
  characters: { name: string; joints: number }[];
  methods: MethodFacts[];
}

const DEFAULT_SCENE = "room";
const STANDING_CLIP = "stand_1";
const SAVE_MS = 400;
/** A new scene is shown so far about the start. */
const SEEN_M = 9;
/** So many plans play in sync; more would hide each other. */
export const MOST_SHOWN = 4;

const BENT = ", bent";

/** Whether two tasks differ by the place of one stage alone. */
function onlyMoved(asked: Record<string, unknown>, wished: Record<string, unknown>, index: number): boolean {
  const plain = (task: Record<string, unknown>): string => {
    const { to, stages, seed: _seed, time_s: _time, ...rest } = task as { to?: number[]; stages?: Stage[] } & Record<string, unknown>;
    const all = stages ?? (to ? [{ do: "go to", at: to }] : []);
    const kept = all.map((stage, n) => (n === index ? { do: stage.do, heading: stage.at?.slice(2) } : { ...stage }));
    return JSON.stringify([rest, kept], (_key, value: unknown) => (value && typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value));
  };
  return plain(asked) === plain(wished);
}

function isUnderWay(job: Job): boolean {
  return job.status === "running" || job.status === "waiting";
}

export class App {
  readonly store = new Store();
  readonly clock = new Clock();
  readonly markers = new Markers();
  readonly cloud = new Cloud();
  readonly shows: Shows;
  lists: Lists = { scenes: [], libraries: [], characters: [], methods: [] };
  plans: PlanFacts[] = [];
  job: Job | null = null;
  /** The plans that are shown, the first is the main one. */
  shown: string[] = [];
  usd = false;
  connected = false;
  onChange: () => void = () => undefined;
  /** Jobs that this tab has begun, or found when it was loaded. */
  private asking = 0;
  private drawing = 0;
  private own = new Set<string>();
  private seen = new Set<string>();
  private over = new Set<string>();
  /** The last job that ended, with the plans that it found. */
  lastJob: Job | null = null;
  private revision = 0;
  private saves: Promise<void> = Promise.resolve();
  /** The session as the server has it. */
  private kept = "";
  private readonly client = newId(`tab${Math.floor(Math.random() * 1e9)}`);
  private saving = 0;
  private drawn = "";
  ready = false;
  /** How many files were opened or refused. */
  taken = 0;

  constructor(readonly view: Viewport) {
    this.shows = new Shows(view, this.clock);
    view.marks.add(this.markers.group, this.cloud.group);
    this.store.listen(() => this.changed());
  }

  /** Load the session, or begin with a person in a room. */
  async start(): Promise<void> {
    const state = await api.state();
    this.usd = state.usd;
    this.plans = state.plans;
    attempt(() => this.list());
    const { scene, scene_name } = state.session;
    if (scene || scene_name || state.plans.length) await this.restore(state.session, state.revision);
    else await this.begin(state.revision);
    this.ready = true;
    for (const job of state.jobs.filter(isUnderWay)) {
      this.own.add(job.id);
      this.job = job;
    }
    new Socket("/api/events", { open: () => this.online(true), close: () => this.online(false), text: (message) => attempt(() => this.hear(message)) });
    this.changed();
  }

  /** Begin with the default scene; there is nothing to undo yet. */
  private async begin(revision: number): Promise<void> {
    this.revision = revision;
    await this.useScene(DEFAULT_SCENE);
    this.store.replace(this.store.doc);
  }

  async list(): Promise<void> {
    const [scenes, libraries, characters, methods] = await Promise.all([api.scenes(), api.libraries(), api.characters(), api.methods()]);
    this.lists = { scenes, libraries, characters, methods };
    this.onChange();
  }

  private async restore(session: Session, revision: number, look = true): Promise<void> {
    this.revision = revision;
    const view = session.view as { doc?: Doc; shown?: string[] };
    const doc = { ...this.store.doc, ...(view.doc ?? docOfTask(session.task ?? {})) };
    doc.scene = session.scene;
    doc.scene_name = session.scene_name;
    doc.method = session.method || "auto";
    doc.library = session.library || "default";
    doc.character = session.character;
    this.store.replace(doc);
    await this.drawScene();
    const wanted = (view.shown ?? session.plans ?? []).filter((id) => this.plans.some((plan) => plan.id === id && plan.found));
    if (wanted.join() !== this.shown.join() || !this.shows.first) await this.showPlans(wanted.slice(0, MOST_SHOWN), false);
    if (!wanted.length) attempt(() => this.standStill());
    this.kept = JSON.stringify(this.session());
    if (look) this.overlook();
  }

  /** Show somebody who stands at the start, before there is a plan. */
  private async standStill(): Promise<void> {
    const { character } = this.store.doc;
    if (this.shows.first) return;
    const document = await (character ? api.character(character) : api.clip("default", STANDING_CLIP));
    if (this.shows.first || this.store.mode !== "plan") return;
    const show = await this.shows.add(STANDING, document);
    if (show) for (const mark of Object.values(show.marks)) show.group.remove(mark);
    this.placeStanding();
  }

  private placeStanding(): void {
    const show = this.shows.shown.get(STANDING);
    if (!show) return;
    const { x, z, yaw_deg } = this.store.doc.start;
    const root = show.motion.root;
    show.group.rotation.y = (yaw_deg * Math.PI) / 180;
    const turned = new Vector3(root[0], 0, root[2]).applyAxisAngle(new Vector3(0, 1, 0), show.group.rotation.y);
    show.group.position.set(x - turned.x, this.view.height(x, z), z - turned.z);
  }

  private online(is: boolean): void {
    if (is && !this.connected && this.ready) attempt(() => this.refreshPlans());
    this.connected = is;
    this.onChange();
  }

  async refreshPlans(): Promise<void> {
    const state = await api.state();
    this.plans = state.plans;
    if (this.job && !state.jobs.some((job) => job.id === this.job?.id && isUnderWay(job))) {
      const ended = state.jobs.find((job) => job.id === this.job?.id);
      if (ended) await this.hearJob(ended);
      else {
        this.job = null;
        toast("The server was started again: the job is lost, plans and session are kept.");
      }
    }
    this.onChange();
  }

  private async hear(message: Record<string, unknown>): Promise<void> {
    const type = message["type"];
    if (type === "session" && message["client"] !== this.client) {
      const { session, revision } = await api.session();
      if (revision > this.revision) await this.restore(session, revision, false);
    } else if (type === "job") await this.hearJob(message["job"] as Job);
    else if (type === "frontier") {
      this.cloud.add(message["points"] as number[][], this.view.height);
      this.view.invalidate();
    }
    else if (type === "plan") {
      const plan = message["plan"] as PlanFacts;
      const before = this.plans.findIndex((each) => each.id === plan.id);
      if (before < 0) this.plans = [...this.plans, plan];
      else this.plans = this.plans.map((each) => (each.id === plan.id ? plan : each));
      this.onChange();
      if (before >= 0 && this.shown.includes(plan.id) && this.store.mode === "plan") await this.showPlans(this.shown, false);
    } else if (type === "plan removed") {
      this.plans = this.plans.filter((plan) => plan.id !== message["plan"]);
      this.onChange();
    } else if (type === "files") await this.list();
  }

  private hearJob(job: Job): Promise<void> {
    return this.busily(() => this.follow(job));
  }

  /** Note how far a job is; show what it found. */
  private async follow(job: Job): Promise<void> {
    if (!this.own.has(job.id) || this.over.has(job.id)) return;
    if (isUnderWay(job)) this.job = job;
    else {
      this.over.add(job.id);
      if (this.job?.id === job.id) this.job = null;
      if (job.status !== "cancelled" || job.plans.length) this.lastJob = job;
    }
    if (this.job) {
      const bound = job.bound ? `, at most ${job.bound.toFixed(2)} times the best` : "";
      status(`${job.note || "Planning"} ${Math.round(job.share * 100)} %${bound}`);
    }
    this.onChange();
    // The first of several alternatives is shown as soon as it is there; the others are offered.
    const first = await this.firstFound(job);
    if (first && !this.seen.has(job.id)) {
      this.seen.add(job.id);
      await this.showJobPlan(first);
    } else if (!isUnderWay(job) && !first && job.plans.length) await this.showJobPlan(job.plans[job.plans.length - 1]!);
    if (job.status === "failed") {
      toast(job.error || "Planning failed.", "error");
      status("Not planned.");
      if (job.kind === "footprint") await this.showPlans(this.shown, false);
    }
    if (job.status === "cancelled") status(job.plans.length ? "Stopped; the best so far is kept." : "Cancelled.");
    else if (!isUnderWay(job) && first) status(this.sentence(this.plans.find((plan) => plan.id === first)));
  }

  private async firstFound(job: Job): Promise<string | undefined> {
    if (job.plans.some((id) => !this.plans.some((plan) => plan.id === id))) this.plans = await api.plans();
    return job.plans.find((id) => this.plans.some((plan) => plan.id === id && plan.found));
  }

  private async showJobPlan(id: string): Promise<void> {
    const plan = this.plans.find((each) => each.id === id);
    if (!plan) return;
    if (!plan.found) {
      toast(plan.reason || plan.status, "error");
      status(`No motion: ${plan.status}`);
      return;
    }
    await this.showPlans([id], true);
    status(this.sentence(plan));
  }

  private sentence(plan: PlanFacts | undefined): string {
    return plan ? `${plan.name || "Plan"}: ${plan.seconds.toFixed(1)} s by ${plan.method}` : "";
  }

  /** Show a plan beside those that are shown, in sync, or hide it again. */
  async toggleShown(id: string): Promise<void> {
    const others = this.shown.filter((each) => each !== id);
    const next = others.length < this.shown.length ? others : [...others, id];
    if (next.length > MOST_SHOWN) throw new Error(`At most ${MOST_SHOWN} plans are shown at once: hide one first.`);
    await this.showPlans(next, next.length > 1);
    if (!next.length) await this.standStill();
  }

  /** The plans that were found as alternatives to one. */
  alternatives(id: string): PlanFacts[] {
    const of = this.plans.find((plan) => plan.id === id)?.of;
    return of ? this.plans.filter((plan) => plan.of === of && plan.found) : [];
  }

  /** Show plans in sync; the first is the main one. */
  async showPlans(ids: string[], play: boolean): Promise<void> {
    const drawing = ++this.drawing;
    const documents = await Promise.all(ids.map((id) => api.planDocument(id)));
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const [time, goesOn] = play ? [0, !still] : [this.clock.time, this.clock.playing];
    if (drawing !== this.drawing) return;
    this.shows.clear();
    for (const [index, id] of ids.entries()) await this.shows.add(id, documents[index]!);
    this.shown = ids;
    this.clock.seek(time);
    if (goesOn && ids.length) this.clock.play();
    this.save();
    this.onChange();
  }

  /** Ask for a plan of what is edited. */
  async plan(): Promise<void> {
    const { doc } = this.store;
    if (!doc.stages.length) {
      toast("Click the floor first, so that there is somewhere to go.");
      return;
    }
    await this.run({
      kind: "plan", task: taskOf(doc), scene: doc.scene, method: doc.method, options: {}, library: doc.library,
      character: doc.character, alternatives: doc.alternatives, name: this.nameOfNext(),
    });
  }

  /** Plan after a mark was dragged: where only one place moved, the motion is bent there. */
  planMoved(id: string): Promise<void> {
    return this.busily(() => this.bend(id));
  }

  private async bend(id: string): Promise<void> {
    const { doc } = this.store;
    const [plan, stage] = [this.shown[0], this.store.stage(id)];
    if (plan && stage?.at) {
      const asked = await api.planQuery(plan);
      const index = doc.stages.indexOf(stage);
      if (onlyMoved(asked.task, taskOf(doc), index) && JSON.stringify(asked.scene) === JSON.stringify(doc.scene)) {
        const name = this.plans.find((each) => each.id === plan)?.name ?? "";
        await this.run({ kind: "replan", plan, stage: index, at: stage.at, name: name.endsWith(BENT) ? name : `${name}${BENT}` });
        return;
      }
    }
    await this.plan();
  }

  /** Name the next plan after what it does. */
  private nameOfNext(): string {
    const done = this.store.doc.stages.map((stage) => stage.do).filter((word) => word !== "go to" && word !== "via" && word !== "stand up");
    const words = [...new Set(done)].map((word) => (word === "follow" ? "path" : word));
    const text = words.length ? words.join(", ") : "walk";
    return `${text[0]!.toUpperCase()}${text.slice(1, 60)} ${this.plans.filter((plan) => plan.kind === "plan").length + 1}`;
  }

  /** Whether something is being asked for, planned or drawn. */
  get busy(): boolean {
    return this.job !== null || this.asking > 0;
  }

  private async busily(work: () => Promise<void>): Promise<void> {
    this.asking += 1;
    try {
      await work();
    } finally {
      this.asking -= 1;
    }
  }

  /** Start a job; one that still runs is cancelled. */
  run(request: Record<string, unknown>): Promise<void> {
    return this.busily(() => this.ask(request));
  }

  private async ask(request: Record<string, unknown>): Promise<void> {
    const running = this.job;
    this.job = null;
    if (running) {
      this.over.add(running.id);
      await api.cancelJob(running.id).catch(() => undefined);
    }
    this.cloud.clear();
    status("Planning …");
    const { id } = await api.startJob(request);
    this.own.add(id);
    await this.hearJob(await api.job(id));
  }

  async cancel(): Promise<void> {
    if (this.job) await api.cancelJob(this.job.id);
  }

  /** Walk to a point: the goal of the task, planned at once. */
  walkTo(x: number, z: number): void {
    this.store.edit((doc) => {
      const last = doc.stages[doc.stages.length - 1];
      const goal: Stage = { id: newId("goal"), do: "go to", at: [x, z] };
      if (last?.do === "go to") doc.stages[doc.stages.length - 1] = goal;
      else if (last?.do === "follow") doc.stages = [goal];
      else doc.stages.push(goal);
    });
    attempt(() => this.plan());
  }

  /** Add what was chosen from an object's menu before the goal. */
  addStages(stages: Omit<Stage, "id">[]): void {
    let added = "";
    this.store.edit((doc) => {
      const goal = doc.stages[doc.stages.length - 1];
      const at = goal?.do === "go to" ? doc.stages.length - 1 : doc.stages.length;
      doc.stages = doc.stages.filter((stage) => stage.do !== "follow");
      doc.stages.splice(at, 0, ...stages.map((stage) => ({ ...stage, id: newId("stage") }) as Stage));
      added = doc.stages[at]?.id ?? "";
    });
    this.store.select({ kind: "stage", id: added });
    attempt(() => this.plan());
  }

  async useScene(name: string): Promise<void> {
    const { table } = await api.scene(name);
    this.useTable(name, table);
    await this.drawScene();
    this.shown = [];
    this.shows.clear();
    attempt(() => this.standStill());
    this.overlook();
  }

  /** Look at the scene, or at as much of it about the start as can be made out. */
  private overlook(): void {
    const { start } = this.store.doc;
    const reach = new Vector3(SEEN_M, 2, SEEN_M);
    const near = new Box3().setFromCenterAndSize(new Vector3(start.x, this.view.height(start.x, start.z) + 1, start.z), reach.clone().multiplyScalar(2));
    const scene = this.shows.scenery ? this.view.boxOf(this.shows.scenery) : near.clone();
    this.view.frame(scene.intersect(near), new Vector3(0.45, 0.95, -0.85));
  }

  private useTable(name: string, table: SceneTable): void {
    const from = table.query?.[0]?.from ?? [0, 0, 0];
    this.store.edit((doc) => {
      doc.scene = table;
      doc.scene_name = name;
      doc.stages = [];
      doc.start = { x: from[0] ?? 0, z: from[1] ?? 0, yaw_deg: from[2] ?? 0 };
    });
  }

  /** Take files that were dropped or chosen. */
  async take(files: readonly File[]): Promise<void> {
    for (const file of files) await this.takeOne(file).catch(complain);
    await this.list();
    this.taken += files.length;
  }

  private async takeOne(file: File): Promise<void> {
    const suffix = file.name.toLowerCase().split(".").pop() ?? "";
    if (suffix !== "zip") return this.takeUpload(file, suffix);
    await api.openSessionFile(file);
    const { session, revision } = await api.session();
    this.plans = await api.plans();
    await this.restore(session, revision);
    toast(`${file.name} is open.`, "good");
  }

  private async takeUpload(file: File, suffix: string): Promise<void> {
    const text = suffix === "toml" ? await file.slice(0, 20_000).text() : "";
    const isTask = /^\s*(from|to|query|method)\s*=|^\s*\[\[stages\]\]/m.test(text) && !/^\s*\[\[obstacle\]\]|^\s*size\s*=|^\s*outline\s*=/m.test(text);
    const kind = suffix === "toml" ? (isTask ? "task" : "scene") : suffix === "obj" ? "scene" : suffix === "glb" ? "character" : "clip";
    const library = kind === "clip" ? "uploads" : "";
    const told = await api.upload(kind, file, library);
    for (const note of told.notes ?? []) toast(note);
    if (told.kind === "scene") await this.useScene(told.name);
    else if (told.kind === "character") this.store.edit((doc) => (doc.character = told.name));
    else if (told.kind === "clip") this.store.edit((doc) => (doc.library = library));
    else if (told.task) {
      const read = docOfTask(told.task);
      this.store.edit((doc) => Object.assign(doc, read, told.scene ? { scene: told.scene, scene_name: "" } : {}));
      await this.drawScene();
    }
    toast(`${file.name} was added as ${told.kind === "clip" ? "a clip" : `a ${told.kind}`}.`, "good");
  }

  /** Draw the scene anew where it changed. */
  async drawScene(): Promise<void> {
    const key = JSON.stringify(this.store.doc.scene);
    if (key === this.drawn) return;
    this.drawn = key;
    const document = await api.sceneDocument(this.store.doc.scene);
    if (this.drawn === key) await this.shows.setScene(document);
    this.store.changed();
  }

  private changed(): void {
    this.markers.show(this.store.doc, this.store.selection, this.view.height);
    this.placeStanding();
    this.view.invalidate();
    this.save();
    this.onChange();
  }

  /** Change the scene; it is drawn anew, and the plan can follow. */
  editScene(change: (scene: SceneTable) => void): void {
    this.store.edit((doc) => {
      doc.scene = structuredClone(doc.scene ?? { name: "plain", size: [20, 20] });
      change(doc.scene);
    });
    attempt(() => this.drawScene());
  }

  /** Undo or redo, and draw what that changed. */
  back(redo: boolean): void {
    if (redo ? this.store.redo() : this.store.undo()) attempt(() => this.drawScene());
    else status(redo ? "Nothing to redo." : "Nothing to undo.");
  }

  private session(): Session {
    const { doc } = this.store;
    return {
      scene: doc.scene, scene_name: doc.scene_name, task: taskOf(doc), method: doc.method, options: {}, library: doc.library,
      character: doc.character, plans: this.shown, view: { doc: { ...doc, scene: null }, shown: this.shown },
    };
  }

  /** Keep the session on the server, a moment after the last change. */
  save(): void {
    if (!this.ready) return;
    clearTimeout(this.saving);
    this.saving = window.setTimeout(() => attempt(() => this.saveNow()), SAVE_MS);
  }

  /** Keep the session now; one request after the other, as each gives the next its revision. */
  saveNow(): Promise<void> {
    clearTimeout(this.saving);
    const next = this.saves.then(() => this.put());
    this.saves = next.catch(() => undefined);
    return next;
  }

  private async put(): Promise<void> {
    const present = this.session();
    const text = JSON.stringify(present);
    if (text === this.kept) return;
    try {
      this.revision = (await api.putSession(this.revision, this.client, present)).revision;
      this.kept = text;
    } catch (error) {
      if (!(error instanceof ServerError) || error.code !== 409) throw error;
      const { session, revision } = await api.session();
      await this.restore(session, revision, false);
      toast("Another tab changed the session; it is shown here now.");
    }
  }

  /** Look at what is chosen, else at the way from start to goal. */
  frame(): void {
    const box = new Box3();
    const { doc, selection } = this.store;
    const add = (x: number, z: number): void => void box.expandByPoint(new Vector3(x, this.view.height(x, z) + 0.9, z));
    const stage = selection?.kind === "stage" ? this.store.stage(selection.id) : undefined;
    const thing = selection?.kind === "thing" ? doc.scene?.obstacle?.[selection.index] : undefined;
    if (stage) {
      const at = groundPoint(stage);
      if (at) add(...at);
    } else if (thing?.at) add(thing.at[0] ?? 0, thing.at[thing.at.length - 1] ?? 0);
    else {
      add(doc.start.x, doc.start.z);
      for (const each of doc.stages) for (const [x, z] of each.points ?? [groundPoint(each) ?? [doc.start.x, doc.start.z]]) add(x, z);
    }
    this.view.frame(box.expandByScalar(1.3));
  }
}
