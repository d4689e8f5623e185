/**
 * The viewer: shows a motion document in an element of a page.
 *
 *     const viewer = new Viewer(element);
 *     await viewer.load(document);
 *     viewer.clock.play();
 */

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { type Actor, BodyModel, Motion } from "./actor";
import { Clock } from "./clock";
import { Arrays, type MotionDocument } from "./document";
import { makeGhosts, makeMarks, type Marks } from "./marks";
import { makeFloor, makeScenery, makeShape, seeThrough, updateScenery } from "./scenery";
import { BACKGROUNDS, Lights, type ThemeName } from "./stage";

/** One motion on the stage: its body, its frames and its marks. */
export interface Performance {
  motion: Motion;
  actor: Actor;
  marks: Marks;
  ghosts: THREE.Group | null;
  visible: boolean;
}

export type Layer = keyof Marks | "ghosts";

const GHOSTS = 9;

export class Viewer {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(36, 1, 0.05, 500);
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: OrbitControls;
  readonly clock = new Clock();
  readonly lights = new Lights();
  performances: Performance[] = [];
  scenery: THREE.Group | null = null;
  /** Number of the motion that the camera follows; -1 for none. */
  followed = -1;
  readonly shown: Record<Layer, boolean> = {
    footprints: true, rootPath: true, abstraction: false, path: true, ghosts: false,
  };
  private readonly stage = new THREE.Group();
  private readonly target = new THREE.Vector3();
  private last = 0;
  private dirty = true;

  constructor(readonly element: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.domElement.setAttribute("aria-label", "The motion in its scene");
    this.renderer.domElement.setAttribute("role", "img");
    element.append(this.renderer.domElement);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.maxPolarAngle = 0.495 * Math.PI;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 150;
    this.controls.addEventListener("change", () => this.invalidate());
    this.scene.add(this.stage, this.lights.group);
    this.clock.listen(() => this.invalidate());
    this.setTheme("dark");
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Show a document instead of what is shown. */
  async load(document: MotionDocument): Promise<void> {
    const arrays = await Arrays.inflate(document.buffer);
    this.clear();
    const models = document.bodies.map((body) => new BodyModel(body, arrays));
    if (document.scene) {
      this.scenery = makeScenery(document.scene, arrays);
      this.stage.add(this.scenery);
    } else for (const seat of document.seats ?? []) this.stage.add(makeShape(seat, arrays));
    this.performances = document.motions.map((entry) => {
      const motion = new Motion(entry, arrays);
      const actor = models[entry.body]!.make();
      const marks = makeMarks(entry, arrays);
      this.stage.add(actor.object, ...Object.values(marks));
      return { motion, actor, marks, ghosts: null, visible: true };
    });
    if (!document.scene) this.stage.add(this.floorBelow());
    this.clock.duration = Math.max(0, ...this.performances.map((p) => p.motion.end));
    this.clock.fps = Math.max(1, ...document.motions.map((m) => m.fps));
    this.applyLayers();
    this.frameAll();
    this.clock.seek(0);
  }

  /** A floor under all motions that fades out around them. */
  private floorBelow(): THREE.Mesh {
    const box = this.extent();
    const middle = box.getCenter(new THREE.Vector3());
    const floor = makeFloor(-0.004, Math.max(5, 3.5 + 0.5 * Math.hypot(box.max.x - box.min.x, box.max.z - box.min.z)));
    floor.position.x = middle.x;
    floor.position.z = middle.z;
    return floor;
  }

  /** The box around the roots of all visible motions. */
  private extent(): THREE.Box3 {
    const box = new THREE.Box3();
    for (const { motion, visible } of this.performances) {
      if (!visible) continue;
      const root = motion.root;
      for (let n = 0; n < root.length; n += 3) box.expandByPoint(new THREE.Vector3().fromArray(root, n));
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1));
    return box;
  }

