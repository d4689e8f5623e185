/** Marks in the scene: start, goal, via points, actions, sketched paths, sampled points. */

import {
  BufferGeometry, CircleGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, Float32BufferAttribute, Group,
  Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Object3D, Points, PointsMaterial, RingGeometry, Shape, ShapeGeometry, SphereGeometry,
} from "three";
import { groundPoint, stageYaw } from "../store";
import type { Doc, Selection, Stage } from "../store";

export type Height = (x: number, z: number) => number;

/** What a marker stands for; found again by picking. */
export type Handle =
  | { kind: "start"; part: "body" | "heading" }
  | { kind: "stage"; id: string; part: "body" | "heading" }
  | { kind: "point"; id: string; index: number };

export const COLOURS: Record<string, number> = {
  start: 0x4fb477, "go to": 0xe5605e, via: 0xf2c14e, follow: 0x9b7bea, "stand on": 0x35b6c4, pick: 0xd977c0,
  "put down": 0xb06fd8, sit: 0xc98a4b, "stand up": 0xc98a4b, duck: 0x7a9cc6,
};
const LIFT = 0.015;
const HEADING_M = 0.75;

function material(colour: number, opacity = 1): MeshBasicMaterial {
  return new MeshBasicMaterial({ color: colour, transparent: opacity < 1, opacity, side: DoubleSide, depthWrite: opacity >= 1, toneMapped: false });
}

function flat(mesh: Mesh, lift = LIFT): Mesh {
  mesh.rotation.x = -Math.PI / 2;
  mesh.position.y = lift;
  return mesh;
}

function arrow(colour: number, handle: Handle): Object3D {
  const shape = new Shape();
  shape.moveTo(-0.05, 0.3).lineTo(0.05, 0.3).lineTo(0.05, 0.58).lineTo(0.15, 0.58).lineTo(0, HEADING_M).lineTo(-0.15, 0.58).lineTo(-0.05, 0.58);
  const mesh = new Mesh(new ShapeGeometry(shape), material(colour));
  mesh.rotation.x = Math.PI / 2;
  mesh.position.y = LIFT * 2;
  const grip = new Mesh(new SphereGeometry(0.16, 8, 6), material(colour, 0));
  grip.position.set(0, 0.05, 0.6);
  const group = new Group();
  group.add(mesh, grip);
  group.traverse((node) => (node.userData["handle"] = handle));
  return group;
}

/** A disc on the ground with a symbol above it. */
function place(colour: number, chosen: boolean, handle: Handle, symbol: Object3D | null, yaw: number | null, heading: Handle): Group {
  const group = new Group();
  const body = new Group();
  body.add(flat(new Mesh(new RingGeometry(0.2, chosen ? 0.3 : 0.26, 40), material(chosen ? 0xffffff : colour))));
  body.add(flat(new Mesh(new CircleGeometry(0.2, 32), material(colour, 0.45))));
  const grip = new Mesh(new CylinderGeometry(0.26, 0.26, 0.12, 12), material(colour, 0));
  grip.position.y = 0.06;
  body.add(grip);
  if (symbol) body.add(symbol);
  body.traverse((node) => (node.userData["handle"] = handle));
  group.add(body);
  if (yaw !== null) {
    const pointer = arrow(chosen ? 0xffffff : colour, heading);
    pointer.rotation.y = (yaw * Math.PI) / 180;
    group.add(pointer);
  }
  return group;
}

function flag(colour: number): Object3D {
  const group = new Group();
  const pole = new Mesh(new CylinderGeometry(0.014, 0.014, 1.1, 8), material(colour));
  pole.position.y = 0.55;
  const cloth = new Shape().moveTo(0, 0).lineTo(0.36, 0.11).lineTo(0, 0.22);
  const banner = new Mesh(new ShapeGeometry(cloth), material(colour));
  banner.position.y = 0.87;
  group.add(pole, banner);
  return group;
}

function pin(colour: number, tall: number): Object3D {
  const group = new Group();
  const cone = new Mesh(new ConeGeometry(0.085, 0.2, 16), material(colour));
  cone.rotation.x = Math.PI;
  cone.position.y = Math.max(0.1, tall) + 0.12;
  const ball = new Mesh(new SphereGeometry(0.1, 16, 10), material(colour));
  ball.position.y = Math.max(0.1, tall) + 0.26;
  group.add(cone, ball);
  return group;
}

/** A ribbon along points, as wide as the corridor. */
export function ribbon(points: readonly (readonly [number, number])[], width: number, colour: number, height: Height, opacity: number): Mesh {
  const corners: number[] = [];
  const faces: number[] = [];
  points.forEach(([x, z], index) => {
    const [px, pz] = points[Math.max(0, index - 1)] ?? [x, z];
    const [nx, nz] = points[Math.min(points.length - 1, index + 1)] ?? [x, z];
    const length = Math.hypot(nx - px, nz - pz) || 1;
    const [sx, sz] = [((nz - pz) / length) * (width / 2), (-(nx - px) / length) * (width / 2)];
    const y = height(x, z) + LIFT * 0.6;
    corners.push(x + sx, y, z + sz, x - sx, y, z - sz);
    if (index) faces.push(2 * index - 2, 2 * index - 1, 2 * index, 2 * index, 2 * index - 1, 2 * index + 1);
  });
  const shape = new BufferGeometry();
  shape.setAttribute("position", new Float32BufferAttribute(corners, 3));
  shape.setIndex(faces);
  return new Mesh(shape, material(colour, opacity));
}

