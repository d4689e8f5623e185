/** Live mode: somebody who follows the pointer, keys or a gamepad; poses come over a socket. */

import { Color, Mesh, MeshBasicMaterial, RingGeometry, Vector3 } from "three";
import type { MeshStandardMaterial } from "three";
import { Arrays, BodyModel } from "../viewer";
import type { Actor, MotionDocument } from "../viewer";
import type { PlanFacts } from "./api";
import type { App } from "./app";
import { Socket } from "./transport";
import { heldKeys } from "./ui/shortcuts";
import { el } from "./ui/dom";
import { complain, status, toast } from "./ui/messages";

interface Frame {
  at: number;
  count: number;
  joints: number;
  root: Float32Array;
  rotations: Int16Array;
}

const HEAD = 32;
const DELAY_S = 0.035;
const DEAD = 0.18;
/** From where the character is seen at first. */
const BEHIND = new Vector3(-1.6, 3.4, -4.6);
/** The others are darker than the one who is steered. */
const CROWD = 0x2f4a6b;
const FACTS_MS = 500;
/** The server makes crowds and scenes anew: it is asked only when a slider or a drag rests. */
const REST_MS = 120;

export class Live {
  speed = 1.3;
  style = 0;
  crowd = 0;
  recording = false;
  latency = 0;
  framesSeen = 0;
  onChange: () => void = () => undefined;
  private socket: Socket | null = null;
  private actors: Actor[] = [];
  private model: BodyModel | null = null;
  private dim: MeshStandardMaterial[] = [];
  private frames: Frame[] = [];
  private offset: number | null = null;
  /** How many poses come a second, and how soon one heeds the pointer. */
  readonly facts = el("dl", { class: "facts" });
  private seq = 0;
  private told = { at: 0, frames: 0 };
  private target: [number, number] | null = null;
  private keys = heldKeys();
  private lastSent = "";
  private resting = new Map<string, number>();
  private spot = new Mesh(new RingGeometry(0.16, 0.24, 40).rotateX(-Math.PI / 2), new MeshBasicMaterial({ color: 0xe5605e, depthTest: false, transparent: true, toneMapped: false }));

  constructor(private app: App) {
    app.view.onFrame((_dt, now) => this.tick(now));
    this.spot.visible = false;
    this.spot.renderOrder = 4;
    app.view.scene.add(this.spot);
  }

  /** Do something once nothing else of its kind was asked for a moment. */
  private later(kind: string, act: () => void): void {
    clearTimeout(this.resting.get(kind));
    this.resting.set(kind, window.setTimeout(act, REST_MS));
  }

  /** Everybody who is shown, the steered one first. */
  get people(): readonly Actor[] {
    return this.actors;
  }

  get on(): boolean {
    return this.socket !== null;
  }

  start(): void {
    if (this.socket) return;
    const { doc } = this.app.store;
    this.app.clock.pause();
    this.app.shows.clear();
    this.app.view.watched = () => this.actors.map((actor) => actor.root);
    status("The live character comes …");
    const begin = (): void => this.socket?.send({
      type: "start", scene: doc.scene, library: "default:park", character: doc.character,
      place: [doc.start.x, doc.start.z, doc.start.yaw_deg], crowd: this.crowd, seed: doc.seed,
    });
    this.socket = new Socket("/api/live", { open: begin, text: (message) => void this.hear(message).catch(complain), binary: (data) => this.read(data) });
  }

  stop(): void {
    this.socket?.close();
    this.socket = null;
    for (const actor of this.actors) actor.dispose();
    this.actors = [];
    this.frames = [];
    this.offset = null;
    this.recording = false;
    this.target = null;
    this.lastSent = "";
    this.spot.visible = false;
    this.app.view.watched = () => this.app.shows.places();
    this.app.view.follow(null);
  }

