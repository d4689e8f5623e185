/** The 3D view: camera, light, floor, picking and the loop that draws. */

import {
  Box3, Color, Fog, Group, Mesh, Object3D, PerspectiveCamera, Plane, Raycaster, Scene,
  SRGBColorSpace, Vector2, Vector3, WebGLRenderer, PCFShadowMap,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BACKGROUNDS, Lights, seeThrough } from "../../viewer";
import { el } from "../ui/dom";
import { onTheme, theme } from "../ui/theme";
import type { Handle } from "./markers";

export interface Hit {
  handle: Handle | null;
  /** The number of the scene's obstacle that is hit. */
  thing: number | null;
  footprint: number | null;
  /** Where on the ground, or on the object. */
  point: Vector3 | null;
}

const STANDABLE = new Set(["ground", "hole", "platform", "stone", "column", "stairs", "beam"]);
/** Nothing high may hide more bodies than these; a crowd has too many to look at each. */
const MOST_WATCHED = 40;

export class Viewport {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(42, 1, 0.05, 400);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly canvas = el("canvas", { "aria-label": "Scene" });
  /** What can be stood on and clicked: the scene. */
  readonly world = new Group();
  readonly marks = new Group();
  readonly people = new Group();
  /** Where people are: they are lit, and seen through what stands before them. */
  watched: () => Vector3[] = () => [];
  private lights = new Lights();
  private dirty = true;
  private ray = new Raycaster();
  private frames = new Set<(dt: number, now: number) => void>();
  private last = 0;
  private following: (() => Vector3 | null) | null = null;
  private followed: Vector3 | null = null;
  /** While true the loop leaves the canvas to somebody else (video export). */
  held = false;

