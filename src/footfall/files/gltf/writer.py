"""Writing glTF 2.0: a clip as nodes, skin and animation; a skinned body; the static world.

The file is in metres, Y up, as glTF asks. Each joint is a node whose translation is its rest
offset, so the file's rest pose is the clip's own. End sites are leaf nodes `<joint>_end`; they
belong to the skin, so that tools which draw a bone from a joint to its child draw the last one.
What glTF has no place for (frame rate, tags, contacts, touches) stands in the animation's extras.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.body.clip import Clip
from footfall.body.mesh import Material, Mesh, SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.atomic import atomic_file
from footfall.files.intake.raw import clip_facts

FLOAT, UINT8, UINT16, UINT32 = 5126, 5121, 5123, 5125
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_CODES = {"float32": FLOAT, "uint8": UINT8, "uint16": UINT16, "uint32": UINT32}
_VERTICES, _INDICES = 34962, 34963
_LARGEST = 2**32 - 1

Array = NDArray[Any]


def write_glb(
    clip: Clip | None,
    path: Path,
    mesh: SkinnedMesh | None = None,
    static: Sequence[tuple[str, Mesh]] = (),
) -> None:
    """Write a clip, the body it moves and the world around it as one `.glb` or `.gltf` file.

    A `.gltf` file holds its binary data inside (base64), so that there is one file to hand on.
    `static` meshes (metres, Footfall's axes) become nodes of the names given.
    """
    if clip is None and mesh is not None:
        raise InputError("a skinned mesh needs a clip to move it", remedy="give it as static mesh")
    write_characters([] if clip is None else [(clip, mesh)], path, static)


def write_characters(
    characters: Sequence[tuple[Clip, SkinnedMesh | None]],
    path: Path,
    static: Sequence[tuple[str, Mesh]] = (),
    starts_s: Sequence[float] = (),
) -> None:
    """Write clips, each with the body it moves, and the world around them as one file.

    One animation moves them all, so that whatever opens the file plays them together. Where there
    are several, each hangs under a node of its clip's name.

    starts_s  when each begins; who is not there yet, or no more, has no size
    """
    document = _Document()
    tracks = [
        _add_character(document, clip, mesh, clip.name if len(characters) > 1 else "")
        for clip, mesh in characters
    ]
    if tracks:
        clips = [clip for clip, _ in characters]
        _add_animation(document, clips, tracks, starts_s or [0.0] * len(clips))
    for name, thing in static:
        if len(thing.triangles):
            node = document.add(
                "nodes", {"name": name, "mesh": _static_mesh(document, name, thing)}
            )
            document.scene.append(node)
    if not document.scene:
        raise InputError("there is nothing to write", remedy="give a clip or a static mesh")
    _save(document, path)


class _Document:
    """The growing file: lists of JSON objects by property name, and the pieces of its buffer."""

    def __init__(self) -> None:
        self.lists: dict[str, list[dict[str, Any]]] = {}
        self.scene: list[int] = []
        self.pieces: list[Array] = []
        self.bodies: dict[int, int] = {}
        self.size = 0

    def add(self, kind: str, thing: dict[str, Any]) -> int:
        """Append to the list `kind` ("nodes", "accessors", …); gives the index in it."""
        things = self.lists.setdefault(kind, [])
        things.append(thing)
        return len(things) - 1

    def share(self, skeleton: Skeleton, mesh: SkinnedMesh) -> int:
        """Return the mesh of a body, shared by all characters with the same body."""
        key = id(mesh)
        if key not in self.bodies:
            self.bodies[key] = _skinned_mesh(self, skeleton, mesh)
        return self.bodies[key]

    def view(self, array: Array, target: int | None = None) -> int:
        """Append an array to the buffer, on a boundary of four bytes, as one buffer view."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": array.nbytes}
        if target:
            view["target"] = target
        padding = -array.nbytes % 4
        self.pieces += [array, np.zeros(padding, np.uint8)]
        self.size += array.nbytes + padding
        if self.size > _LARGEST:
            raise InputError(
                "the motion does not fit in a glTF file of 4 GiB", remedy="write it in parts"
            )
        return self.add("bufferViews", view)

    def accessor(
        self, array: Array, *, target: int | None = None, bounds: bool = False,
        view: int | None = None, offset: int = 0,
    ) -> int:  # fmt: skip
        """Append an accessor over `array` (N,) or (N, width), with its own view unless given."""
        width = 1 if array.ndim == 1 else array.shape[1]
        if view is None:
            view = self.view(np.ascontiguousarray(array), target)
        entry: dict[str, Any] = {
            "bufferView": view, "componentType": _CODES[array.dtype.name],
            "count": len(array), "type": _TYPES[width],
        }  # fmt: skip
        if offset:
            entry["byteOffset"] = offset
        if bounds:
            table = array.reshape(len(array), -1)
            entry["min"], entry["max"] = table.min(axis=0).tolist(), table.max(axis=0).tolist()
        return self.add("accessors", entry)


