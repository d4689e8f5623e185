/** The 3D view: camera, light, floor, picking and the loop that draws. */

import {
  Box3, Color, DirectionalLight, Fog, Group, HemisphereLight, Object3D, PerspectiveCamera, Plane, Raycaster, Scene,
  SRGBColorSpace, Vector2, Vector3, WebGLRenderer, PCFShadowMap,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
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
const BACKGROUND = { dark: 0x3b3f46, light: 0xd9dde2 };

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
  private sun = new DirectionalLight(0xffffff, 2.1);
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
    this.lights();
    this.scene.add(this.world, this.marks, this.people);
    onTheme(() => this.paint());
    this.paint();
    new ResizeObserver(() => this.resize()).observe(node);
    this.resize();
    requestAnimationFrame((now) => this.loop(now));
  }

  private lights(): void {
    this.scene.add(new HemisphereLight(0xffffff, 0x8a8f98, 1.5), this.sun, this.sun.target);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const camera = this.sun.shadow.camera;
    [camera.left, camera.right, camera.top, camera.bottom, camera.far] = [-7, 7, 7, -7, 40];
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
  }

  private paint(): void {
    const colour = new Color(BACKGROUND[theme()]);
    this.scene.background = colour;
    this.scene.fog = new Fog(colour, 30, 110);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
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
    this.openWalls();
    this.draw();
  }

  /** Hide walls that stand between the camera and what it looks at. */
  private openWalls(): void {
    const [eye, target] = [this.camera.position, this.controls.target];
    this.world.traverse((node) => {
      if (node.userData["kind"] !== "wall") return;
      const box = (node.userData["box"] ??= new Box3().setFromObject(node)) as Box3;
      const size = box.getSize(new Vector3());
      const axis = size.x < size.z ? "x" : "z";
      const middle = (box.min[axis] + box.max[axis]) / 2;
      node.visible = (eye[axis] - middle) * (target[axis] - middle) > 0;
    });
  }

  /** Draw one picture now. */
  draw(): void {
    const target = this.controls.target;
    this.sun.position.set(target.x + 5, target.y + 13, target.z - 4);
    this.sun.target.position.copy(target);
    this.renderer.render(this.scene, this.camera);
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
    }
    this.followed = at.clone();
  }

  /** Look at a box from the present side. */
  frame(box: Box3): void {
    if (box.isEmpty()) return;
    const centre = box.getCenter(new Vector3());
    const radius = Math.max(0.9, box.getSize(new Vector3()).length() / 2);
    const side = this.camera.position.clone().sub(this.controls.target).normalize();
    if (side.y < 0.25) side.setY(0.45).normalize();
    const distance = (radius * 1.15) / Math.tan((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(side, Math.min(distance, 60));
    this.controls.update();
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
    const marked = this.ray.intersectObject(this.marks, true).filter((hit) => hit.object.userData["handle"]);
    const best = marked.find((hit) => (hit.object.userData["handle"] as Handle).kind === "point")
      ?? marked.find((hit) => "part" in hit.object.userData["handle"] && hit.object.userData["handle"].part === "heading") ?? marked[0];
    if (best) found.handle = best.object.userData["handle"] as Handle;
    const step = this.ray.intersectObject(this.people, true).find((hit) => typeof hit.object.userData["footprint"] === "number");
    if (step) found.footprint = step.object.userData["footprint"] as number;
    for (const hit of this.ray.intersectObject(this.world, true)) {
      if (!hit.object.visible) continue;
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
