"""Small clips, meshes and glTF files made by hand, shared by the tests of the binary formats."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.body.clip import Clip
from footfall.body.mesh import Material, Mesh, SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.files.intake.raw import RawMotion
from footfall.maths.quaternions import random_rotations, to_matrix

NAMES = ("hips", "mixamorig:Spine", "head", "leg.L", "Bein rechts", "hips_end")


def small_clip(frames: int = 12, seed: int = 1, fps: float = 30.0) -> Clip:
    """Six joints with awkward names, four end sites (two on one joint), contacts and tags."""
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(
        NAMES, [-1, 0, 1, 0, 0, 0], rng.normal(size=(6, 3)), [2, 3, 4, 4], rng.normal(size=(4, 3))
    )
    return Clip(
        skeleton, fps, rng.normal(size=(frames, 3)), random_rotations(rng, (frames, 6)),
        name="überall", contacts=rng.random((frames, 4)) < 0.5, tags=("walk", "turn left"),
    )  # fmt: skip


def box() -> Mesh:
    """A cube of two materials, 24 vertices."""
    vertices, normals, triangles = [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            first = len(vertices)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                vertices.append(np.roll([sign, u, v], axis))
                normals.append(np.roll([sign, 0.0, 0.0], axis))
            around = [first, first + 1, first + 2, first, first + 2, first + 3]
            faces = np.array(around if sign > 0 else around[::-1]).reshape(2, 3)
            triangles.extend(faces.tolist())
    materials = (Material("skin", (0.8, 0.6, 0.5)), Material("cloth", (0.1, 0.2, 0.8), 0.5, 0.25))
    paint = [0] * 6 + [1] * 6
    return Mesh(0.3 * np.array(vertices), np.array(normals), np.array(triangles), paint, materials)


def skinned_box(joints: int = 6, seed: int = 2) -> SkinnedMesh:
    """The cube bound at random, some joints named twice and some weights zero."""
    rng = np.random.default_rng(seed)
    mesh = box()
    weights = rng.random((len(mesh.vertices), 4)) * (rng.random((len(mesh.vertices), 4)) < 0.7)
    weights[:, 0] += 0.1
    weights /= weights.sum(axis=1, keepdims=True)
    return SkinnedMesh(mesh, rng.integers(0, joints, (len(mesh.vertices), 4)), weights)


def raw_positions(raw: RawMotion) -> np.ndarray:
    """(T, J, 3) world positions of a raw motion, by 3 × 3 matrices, joint after joint."""
    turns = to_matrix(raw.rotations)
    frames, joints = raw.rotations.shape[:2]
    world, places = np.empty((frames, joints, 3, 3)), np.empty((frames, joints, 3))
    for joint, parent in enumerate(raw.parents):
        shift = raw.translations.get(joint, np.tile(raw.offsets[joint], (frames, 1)))
        if parent < 0:
            world[:, joint], places[:, joint] = turns[:, joint], shift
            continue
        world[:, joint] = world[:, parent] @ turns[:, joint]
        places[:, joint] = places[:, parent] + np.einsum("tij,tj->ti", world[:, parent], shift)
    return places


@dataclass
class GltfSketch:
    """A glTF file put together piece by piece, valid or not."""

    json: dict[str, Any] = field(
        default_factory=lambda: {
            "asset": {"version": "2.0"}, "nodes": [], "accessors": [], "bufferViews": [],
            "animations": [{"channels": [], "samplers": []}],
        }
    )  # fmt: skip
    data: bytearray = field(default_factory=bytearray)

    def node(self, **fields: Any) -> int:
        self.json["nodes"].append(fields)
        return len(self.json["nodes"]) - 1

    def view(self, data: bytes, **fields: Any) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), **fields}
        self.data += data
        self.json["bufferViews"].append(view)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: Any, dtype: str = "<f4", **fields: Any) -> int:
        array = np.asarray(values, dtype)
        kinds = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
        codes = {"<f4": 5126, "<i1": 5120, "<u1": 5121, "<i2": 5122, "<u2": 5123}
        entry = {
            "componentType": codes[dtype], "count": len(array),
            "type": kinds[1 if array.ndim == 1 else array.shape[1]],
        } | fields  # fmt: skip
        if "bufferView" not in entry:
            entry["bufferView"] = self.view(array.tobytes())
        self.json["accessors"].append({k: v for k, v in entry.items() if v is not None})
        return len(self.json["accessors"]) - 1

    def animate(
        self, node: int, path: str, times: Any, values: Any, *,
        interpolation: str = "LINEAR", output: int | None = None, animation: int = 0,
    ) -> None:  # fmt: skip
        target = self.json["animations"][animation]
        output = self.accessor(values) if output is None else output
        sampler = {"input": self.accessor(times), "output": output, "interpolation": interpolation}
        target["samplers"].append(sampler)
        channel = {"sampler": len(target["samplers"]) - 1, "target": {"node": node, "path": path}}
        target["channels"].append(channel)

    def skin(self, joints: list[int], inverse_binds: np.ndarray | None = None) -> None:
        entry: dict[str, Any] = {"joints": joints}
        if inverse_binds is not None:
            columns = np.asarray(inverse_binds).transpose(0, 2, 1).reshape(-1, 16)
            entry["inverseBindMatrices"] = self.accessor(columns)
        self.json.setdefault("skins", []).append(entry)

    def save(self, path: Path, uri: str | None = None) -> Path:
        text = base64.b64encode(bytes(self.data)).decode()
        uri = uri or f"data:application/octet-stream;base64,{text}"
        buffers = [{"byteLength": len(self.data), "uri": uri}] if self.data else []
        path.write_text(json.dumps({**self.json, "buffers": buffers}), encoding="utf-8")
        return path