def _add_character(
    document: _Document, clip: Clip, mesh: SkinnedMesh | None, name: str
) -> list[int]:
    """Return the nodes of a clip's joints, under a node of that name if there is one."""
    nodes = _add_joints(document, clip.skeleton)
    skin = _add_skin(document, clip.skeleton, nodes)
    above = document.add("nodes", {"name": name, "children": [nodes[0]]}) if name else nodes[0]
    document.scene.append(above)
    if mesh is not None and len(mesh.mesh.triangles):
        body = f"{name} body" if name else "body"
        skinned = {"name": body, "mesh": document.share(clip.skeleton, mesh)}
        # A skinned mesh's own place in the tree has no effect, so it stands at the top.
        document.scene.append(document.add("nodes", {**skinned, "skin": skin}))
    return nodes


def end_site_names(skeleton: Skeleton) -> tuple[str, ...]:
    """E names of the nodes that stand for end sites: `<joint>_end`, `<joint>_end2`, …"""
    taken, names = set(skeleton.names), []
    for joint in skeleton.end_joints:
        base = f"{skeleton.names[int(joint)]}_end"
        name, number = base, 2
        while name in taken:
            name, number = f"{base}{number}", number + 1
        taken.add(name)
        names.append(name)
    return tuple(names)


def _add_joints(document: _Document, skeleton: Skeleton) -> list[int]:
    """Return one node per joint, then one per end site; gives their J + E node indices."""
    names = skeleton.names + end_site_names(skeleton)
    parents = np.concatenate([skeleton.parents, skeleton.end_joints])
    offsets = np.concatenate([skeleton.offsets, skeleton.end_offsets])
    nodes: list[int] = []
    for name, parent, offset in zip(names, parents, offsets, strict=True):
        node = document.add("nodes", {"name": name, "translation": _float32(offset).tolist()})
        nodes.append(node)
        if parent >= 0:
            above = document.lists["nodes"][nodes[parent]]
            above.setdefault("children", []).append(node)
    return nodes


def _add_skin(document: _Document, skeleton: Skeleton, nodes: list[int]) -> int:
    rest = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    matrices = np.tile(np.eye(4, dtype=np.float32), (len(rest), 1, 1))
    matrices[:, 3, :3] = -rest  # glTF stores matrices column by column
    inverse_bind = document.accessor(matrices.reshape(-1, 16))
    return document.add(
        "skins",
        {
            "name": "skeleton", "joints": nodes, "skeleton": nodes[0],
            "inverseBindMatrices": inverse_bind,
            "extras": {"footfall": {"end_sites": len(skeleton.end_joints)}},
        },
    )  # fmt: skip