/** A line over the ground. */
export function groundLine(points: readonly (readonly [number, number])[], colour: number, height: Height): Line {
  const shape = new BufferGeometry();
  shape.setAttribute("position", new Float32BufferAttribute(points.flatMap(([x, z]) => [x, height(x, z) + LIFT * 2, z]), 3));
  return new Line(shape, new LineBasicMaterial({ color: colour, toneMapped: false }));
}

function sketch(stage: Stage, chosen: boolean, height: Height): Group {
  const group = new Group();
  const points = stage.points ?? [];
  const colour = COLOURS["follow"] ?? 0;
  const wide = ribbon(points, 2 * (stage.corridor_m ?? 1), colour, height, chosen ? 0.3 : 0.18);
  wide.userData["handle"] = { kind: "stage", id: stage.id, part: "body" } satisfies Handle;
  group.add(wide, ribbon(points, 0.05, chosen ? 0xffffff : colour, (x, z) => height(x, z) + LIFT, 0.9));
  if (!chosen) return group;
  const every = Math.max(1, Math.round(points.length / 12));
  points.forEach(([x, z], index) => {
    if (index % every && index !== points.length - 1) return;
    const knob = new Mesh(new SphereGeometry(0.1, 12, 8), material(0xffffff));
    knob.position.set(x, height(x, z) + 0.04, z);
    knob.userData["handle"] = { kind: "point", id: stage.id, index } satisfies Handle;
    group.add(knob);
  });
  return group;
}

/** Free what a group shows. */
export function clear(group: Object3D): void {
  group.traverse((node) => {
    const mesh = node as Mesh;
    mesh.geometry?.dispose();
    const used = mesh.material;
    for (const one of Array.isArray(used) ? used : used ? [used] : []) one.dispose();
  });
  group.clear();
}

/** All marks of a task; built anew when it changes. */
export class Markers {
  readonly group = new Group();

  show(doc: Doc, selection: Selection, height: Height): void {
    clear(this.group);
    const { start } = doc;
    const startMark = place(
      COLOURS["start"] ?? 0, selection?.kind === "start",
      { kind: "start", part: "body" }, null, start.yaw_deg, { kind: "start", part: "heading" },
    );
    startMark.position.set(start.x, height(start.x, start.z), start.z);
    this.group.add(startMark);
    for (const stage of doc.stages) this.addStage(stage, selection?.kind === "stage" && selection.id === stage.id, height);
  }

  private addStage(stage: Stage, chosen: boolean, height: Height): void {
    if (stage.do === "follow") {
      this.group.add(sketch(stage, chosen, height));
      return;
    }
    const at = groundPoint(stage);
    if (!at) return;
    const colour = COLOURS[stage.do] ?? 0xffffff;
    const ground = height(at[0], at[1]);
    const tall = stage.do === "pick" || stage.do === "put down" ? (stage.at?.[1] ?? 0) - ground : stage.do === "duck" ? (stage.height_m ?? 1.2) : 0.25;
    const symbol = stage.do === "go to" ? flag(colour) : pin(colour, tall);
    const body: Handle = { kind: "stage", id: stage.id, part: "body" };
    const yaw = stageYaw(stage);
    const turnable = stage.do === "go to" || stage.do === "sit" || stage.do === "stand on";
    const mark = place(colour, chosen, body, symbol, turnable ? yaw : null, { ...body, part: "heading" });
    mark.position.set(at[0], ground, at[1]);
    this.group.add(mark);
  }
}

/** A cloud of points that planning has looked at. */
export class Cloud {
  readonly group = new Group();
  private positions: number[] = [];

  add(points: readonly (readonly number[])[], height: Height): void {
    for (const point of points) {
      const [x = 0, z = 0] = point.length === 3 ? [point[0], point[2]] : point;
      this.positions.push(x, height(x, z) + 0.03, z);
    }
    if (this.positions.length > 60_000) this.positions.splice(0, this.positions.length - 60_000);
    clear(this.group);
    const shape = new BufferGeometry();
    shape.setAttribute("position", new Float32BufferAttribute(this.positions, 3));
    this.group.add(new Points(shape, new PointsMaterial({ color: new Color(0xf2c14e), size: 4, sizeAttenuation: false, toneMapped: false })));
  }

  clear(): void {
    this.positions = [];
    clear(this.group);
  }

  get count(): number {
    return this.positions.length / 3;
  }
}
