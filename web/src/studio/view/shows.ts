/** What is on the stage: the scene, and planned motions in sync. */

import { Color, Group, Vector3 } from "three";
import { Arrays, BodyModel, Motion, makeFloor, makeGhosts, makeMarks, makeScenery, updateScenery } from "../../viewer";
import type { Actor, Clock, Marks, MotionDocument } from "../../viewer";
import { clear } from "./markers";
import type { Viewport } from "./viewport";

export interface Show {
  id: string;
  motion: Motion;
  actor: Actor;
  marks: Marks;
  ghosts: Group | null;
  group: Group;
}

const GHOSTS = 9;
/** Bodies that are shown beside the first have colours of their own. */
export const TINTS = [0xffffff, 0x4f9cf9, 0xf2994a, 0xb07cf0];
/** The show of somebody who only stands; it has no time of its own. */
export const STANDING = "standing";

/** Draws a scene and any number of motions; one clock moves them all. */
export class Shows {
  readonly shown = new Map<string, Show>();
  scenery: Group | null = null;
  ghosts = false;
  private floor = makeFloor(-0.004);

  constructor(private view: Viewport, private clock: Clock) {
    view.world.add(makeFloor(-0.004));
    this.floor.visible = false;
    view.scene.add(this.floor);
    view.watched = () => this.places();
    clock.listen(() => {
      this.pose();
      view.invalidate();
    });
    view.onFrame((dt) => clock.advance(dt));
  }

  /** Where everybody is. */
  places(): Vector3[] {
    return [...this.shown.values()].map((show) => show.actor.object.localToWorld(show.actor.root.clone()));
  }

  /** Put everybody where the clock says. */
  pose(): void {
    for (const show of this.shown.values()) show.actor.poseAt(show.motion, this.clock.time);
    if (this.scenery) updateScenery(this.scenery, this.clock.time);
  }

  /** Show an empty floor instead of the scene, as for clips on their own. */
  setPlain(plain: boolean): void {
    this.floor.visible = plain;
    this.view.world.visible = !plain;
    this.view.invalidate();
  }

  async setScene(document: MotionDocument): Promise<void> {
    const arrays = await Arrays.inflate(document.buffer);
    clear(this.view.world);
    this.scenery = document.scene ? makeScenery(document.scene, arrays) : null;
    this.view.world.add(this.scenery ?? makeFloor(-0.004));
    this.view.world.updateMatrixWorld(true);
    this.view.invalidate();
  }

  async add(id: string, document: MotionDocument): Promise<Show | null> {
    const entry = document.motions[0];
    const body = entry ? document.bodies[entry.body] : undefined;
    if (!entry || !body) return null;
    const arrays = await Arrays.inflate(document.buffer);
    this.remove(id);
    const motion = new Motion(entry, arrays);
    const model = new BodyModel(body, arrays);
    const tint = TINTS[this.shown.size % TINTS.length];
    if (this.shown.size && id !== STANDING) for (const each of model.materials) each.color.lerp(new Color(tint), 0.6);
    const actor = model.make();
    const marks = makeMarks(entry, arrays);
    const group = new Group();
    group.add(actor.object, ...Object.values(marks));
    marks.abstraction.visible = false;
    const show: Show = { id, motion, actor, marks, ghosts: null, group };
    this.shown.set(id, show);
    this.view.people.add(group);
    this.refresh();
    return show;
  }

  remove(id: string): void {
    const show = this.shown.get(id);
    if (!show) return;
    this.view.people.remove(show.group);
    if (show.ghosts) clear(show.ghosts);
    show.actor.dispose();
    show.actor.model.dispose();
    this.shown.delete(id);
    this.refresh();
  }

  clear(): void {
    for (const id of [...this.shown.keys()]) this.remove(id);
  }

  /** Onion skins, and how long the clock goes. */
  refresh(): void {
    const all = [...this.shown.values()].filter((show) => show.id !== STANDING);
    this.clock.duration = Math.max(0, ...all.map((show) => show.motion.end));
    this.clock.fps = Math.max(1, ...all.map((show) => show.motion.entry.fps));
    for (const show of all) {
      if (this.ghosts && !show.ghosts) {
        const length = (show.motion.entry.frames - 1) / show.motion.entry.fps;
        const count = Math.max(2, Math.min(GHOSTS, Math.round(length / 0.6)));
        show.ghosts = makeGhosts(show.actor.model, show.motion, Array.from({ length: count }, (_, n) => (length * n) / (count - 1)));
        show.group.add(show.ghosts);
      }
      if (show.ghosts) show.ghosts.visible = this.ghosts;
    }
    this.pose();
    this.view.invalidate();
  }

  get first(): Show | undefined {
    return this.shown.values().next().value;
  }

  /** Where the first person is. */
  where(): Vector3 | null {
    return this.first?.actor.root.clone() ?? null;
  }
}