  constructor(readonly node: HTMLElement) {
    this.node.append(this.canvas);
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, preserveDrawingBuffer: false });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 0.8;
    this.controls.maxDistance = 120;
    this.camera.position.set(4, 4, -6);
    this.controls.addEventListener("change", () => this.invalidate());
    this.scene.add(this.world, this.marks, this.people, this.lights.group);
    onTheme(() => this.paint());
    this.paint();
    new ResizeObserver(() => this.resize()).observe(node);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  private paint(): void {
    const colour = new Color(BACKGROUNDS[theme()]);
    this.scene.background = colour;
    this.scene.fog = new Fog(colour, 25, 90);
    this.lights.setTheme(theme());
    this.invalidate();
  }

  /** Draw with the next frame of the display. */
  invalidate(): void {
    this.dirty = true;
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** Be called before every frame with the seconds since the last. */
  onFrame(listener: (dt: number, now: number) => void): void {
    this.frames.add(listener);
  }

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    if (this.held) {
      this.last = now;
      return;
    }
    const dt = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    for (const listener of this.frames) listener(dt, now);
    this.chase();
    this.controls.update();
    if (this.dirty) this.draw();
  }

  /** Draw one picture now. */
  draw(): void {
    this.dirty = false;
    const people = this.watched();
    const middle = new Vector3();
    for (const each of people) middle.add(each);
    if (people.length) middle.divideScalar(people.length);
    else middle.copy(this.controls.target);
    const reach = people.reduce((far, each) => Math.max(far, each.distanceTo(middle) + 3), 5);
    this.lights.aim(middle, Math.min(reach, 25));
    const scenery = this.world.children[0];
    if (scenery instanceof Group) {
      seeThrough(scenery, this.camera.position, people.slice(0, MOST_WATCHED));
      this.openWalls(scenery);
    }
    this.renderer.render(this.scene, this.camera);
  }

  /** Hide walls that stand between the camera and what it looks at, as in a doll's house. */
  private openWalls(scenery: Group): void {
    const [eye, target] = [this.camera.position, this.controls.target];
    for (const node of scenery.children) {
      if (node.userData["kind"] !== "wall") continue;
      const box = (node.userData["box"] ??= new Box3().setFromObject(node)) as Box3;
      const size = box.getSize(new Vector3());
      const axis = size.x < size.z ? "x" : "z";
      const middle = (box.min[axis] + box.max[axis]) / 2;
      node.visible = (eye[axis] - middle) * (target[axis] - middle) > 0;
    }
  }

  /** Keep the camera with somebody who moves; null lets go. */
  follow(who: (() => Vector3 | null) | null): void {
    this.following = who;
    this.followed = null;
  }

  get isFollowing(): boolean {
    return this.following !== null;
  }

  private chase(): void {
    const at = this.following?.() ?? null;
    if (!at) return;
    if (this.followed) {
      const moved = at.clone().sub(this.followed);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      if (moved.lengthSq() > 0) this.invalidate();
    }
    this.followed = at.clone();
  }

  /** Look at a box from the present side, or from above the shoulder of somebody at its end. */
  frame(box: Box3, from?: Vector3): void {
    if (box.isEmpty()) return;
    if (from) this.camera.position.copy(this.controls.target).add(from);
    const centre = box.getCenter(new Vector3());
    const side = this.camera.position.clone().sub(this.controls.target).normalize();
    if (side.y < 0.25) side.setY(0.45).normalize();
    const distance = Math.max(3, 1.06 * this.distanceToSee(box, side));
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(side, Math.min(distance, 60));
    this.controls.update();
    this.invalidate();
  }

  /** Keep where the camera is; what is returned brings it back. */
  keepCamera(): () => void {
    const [eye, target] = [this.camera.position.clone(), this.controls.target.clone()];
    return () => this.lookFrom(target, eye.sub(target));
  }

  /** Look at a point from beside it. */
  lookFrom(at: Vector3, beside: Vector3): void {
    this.controls.target.copy(at);
    this.camera.position.copy(at).add(beside);
    this.controls.update();
    this.invalidate();
  }

  /** From how far all corners of a box are seen, looking at its centre from a side. */
  private distanceToSee(box: Box3, side: Vector3): number {
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const right = new Vector3(0, 1, 0).cross(side).normalize();
    const up = side.clone().cross(right);
    const centre = box.getCenter(new Vector3());
    let far = 0;
    for (let corner = 0; corner < 8; corner += 1) {
      const at = new Vector3(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y, corner & 4 ? box.max.z : box.min.z).sub(centre);
      const across = Math.max(Math.abs(at.dot(up)) / tall, Math.abs(at.dot(right)) / (tall * this.camera.aspect));
      far = Math.max(far, across + at.dot(side));
    }
    return far;
  }

  /** The highest ground under a point. */
  height = (x: number, z: number): number => {
    this.ray.set(new Vector3(x, 60, z), new Vector3(0, -1, 0));
    this.ray.far = 200;
    for (const hit of this.ray.intersectObject(this.world, true)) {
      if (STANDABLE.has(String(hit.object.userData["kind"]))) return hit.point.y;
    }
    return 0;
  };

  private aim(event: { clientX: number; clientY: number }): void {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    this.ray.setFromCamera(at, this.camera);
    this.ray.far = Infinity;
  }

  /** What is under the pointer. */
  pick(event: { clientX: number; clientY: number }): Hit {
    this.aim(event);
    const found: Hit = { handle: null, thing: null, footprint: null, point: null };
    const marked = (this.marks.visible ? this.ray.intersectObject(this.marks, true) : []).filter((hit) => hit.object.userData["handle"]);
    const best = marked.find((hit) => (hit.object.userData["handle"] as Handle).kind === "point")
      ?? marked.find((hit) => "part" in hit.object.userData["handle"] && hit.object.userData["handle"].part === "heading") ?? marked[0];
    if (best) found.handle = best.object.userData["handle"] as Handle;
    const step = this.ray.intersectObject(this.people, true).find((hit) => typeof hit.object.userData["footprint"] === "number");
    if (step) found.footprint = step.object.userData["footprint"] as number;
    for (const hit of this.ray.intersectObject(this.world, true)) {
      if (!hit.object.visible || isSeenThrough(hit.object)) continue;
      found.point = hit.point.clone();
      const index = hit.object.userData["index"] as number | undefined;
      found.thing = index !== undefined && index >= 0 ? index : null;
      break;
    }
    found.point ??= this.ray.ray.intersectPlane(new Plane(new Vector3(0, 1, 0), 0), new Vector3());
    return found;
  }

  /** Where the pointer is on a level plane; for dragging. */
  onPlane(event: { clientX: number; clientY: number }, y: number): Vector3 | null {
    this.aim(event);
    return this.ray.ray.intersectPlane(new Plane(new Vector3(0, 1, 0), -y), new Vector3());
  }

  /** Where a point of the world is on the page. */
  toPage(point: Vector3): { x: number; y: number; ahead: boolean } {
    const box = this.canvas.getBoundingClientRect();
    const seen = point.clone().project(this.camera);
    return { x: box.left + ((seen.x + 1) / 2) * box.width, y: box.top + ((1 - seen.y) / 2) * box.height, ahead: seen.z < 1 };
  }

  /** The box around objects. */
  boxOf(...objects: Object3D[]): Box3 {
    const box = new Box3();
    for (const each of objects) box.expandByObject(each);
    return box;
  }
}

/** Whether an object of the scene is shown as if it were not there. */
function isSeenThrough(object: Object3D): boolean {
  const material = (object as Mesh).material;
  return !Array.isArray(material) && material.transparent && object.userData["kind"] !== "water";
}