def _add_animation(
    document: _Document, clips: Sequence[Clip], joints: list[list[int]], starts_s: Sequence[float]
) -> None:
    """Add one animation of the joints of all clips, with the first clip's facts."""
    outputs, targets, clocks, kinds = [], [], [], []
    end_s = max(start + clip.seconds for clip, start in zip(clips, starts_s, strict=True))
    for clip, nodes, start in zip(clips, joints, starts_s, strict=True):
        clock = _add_clock(document, clip, start)
        values, moved = _add_tracks(document, clip, nodes)
        outputs += values
        targets += moved
        clocks += [clock] * len(values)
        kinds += ["LINEAR"] * len(values)
        if start > 0.0 or start + clip.seconds < end_s - 0.5 / clip.fps:
            shown, sizes = _add_presence(document, start, start + clip.seconds, end_s)
            outputs.append(sizes)
            targets.append((nodes[0], "scale"))
            clocks.append(shown)
            kinds.append("STEP")
    samplers = zip(clocks, outputs, kinds, strict=True)
    document.add(
        "animations",
        {
            "name": (clips[0].name if len(clips) == 1 else "") or "motion",
            "samplers": [
                {"input": c, "interpolation": kind, "output": o} for c, o, kind in samplers
            ],
            "channels": [
                {"sampler": index, "target": {"node": node, "path": path}}
                for index, (node, path) in enumerate(targets)
            ],
            "extras": {"footfall": clip_facts(clips[0])},
        },
    )


def _add_presence(
    document: _Document, start_s: float, stop_s: float, end_s: float
) -> tuple[int, int]:
    """Return times and scales that show a character only from `start_s` to `stop_s`."""
    keys = [(0.0, 0.0)] if start_s > 0.0 else []
    keys += [(start_s, 1.0)] + ([(stop_s + 1e-3, 0.0)] if stop_s < end_s else [])
    times, sizes = np.array(keys).T
    return (
        document.accessor(_float32(times), bounds=True),
        document.accessor(_float32(np.repeat(sizes[:, None], 3, axis=1))),
    )


def _add_clock(document: _Document, clip: Clip, start_s: float) -> int:
    times = _float32(clip.times + start_s)
    if len(times) > 1 and np.diff(times).min() <= 0.0:
        raise InputError("the clip is too long for glTF's 32-bit times", remedy="write it in parts")
    return document.accessor(times, bounds=True)


def _add_tracks(
    document: _Document, clip: Clip, nodes: list[int]
) -> tuple[list[int], list[tuple[int, str]]]:
    """Accessors of what moves, and which node and which of its properties each moves."""
    outputs = [document.accessor(_float32(clip.root))]
    targets = [(nodes[0], "translation")]
    turns = float32_rotations(clip.rotations)
    view = document.view(turns)
    for joint in range(len(clip.skeleton)):
        offset = joint * turns[joint].nbytes
        outputs.append(document.accessor(turns[joint], view=view, offset=offset))
        targets.append((nodes[joint], "rotation"))
    return outputs, targets


def float32_rotations(rotations: Array) -> Array:
    """Return (J, T, 4) x y z w in float32, unit and without sign flips, of (T, J, 4) w x y z."""
    turns = np.empty((rotations.shape[1], rotations.shape[0], 4), np.float32)
    turns[...] = rotations.transpose(1, 0, 2)[..., [1, 2, 3, 0]]
    for track in turns:  # joint by joint, so that a long clip needs no second copy
        track /= np.linalg.norm(track, axis=1, keepdims=True)
        flips = np.einsum("ti,ti->t", track[1:], track[:-1]) < 0.0
        track[1:][np.logical_xor.accumulate(flips)] *= -1.0
    return turns


def _skinned_mesh(document: _Document, skeleton: Skeleton, skin: SkinnedMesh) -> int:
    if skin.joints.size and (skin.joints.min() < 0 or skin.joints.max() >= len(skeleton)):
        raise InputError(
            f"the skin is bound to joint {skin.joints.max()}",
            remedy=f"the skeleton's joints are 0 to {len(skeleton) - 1}",
        )
    joints, weights = _clean_binding(skin.joints, skin.weights)
    small = np.uint8 if len(skeleton) <= 256 else np.uint16
    attributes = {"JOINTS_0": joints.astype(small), "WEIGHTS_0": weights}
    return _add_mesh(document, "body", skin.mesh, attributes)


def _static_mesh(document: _Document, name: str, mesh: Mesh) -> int:
    return _add_mesh(document, name, mesh, {})


