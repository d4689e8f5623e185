/** A body: a skinned mesh on a skeleton, posed by a motion or by numbers from a socket. */

import * as THREE from "three";
import type { Arrays, BodyDocument, MotionEntry } from "./document";

/** What all actors of one body share: geometry, materials and rest pose. */
export class BodyModel {
  readonly geometry: THREE.BufferGeometry;
  readonly materials: THREE.MeshStandardMaterial[];
  readonly offsets: Float32Array;
  readonly parents: number[];
  private readonly inverses: THREE.Matrix4[];

  constructor(readonly document: BodyDocument, arrays: Arrays) {
    this.offsets = arrays.floats(document.offsets);
    this.parents = document.parents;
    this.geometry = skinGeometry(document, arrays);
    this.materials = document.materials.map((m) => new THREE.MeshStandardMaterial({
      color: new THREE.Color(...m.colour), roughness: m.roughness, metalness: 0,
    }));
    this.inverses = restPositions(this.offsets, this.parents).map(
      (p) => new THREE.Matrix4().makeTranslation(-p.x, -p.y, -p.z),
    );
  }

  /** Make a body of its own that shares the mesh. */
  make(materials: THREE.Material[] = this.materials): Actor {
    const bones = this.parents.map((_, joint) => {
      const bone = new THREE.Bone();
      bone.name = this.document.names[joint] ?? "";
      bone.position.fromArray(this.offsets, 3 * joint);
      return bone;
    });
    this.parents.forEach((parent, joint) => {
      if (parent >= 0) bones[parent]!.add(bones[joint]!);
    });
    const mesh = new THREE.SkinnedMesh(this.geometry, materials);
    mesh.add(bones[0]!);
    mesh.bind(new THREE.Skeleton(bones, this.inverses.map((m) => m.clone())), new THREE.Matrix4());
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    return new Actor(this, mesh, bones);
  }

  /** The actor's height in the rest pose, metres. */
  get height(): number {
    this.geometry.computeBoundingBox();
    const box = this.geometry.boundingBox!;
    return box.max.y - box.min.y;
  }

  dispose(): void {
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}

function restPositions(offsets: Float32Array, parents: number[]): THREE.Vector3[] {
  const out: THREE.Vector3[] = [];
  parents.forEach((parent, joint) => {
    const p = new THREE.Vector3().fromArray(offsets, 3 * joint);
    if (parent >= 0) p.add(out[parent]!);
    out.push(p);
  });
  return out;
}

function skinGeometry(body: BodyDocument, arrays: Arrays): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const put = (name: string, values: Float32Array<ArrayBuffer>, size: number): void => {
    geometry.setAttribute(name, new THREE.BufferAttribute(values, size));
  };
  put("position", arrays.floats(body.vertices), 3);
  put("normal", arrays.floats(body.normals), 3);
  geometry.setAttribute(
    "skinIndex", new THREE.BufferAttribute(Uint16Array.from(arrays.ints(body.joints)), 4),
  );
  put("skinWeight", arrays.floats(body.weights), 4);
  // Triangles of one material together: a group for each.
  const triangles = arrays.ints(body.triangles);
  const faces = arrays.ints(body.faceMaterials);
  const order: number[] = [];
  body.materials.forEach((_, material) => {
    const first = order.length;
    faces.forEach((own, face) => {
      if (own === material) order.push(...triangles.subarray(3 * face, 3 * face + 3));
    });
    geometry.addGroup(first, order.length - first, material);
  });
  geometry.setIndex(order);
  return geometry;
}

/** The frames of a motion, ready to be sampled at any time. */
export class Motion {
  readonly root: Float32Array;
  readonly rotations: Float32Array;
  readonly joints: number;

  constructor(readonly entry: MotionEntry, arrays: Arrays) {
    this.root = arrays.floats(entry.root);
    this.joints = entry.rotations.shape[1]!;
    this.rotations = realPartsLast(arrays.floats(entry.rotations));
  }

  /** The last moment on the common clock, seconds. */
  get end(): number {
    return this.entry.start + (this.entry.frames - 1) / this.entry.fps;
  }

  /** The (broken) frame that is shown at a time of the common clock. */
  frameAt(time: number): number {
    const frame = (time - this.entry.start) * this.entry.fps;
    return Math.min(this.entry.frames - 1, Math.max(0, frame));
  }

  /** Whether the body is there at a time; people of a crowd come and go. */
  isThere(time: number): boolean {
    return time >= this.entry.start - 1e-6 && time <= this.end + 1e-6;
  }

  rootAt(time: number, out = new THREE.Vector3()): THREE.Vector3 {
    const frame = this.frameAt(time);
    const at = Math.floor(frame);
    const next = Math.min(at + 1, this.entry.frames - 1);
    const share = frame - at;
    out.fromArray(this.root, 3 * at);
    return out.lerp(scratch.fromArray(this.root, 3 * next), share);
  }
}

const scratch = new THREE.Vector3();
const before = new THREE.Quaternion();
const after = new THREE.Quaternion();

/** Bring w, x, y, z into three's order x, y, z, w. */
function realPartsLast(rotations: Float32Array): Float32Array {
  const out = new Float32Array(rotations.length);
  for (let n = 0; n < rotations.length; n += 4) {
    before.set(rotations[n + 1]!, rotations[n + 2]!, rotations[n + 3]!, rotations[n]!);
    before.normalize().toArray(out, n);
  }
  return out;
}

export class Actor {
  constructor(
    readonly model: BodyModel, readonly object: THREE.SkinnedMesh, readonly bones: THREE.Bone[],
  ) {}

  /** Show a motion at a time of the common clock. */
  poseAt(motion: Motion, time: number): void {
    const frame = motion.frameAt(time);
    const at = Math.floor(frame);
    const next = Math.min(at + 1, motion.entry.frames - 1);
    const share = frame - at;
    motion.rootAt(time, this.bones[0]!.position);
    const row = 4 * motion.joints;
    for (let joint = 0; joint < motion.joints; joint++) {
      before.fromArray(motion.rotations, at * row + 4 * joint);
      after.fromArray(motion.rotations, next * row + 4 * joint);
      this.bones[joint]!.quaternion.slerpQuaternions(before, after, share);
    }
  }

  /** Show a pose: root (3) and rotations (4 J), each w, x, y, z, as the live socket sends them. */
  setPose(root: ArrayLike<number>, rotations: ArrayLike<number>): void {
    this.bones[0]!.position.set(root[0]!, root[1]!, root[2]!);
    this.bones.forEach((bone, n) => {
      bone.quaternion.set(
        rotations[4 * n + 1]!, rotations[4 * n + 2]!, rotations[4 * n + 3]!, rotations[4 * n]!,
      );
    });
  }

  /** Where the root is, metres. */
  get root(): THREE.Vector3 {
    return this.bones[0]!.position;
  }

  dispose(): void {
    this.object.skeleton.dispose();
    this.object.removeFromParent();
  }
}
