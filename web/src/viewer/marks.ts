/** Marks on the ground: footprints, lines and onion skins of a motion. */

import * as THREE from "three";
import type { Actor, BodyModel, Motion } from "./actor";
import type { Arrays, FootprintDocument, MotionEntry } from "./document";

export const LEFT = 0x4f9cf9;
export const RIGHT = 0xf2994a;
export const LINES = { root: 0x2fae66, abstraction: 0xb37feb, path: 0xf2c94c } as const;

/** The sole of a foot about the middle between heel and ball: x to the left, z forward. */
function soleShape(): THREE.Shape {
  const shape = new THREE.Shape();
  shape.moveTo(-0.028, -0.115);
  shape.bezierCurveTo(-0.04, -0.02, -0.048, 0.04, -0.046, 0.1);
  shape.bezierCurveTo(-0.04, 0.15, 0.03, 0.165, 0.042, 0.1);
  shape.bezierCurveTo(0.046, 0.04, 0.03, 0, 0.03, -0.115);
  shape.bezierCurveTo(0.025, -0.145, -0.022, -0.145, -0.028, -0.115);
  return shape;
}

let sole: THREE.BufferGeometry | null = null;
let mirroredSole: THREE.BufferGeometry | null = null;

function soleGeometry(foot: 0 | 1): THREE.BufferGeometry {
  if (!sole || !mirroredSole) {
    // A shape lies in x, y: turned so that its y is forward (+z) and it faces up.
    sole = new THREE.ShapeGeometry(soleShape()).rotateX(Math.PI / 2).scale(1, -1, 1);
    mirroredSole = sole.clone().scale(-1, 1, 1);
  }
  return foot === 0 ? sole : mirroredSole;
}

/** Make one mesh for each footprint; `userData.footprint` is its number. */
export function makeFootprints(prints: FootprintDocument[], scale = 1): THREE.Group {
  const group = new THREE.Group();
  const materials = [LEFT, RIGHT].map((color) => new THREE.MeshBasicMaterial({
    color, transparent: true, opacity: 0.78, side: THREE.DoubleSide, depthWrite: false,
    polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4,
  }));
  prints.forEach((print, n) => {
    const mesh = new THREE.Mesh(soleGeometry(print.foot), materials[print.foot]);
    mesh.position.fromArray(print.p);
    const [w, x, y, z] = print.q;
    mesh.quaternion.set(x, y, z, w);
    mesh.translateY(0.008);
    mesh.scale.setScalar(scale);
    mesh.renderOrder = 2;
    mesh.userData = { footprint: n };
    group.add(mesh);
  });
  return group;
}

/** Make a line along points (N, 3) just above the ground. */
export function makeLine(points: Float32Array, color: number, dashed = false): THREE.Line {
  const lifted = Float32Array.from(points);
  for (let n = 1; n < lifted.length; n += 3) lifted[n] = lifted[n]! + 0.015;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(lifted, 3));
  const material = dashed
    ? new THREE.LineDashedMaterial({ color, dashSize: 0.12, gapSize: 0.08 })
    : new THREE.LineBasicMaterial({ color });
  const line = new THREE.Line(geometry, material);
  if (dashed) line.computeLineDistances();
  line.renderOrder = 3;
  return line;
}

/** What can be shown of a motion beside its body, each as a group that can be hidden. */
export interface Marks {
  footprints: THREE.Group;
  rootPath: THREE.Group;
  abstraction: THREE.Group;
  path: THREE.Group;
}

export function makeMarks(entry: MotionEntry, arrays: Arrays): Marks {
  const line = (name: keyof MotionEntry["lines"], color: number, dashed: boolean): THREE.Group => {
    const group = new THREE.Group();
    const packed = entry.lines[name];
    if (packed && packed.shape[0]! > 1) group.add(makeLine(arrays.floats(packed), color, dashed));
    return group;
  };
  return {
    footprints: makeFootprints(entry.footprints),
    rootPath: line("root", LINES.root, false),
    abstraction: line("abstraction", LINES.abstraction, false),
    path: line("path", LINES.path, true),
  };
}

/** Onion skins: see-through bodies at times of a motion. */
export function makeGhosts(model: BodyModel, motion: Motion, times: number[], opacity = 0.18): THREE.Group {
  const group = new THREE.Group();
  const materials = model.materials.map((m) => {
    const ghost = m.clone();
    ghost.transparent = true;
    ghost.opacity = opacity;
    ghost.depthWrite = false;
    return ghost;
  });
  for (const time of times) {
    const actor: Actor = model.make(materials);
    actor.object.castShadow = false;
    actor.poseAt(motion, time);
    group.add(actor.object);
  }
  return group;
}