  private clear(): void {
    this.stage.clear();
    this.performances = [];
    this.scenery = null;
    this.followed = -1;
  }

  setTheme(theme: ThemeName): void {
    const colour = new THREE.Color(BACKGROUNDS[theme]);
    this.scene.background = colour;
    this.scene.fog = new THREE.Fog(colour, 25, 90);
    this.lights.setTheme(theme);
    this.invalidate();
  }

  /** Show or hide a layer of all motions. */
  show(layer: Layer, visible: boolean): void {
    this.shown[layer] = visible;
    this.applyLayers();
  }

  /** Show or hide one motion with its marks. */
  showMotion(number: number, visible: boolean): void {
    const performance = this.performances[number];
    if (performance) performance.visible = visible;
    this.applyLayers();
  }

  private applyLayers(): void {
    for (const p of this.performances) {
      for (const layer of Object.keys(p.marks) as (keyof Marks)[]) {
        p.marks[layer].visible = p.visible && this.shown[layer];
      }
      if (this.shown.ghosts && p.visible && !p.ghosts) {
        const { start, frames, fps } = p.motion.entry;
        const length = (frames - 1) / fps;
        const count = Math.max(2, Math.min(GHOSTS, Math.round(length / 0.6)));
        const times = Array.from({ length: count }, (_, n) => start + (length * n) / (count - 1));
        p.ghosts = makeGhosts(p.actor.model, p.motion, times);
        this.stage.add(p.ghosts);
      }
      if (p.ghosts) p.ghosts.visible = p.visible && this.shown.ghosts;
    }
    this.invalidate();
  }

  /** Let the camera go along with a motion; -1 for none. */
  follow(number: number): void {
    this.followed = number;
    const performance = this.performances[number];
    if (!performance) return;
    const at = this.focus(performance, new THREE.Vector3());
    const away = this.camera.position.clone().sub(this.controls.target);
    away.setLength(Math.min(away.length(), 5.2));
    this.controls.target.copy(at);
    this.camera.position.copy(at).add(away);
    this.target.copy(at);
    this.invalidate();
  }

  /** Look at all motions from a corner, as close as fits. */
  frameAll(): void {
    this.resize();
    const box = this.extent();
    const size = box.getSize(new THREE.Vector3());
    // A long way is seen across, a short one from ahead.
    const away = size.z > size.x ? new THREE.Vector3(-1, 0.5, 0.55) : new THREE.Vector3(0.55, 0.5, 1);
    // Bodies come towards the viewer rather than show their backs.
    const way = this.wayOf();
    if (size.z > size.x && way.z < 0) away.z = -away.z;
    if (size.z <= size.x && way.x < 0) away.x = -away.x;
    this.fit(this.bodyPoints(), box.getCenter(this.controls.target), away.normalize());
    this.controls.update();
    this.invalidate();
  }

  /** From the start to the end of the first visible motion. */
  private wayOf(): THREE.Vector3 {
    const root = this.performances.find((p) => p.visible)?.motion.root ?? new Float32Array(3);
    return new THREE.Vector3().fromArray(root, root.length - 3).sub(new THREE.Vector3().fromArray(root, 0));
  }

  /** Points around the bodies along their ways, for the camera to see. */
  private bodyPoints(): THREE.Vector3[] {
    const points: THREE.Vector3[] = [];
    for (const { motion, actor, visible } of this.performances) {
      const half = 0.55 * actor.model.height;
      const step = 3 * Math.max(1, Math.floor(motion.entry.frames / 150));
      for (let n = 0; visible && n + 2 < motion.root.length; n += step) {
        const at = new THREE.Vector3().fromArray(motion.root, n);
        for (const [x, y, z] of [[0, 1, 0], [0, -1, 0], [0.5, 0, 0], [-0.5, 0, 0], [0, 0, 0.5], [0, 0, -0.5]] as const) {
          points.push(at.clone().addScaledVector(new THREE.Vector3(x, y, z), half));
        }
      }
    }
    return points;
  }