  private async hear(message: Record<string, unknown>): Promise<void> {
    if (message["type"] === "ready") {
      const document = message["document"] as MotionDocument;
      const arrays = await Arrays.inflate(document.buffer);
      const body = document.bodies[0];
      if (!body || !this.socket) return;
      for (const actor of this.actors) actor.dispose();
      this.actors = [];
      this.model = new BodyModel(body, arrays);
      this.dim = this.model.materials.map((material) => {
        const other = material.clone();
        other.color.lerp(new Color(CROWD), 0.55);
        return other;
      });
      status("Hold the pointer on the floor, or use W A S D or a gamepad.");
      const { start } = this.app.store.doc;
      if (!this.app.view.isFollowing) this.app.view.lookFrom(new Vector3(start.x, this.app.view.height(start.x, start.z) + 1, start.z), BEHIND);
      this.app.view.follow(() => this.actors[0]?.root.clone() ?? null);
    } else if (message["type"] === "recorded") {
      const plan = message["plan"] as PlanFacts;
      toast(`Recorded ${plan.seconds.toFixed(1)} s. It is in the outliner, ready to export.`, "good");
      await this.app.refreshPlans();
      this.app.shown = [plan.id];
    } else if (message["type"] === "error") toast(String(message["error"]), "error");
    else if (message["type"] === "note") status(String(message["note"]));
    this.onChange();
  }

  private read(data: ArrayBuffer): void {
    const view = new DataView(data);
    const [at, count, joints] = [view.getFloat64(8, true), view.getUint16(20, true), view.getUint16(22, true)];
    const record = 12 + 8 * joints;
    if (data.byteLength < HEAD + count * record) return;
    const frame: Frame = { at, count, joints, root: new Float32Array(3 * count), rotations: new Int16Array(4 * joints * count) };
    for (let who = 0; who < count; who += 1) {
      const from = HEAD + who * record;
      frame.root.set(new Float32Array(data.slice(from, from + 12)), 3 * who);
      frame.rotations.set(new Int16Array(data.slice(from + 12, from + record)), 4 * joints * who);
    }
    this.latency = view.getFloat32(24, true);
    this.framesSeen += 1;
    this.frames.push(frame);
    if (this.frames.length > 20) this.frames.shift();
    // The smallest difference of clocks is the one with the least delay on the way.
    const difference = performance.now() / 1000 - at;
    this.offset = this.offset === null || difference < this.offset ? difference : this.offset + (difference - this.offset) * 0.002;
  }

