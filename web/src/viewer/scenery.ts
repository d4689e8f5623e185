/** The scene: ground, water, holes and obstacles as meshes, each named after what it is. */

import * as THREE from "three";
import type { Arrays, SceneDocument, ShapeDocument } from "./document";

/** What `object.userData` of a piece of scenery holds. */
export interface Piece {
  name: string;
  kind: string;
  index: number;
}

/** Make a group with a mesh for each shape of a scene; `updateScenery` moves what moves. */
export function makeScenery(scene: SceneDocument, arrays: Arrays): THREE.Group {
  const group = new THREE.Group();
  group.name = scene.name;
  for (const shape of scene.shapes) group.add(makeShape(shape, arrays));
  return group;
}

/** Make one mesh in its own frame, at its place. */
export function makeShape(shape: ShapeDocument, arrays: Arrays): THREE.Mesh {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(arrays.floats(shape.vertices), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(arrays.floats(shape.normals), 3));
  geometry.setIndex(new THREE.BufferAttribute(arrays.ints(shape.triangles), 1));
  const apart = geometry.toNonIndexed(); // faces have colours of their own
  const faces = arrays.ints(shape.faceColours);
  const colours = new Float32Array(9 * faces.length);
  faces.forEach((face, n) => {
    const colour = shape.palette[face] ?? [0.5, 0.5, 0.5];
    for (let corner = 0; corner < 3; corner++) colours.set(colour, 9 * n + 3 * corner);
  });
  apart.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  geometry.dispose();
  const mesh = new THREE.Mesh(apart, materialOf(shape.kind));
  const ground = shape.kind === "ground" || shape.kind === "hole";
  mesh.castShadow = !ground && shape.kind !== "water";
  mesh.receiveShadow = true;
  mesh.name = shape.name;
  mesh.position.fromArray(shape.position);
  const [w, x, y, z] = shape.rotation;
  mesh.quaternion.set(x, y, z, w);
  mesh.userData = { name: shape.name, kind: shape.kind, index: shape.index, shape };
  if (mesh.castShadow) mesh.add(edgesOf(apart));
  return mesh;
}

function materialOf(kind: string): THREE.Material {
  if (kind === "water") {
    return new THREE.MeshStandardMaterial({
      vertexColors: true, roughness: 0.15, transparent: true, opacity: 0.72, depthWrite: false,
    });
  }
  const material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.92 });
  if (kind === "hole") material.side = THREE.DoubleSide;
  if (kind === "ground") drawGrid(material);
  return material;
}

/** Thin dark edges: steps, seats and bars read as such also where faces have one colour. */
function edgesOf(geometry: THREE.BufferGeometry): THREE.LineSegments {
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(geometry, 35),
    new THREE.LineBasicMaterial({ color: 0x14161a, transparent: true, opacity: 0.32 }),
  );
  edges.raycast = () => undefined;
  return edges;
}