  /** Look at points along a direction from as near as sees them all; the target moves there. */
  private fit(points: THREE.Vector3[], target: THREE.Vector3, away: THREE.Vector3): void {
    const high = Math.tan(0.5 * THREE.MathUtils.degToRad(this.camera.fov));
    const right = new THREE.Vector3(0, 1, 0).cross(away).normalize();
    const up = away.clone().cross(right);
    let far = Math.max(8, 2 * Math.max(0, ...points.map((p) => p.distanceTo(target))));
    for (let pass = 0; pass < 8; pass++) {
      const box = new THREE.Box2();
      for (const point of points) {
        const at = point.clone().sub(target);
        const depth = Math.max(0.1, far - at.dot(away)) * high;
        box.expandByPoint(new THREE.Vector2(at.dot(right) / (depth * this.camera.aspect), at.dot(up) / depth));
      }
      if (box.isEmpty()) break;
      const middle = box.getCenter(new THREE.Vector2());
      const size = box.getSize(new THREE.Vector2());
      target.addScaledVector(right, middle.x * high * this.camera.aspect * far).addScaledVector(up, middle.y * high * far);
      far = Math.max(2.6, 0.55 * far * Math.max(size.x, size.y));
    }
    this.camera.position.copy(target).addScaledVector(away, far);
    this.lights.face(away);
  }

  /** Draw with the next frame of the display. */
  invalidate(): void {
    this.dirty = true;
  }

  private focus(performance: Performance, out: THREE.Vector3): THREE.Vector3 {
    return performance.motion.rootAt(this.clock.time, out);
  }

  private tick(now: number): void {
    const seconds = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    this.clock.advance(seconds);
    if (this.dirty) {
      this.dirty = false;
      this.draw();
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Draw the moment that the clock shows. */
  draw(): void {
    const time = this.clock.time;
    const middle = new THREE.Vector3();
    let there = 0;
    for (const p of this.performances) {
      p.actor.object.visible = p.visible && p.motion.isThere(time);
      if (!p.actor.object.visible && this.performances.length > 1) continue;
      p.actor.object.visible = p.visible;
      p.actor.poseAt(p.motion, time);
      middle.add(p.actor.root);
      there++;
    }
    if (this.scenery) updateScenery(this.scenery, time);
    this.followTarget();
    if (this.scenery) seeThrough(this.scenery, this.camera.position, this.lookedAt());
    if (there) middle.divideScalar(there);
    let reach = 4;
    for (const p of this.performances) {
      if (p.actor.object.visible) reach = Math.max(reach, p.actor.root.distanceTo(middle) + 3);
    }
    this.lights.aim(middle, Math.min(reach, 25));
    this.renderer.render(this.scene, this.camera);
  }

  /** Points that nothing high may hide: bodies, and a few places on their ways. */
  private lookedAt(): THREE.Vector3[] {
    const points: THREE.Vector3[] = [];
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    for (const p of this.performances) {
      if (!p.actor.object.visible || points.length > 60) continue;
      // A post hides the middle of a body alone, a wall also what is beside it.
      for (const beside of [-0.2, 0, 0.2]) points.push(p.actor.root.clone().addScaledVector(right, beside));
      const { start, frames, fps } = p.motion.entry;
      for (let n = 0; n < 8 && this.followed < 0; n++) {
        points.push(p.motion.rootAt(start + (n * (frames - 1)) / 7 / fps));
      }
    }
    return points;
  }

  private followTarget(): void {
    const performance = this.performances[this.followed];
    if (!performance) return;
    const now = this.focus(performance, new THREE.Vector3());
    const move = now.clone().sub(this.target);
    this.target.copy(now);
    this.controls.target.add(move);
    this.camera.position.add(move);
    this.camera.lookAt(this.controls.target);
  }

  private resize(): void {
    const width = Math.max(1, this.element.clientWidth);
    const height = Math.max(1, this.element.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
}