def _add_mesh(document: _Document, name: str, mesh: Mesh, more: dict[str, Array]) -> int:
    """Return one mesh with a primitive for each material in use, each with its own vertices."""
    normals = _unit_float32(mesh.normals)
    primitives = []
    for index, material in enumerate(mesh.materials):
        triangles = mesh.triangles[mesh.face_materials == index]
        if not len(triangles):
            continue
        used, corners = np.unique(triangles, return_inverse=True)
        # 0xFFFF and 0xFFFFFFFF restart a primitive, so they are never vertex numbers.
        small = np.uint16 if len(used) <= 0xFFFF else np.uint32
        indices = corners.reshape(-1).astype(small)
        vertices = _float32(mesh.vertices[used])
        attributes = {
            "POSITION": document.accessor(vertices, target=_VERTICES, bounds=True),
            "NORMAL": document.accessor(normals[used], target=_VERTICES),
        }
        for key, values in more.items():
            attributes[key] = document.accessor(values[used], target=_VERTICES)
        primitives.append(
            {
                "attributes": attributes,
                "indices": document.accessor(indices, target=_INDICES),
                "material": _add_material(document, material),
            }
        )
    return document.add("meshes", {"name": name, "primitives": primitives})


def _add_material(document: _Document, material: Material) -> int:
    entry = {
        "name": material.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*material.colour, 1.0],
            "metallicFactor": material.metalness,
            "roughnessFactor": material.roughness,
        },
    }
    known = document.lists.setdefault("materials", [])
    return known.index(entry) if entry in known else document.add("materials", entry)


def _clean_binding(joints: Array, weights: Array) -> tuple[Array, Array]:
    """Return (V, 4) joints and float32 weights for glTF: unique joints, sums of 1, 0 if unused."""
    joints, weights = np.array(joints), np.array(weights, dtype=np.float64)
    for later in range(1, 4):
        for earlier in range(later):
            same = joints[:, later] == joints[:, earlier]
            weights[same, earlier] += weights[same, later]
            weights[same, later] = 0.0
    narrow = weights.astype(np.float32)
    narrow[narrow < 1e-6] = 0.0
    largest = narrow.argmax(axis=1)
    rows = np.arange(len(narrow))
    narrow[rows, largest] = 0.0
    narrow[rows, largest] = 1.0 - narrow.sum(axis=1, dtype=np.float64)
    joints[narrow == 0.0] = 0
    return joints, narrow


def _float32(values: Array) -> Array:
    with np.errstate(over="ignore"):
        narrow = np.asarray(values, dtype=np.float32)
    if not np.isfinite(narrow).all():
        raise InputError("a number is too large for glTF's 32-bit floats")
    return narrow


def _unit_float32(normals: Array) -> Array:
    """Normals as unit float32; one without a direction points up, as glTF allows no zero."""
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    safe = np.where(lengths > 1e-12, normals / np.maximum(lengths, 1e-12), [0.0, 1.0, 0.0])
    return np.asarray(safe, dtype=np.float32)


def _save(document: _Document, path: Path) -> None:
    top: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "Footfall"},
        "scene": 0,
        "scenes": [{"name": "scene", "nodes": document.scene}],
        **document.lists,
    }
    buffer: dict[str, Any] = {"byteLength": document.size}
    top["buffers"] = [buffer]
    with atomic_file(path) as temporary, temporary.open("wb") as out:
        if path.suffix.lower() == ".gltf":
            blob = b"".join(piece.tobytes() for piece in document.pieces)
            text = base64.b64encode(blob).decode("ascii")
            buffer["uri"] = f"data:application/octet-stream;base64,{text}"
            out.write(json.dumps(top, ensure_ascii=False).encode("utf-8"))
            return
        encoded = json.dumps(top, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        encoded += b" " * (-len(encoded) % 4)
        total = 12 + 8 + len(encoded) + 8 + document.size
        if total > _LARGEST:
            raise InputError(
                "the motion does not fit in a GLB file of 4 GiB", remedy="write it in parts"
            )
        out.write(struct.pack("<4sII", b"glTF", 2, total))
        out.write(struct.pack("<I4s", len(encoded), b"JSON") + encoded)
        out.write(struct.pack("<I4s", document.size, b"BIN\0"))
        for piece in document.pieces:
            out.write(piece.data)