/** Draw lines a metre apart on the ground that fade with the distance. */
export function drawGrid(material: THREE.MeshStandardMaterial): void {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 gridPlace;")
      .replace(
        "#include <fog_vertex>",
        "#include <fog_vertex>\ngridPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;",
      );
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 gridPlace;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec2 gridWide = max(fwidth(gridPlace.xz), vec2(1e-4));
        vec2 gridLine = abs(fract(gridPlace.xz - 0.5) - 0.5) / gridWide;
        float gridCover = 1.0 - min(min(gridLine.x, gridLine.y), 1.0);
        gridCover *= clamp(1.0 - 6.0 * max(gridWide.x, gridWide.y), 0.0, 1.0);
        diffuseColor.rgb *= 1.0 - 0.22 * gridCover;`);
  };
}

/** A plain round floor that fades out, for motions without a scene and around scenes. */
export function makeFloor(level: number, radius = 40): THREE.Mesh {
  const material = new THREE.MeshStandardMaterial({
    color: 0xc4c0b7, roughness: 0.95, transparent: true, depthWrite: false,
  });
  const grid = (shader: { vertexShader: string; fragmentShader: string }): void => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 gridPlace;\nvarying float gridAway;")
      .replace("#include <fog_vertex>", `#include <fog_vertex>
        gridPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;
        gridAway = length(position.xy);`);
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 gridPlace;\nvarying float gridAway;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec2 gridWide = max(fwidth(gridPlace.xz), vec2(1e-4));
        vec2 gridLine = abs(fract(gridPlace.xz - 0.5) - 0.5) / gridWide;
        float gridCover = 1.0 - min(min(gridLine.x, gridLine.y), 1.0);
        gridCover *= clamp(1.0 - 6.0 * max(gridWide.x, gridWide.y), 0.0, 1.0);
        diffuseColor.rgb *= 1.0 - 0.22 * gridCover;
        diffuseColor.a *= 1.0 - smoothstep(0.35, 1.0, gridAway / ${radius.toFixed(1)});`);
  };
  material.onBeforeCompile = grid;
  const floor = new THREE.Mesh(new THREE.CircleGeometry(radius, 64), material);
  floor.rotation.x = -Math.PI / 2;
  floor.position.y = level;
  floor.receiveShadow = true;
  floor.name = "floor";
  floor.userData = { name: "floor", kind: "ground", index: -1 };
  return floor;
}

const SEEN_THROUGH = 0.12;
const MOST_HIDDEN = 0.2;

/** Make things see-through that stand between an eye and more than a few of the points. */
export function seeThrough(group: THREE.Group, eye: THREE.Vector3, points: THREE.Vector3[]): void {
  const meeting = new THREE.Vector3();
  const caster = new THREE.Raycaster();
  for (const child of group.children) {
    const mesh = child as THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
    const { kind } = mesh.userData as Piece;
    if (kind === "ground" || kind === "hole" || kind === "water") continue;
    const box = new THREE.Box3().setFromObject(mesh);
    let hidden = 0;
    for (const point of points) {
      caster.set(eye, point.clone().sub(eye).normalize());
      caster.far = 0.98 * point.distanceTo(eye);
      if (!box.containsPoint(point) && caster.ray.intersectBox(box, meeting)
        && caster.intersectObject(mesh, false).length) hidden++;
    }
    const hides = hidden > MOST_HIDDEN * points.length;
    if (mesh.material.transparent === hides) continue;
    mesh.material.transparent = hides;
    mesh.material.opacity = hides ? SEEN_THROUGH : 1;
    mesh.material.depthWrite = !hides;
    mesh.material.needsUpdate = true;
  }
}

const from = new THREE.Quaternion();
const to = new THREE.Quaternion();

/** Put obstacles that move where they are at a time, seconds. */
export function updateScenery(group: THREE.Group, time: number): void {
  for (const mesh of group.children) {
    const motion = (mesh.userData["shape"] as ShapeDocument | undefined)?.motion;
    if (!motion) continue;
    const { times, positions, rotations } = motion;
    const [first, last] = [times[0]!, times[times.length - 1]!];
    let at = time;
    if (motion.loop && last > first) at = first + ((((time - first) % (last - first)) + last - first) % (last - first));
    at = Math.min(last, Math.max(first, at));
    let k = 0;
    while (k < times.length - 2 && times[k + 1]! <= at) k++;
    const next = Math.min(k + 1, times.length - 1);
    const share = next > k ? (at - times[k]!) / (times[next]! - times[k]!) : 0;
    mesh.position.fromArray(positions[k]!).lerp(new THREE.Vector3().fromArray(positions[next]!), share);
    setQuaternion(from, rotations[k]!);
    setQuaternion(to, rotations[next]!);
    mesh.quaternion.slerpQuaternions(from, to, share);
  }
}

function setQuaternion(out: THREE.Quaternion, [w, x, y, z]: number[]): void {
  out.set(x!, y!, z!, w!);
}