  private showFacts(now: number): void {
    if (now - this.told.at < FACTS_MS) return;
    const rate = ((this.framesSeen - this.told.frames) * 1000) / (now - this.told.at);
    this.told = { at: now, frames: this.framesSeen };
    const rows = [["People", String(this.actors.length)], ["Poses", `${rate.toFixed(0)} a second`], ["Recorded", this.recording ? "yes" : "no"]];
    this.facts.replaceChildren(...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  }

  /** Steer, and show the moment between the two frames around now. */
  private tick(now: number): void {
    if (!this.socket) return;
    this.steer();
    this.showFacts(now);
    if (this.offset === null || !this.model) return;
    const time = now / 1000 - this.offset - DELAY_S;
    let next = this.frames.findIndex((frame) => frame.at > time);
    if (next < 0) next = this.frames.length - 1;
    const [a, b] = [this.frames[Math.max(0, next - 1)], this.frames[next]];
    if (!a || !b) return;
    const share = b.at > a.at ? Math.max(0, Math.min(1, (time - a.at) / (b.at - a.at))) : 1;
    while (this.actors.length < b.count) {
      const actor = this.model.make(this.actors.length ? this.dim : undefined);
      this.actors.push(actor);
      this.app.view.people.add(actor.object);
    }
    while (this.actors.length > b.count) this.actors.pop()?.dispose();
    this.actors.forEach((actor, who) => this.pose(actor, who, a.count === b.count ? a : b, b, share));
    this.spot.visible = this.target !== null;
    this.app.view.invalidate();
  }

  private pose(actor: Actor, who: number, a: Frame, b: Frame, share: number): void {
    const mix = (from: number, to: number): number => from + (to - from) * share;
    const root = [0, 1, 2].map((axis) => mix(a.root[3 * who + axis]!, b.root[3 * who + axis]!));
    const first = 4 * b.joints * who;
    const turns = new Float32Array(4 * b.joints);
    for (let joint = 0; joint < b.joints; joint += 1) {
      const at = first + 4 * joint;
      let dot = 0;
      for (let k = 0; k < 4; k += 1) dot += a.rotations[at + k]! * b.rotations[at + k]!;
      let length = 0;
      for (let k = 0; k < 4; k += 1) {
        const value = mix(a.rotations[at + k]! * (dot < 0 ? -1 : 1), b.rotations[at + k]!);
        turns[4 * joint + k] = value;
        length += value * value;
      }
      length = Math.sqrt(length) || 1;
      for (let k = 0; k < 4; k += 1) turns[4 * joint + k]! /= length;
    }
    actor.setPose(root, turns);
  }

  /** The pointer's part: held on the floor, the character goes there. */
  point(event: PointerEvent, phase: "down" | "move" | "up"): boolean {
    if (!this.on) return false;
    if (phase === "up") {
      const was = this.target !== null;
      this.target = null;
      return was;
    }
    if (phase === "down" ? event.button !== 0 || event.shiftKey : !this.target) return false;
    const hit = this.app.view.pick(event);
    if (phase === "down" && hit.thing !== null && this.app.store.doc.scene?.obstacle?.[hit.thing]?.at) return false;
    if (hit.point) {
      this.target = [hit.point.x, hit.point.z];
      this.spot.position.copy(hit.point).setY(hit.point.y + 0.02);
    }
    return true;
  }

  /** What keys or a gamepad wish for, metres a second in the scene. */
  private wish(): [number, number] | null {
    const held = (code: string): number => (this.keys.has(code) ? 1 : 0);
    let [side, ahead] = [held("KeyD") - held("KeyA"), held("KeyW") - held("KeyS")];
    for (const pad of navigator.getGamepads?.() ?? []) {
      const [x = 0, y = 0] = pad?.axes ?? [];
      if (Math.hypot(x, y) > DEAD) [side, ahead] = [x, -y];
    }
    if (!side && !ahead) return null;
    const forward = this.app.view.camera.getWorldDirection(new Vector3()).setY(0).normalize();
    const right = new Vector3(-forward.z, 0, forward.x);
    const run = this.keys.has("ShiftLeft") || this.keys.has("ShiftRight") ? 2 : 1;
    const way = forward.multiplyScalar(ahead).addScaledVector(right, side);
    way.multiplyScalar((this.speed * run) / Math.max(1, way.length()));
    return [way.x, way.z];
  }

  private steer(): void {
    const velocity = this.wish();
    const style = this.style > 0 ? this.style : null;
    const wish = velocity ? { velocity, style } : this.target ? { target: this.target, speed: this.speed, style } : {};
    const text = JSON.stringify(wish);
    if (text === this.lastSent || !this.socket?.isOpen) return;
    this.lastSent = text;
    this.seq += 1;
    this.socket.send({ type: "steer", seq: this.seq, ...wish });
  }

  setCrowd(count: number): void {
    this.crowd = count;
    this.later("crowd", () => this.socket?.send({ type: "crowd", count }));
  }

  obstacle(index: number, at: number[], yaw_deg: number): void {
    this.later(`obstacle ${index}`, () => this.socket?.send({ type: "obstacle", index, at, yaw_deg }));
  }

  /** Go on in the scene as it is edited. */
  sceneChanged(): void {
    this.later("scene", () => this.socket?.send({ type: "scene", scene: this.app.store.doc.scene }));
  }

  record(): void {
    this.recording = !this.recording;
    this.socket?.send(this.recording ? { type: "record", on: true } : { type: "record", on: false, name: "Recording" });
    this.onChange();
  }
}
