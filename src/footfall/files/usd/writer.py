"""Writing USD: a SkelRoot that holds a skeleton, its animation and, if given, a skinned body.

/Character            SkelRoot, the stage's default prim
  /Skeleton        joints as paths, bind and rest transforms, true names in jointNames
    /Motion        SkelAnimation, one sample per frame, time codes 0, 1, 2, …
  /Body            skinned mesh with one subset per material
  /Materials       UsdPreviewSurface
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdShade, UsdSkel, Vt

from footfall.body.clip import Clip
from footfall.body.mesh import Material, SkinnedMesh
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.atomic import atomic_file
from footfall.files.axes import in_file_axes, turn_up
from footfall.files.gltf.writer import end_site_names, float32_rotations
from footfall.files.intake.raw import clip_facts
from footfall.files.usd.layers import said_by
from footfall.maths.arrays import Floats


def write_usd(
    clip: Clip, path: Path, mesh: SkinnedMesh | None = None, *, unit_m: float = 1.0, up: str = "y"
) -> None:
    """Write a clip, and the body it moves, to a `.usd`, `.usda` or `.usdc` file."""
    with atomic_file(path) as temporary:
        try:
            # An empty file is in the way of a new stage.
            temporary.unlink()
            stage = Usd.Stage.CreateNew(str(temporary))
            _fill(stage, clip, mesh, unit_m, up)
            stage.GetRootLayer().Save()
        except Tf.ErrorException as error:
            raise InputError(f"USD cannot write it ({said_by(error)})", where=path.name) from None


def _fill(stage: Any, clip: Clip, mesh: SkinnedMesh | None, unit_m: float, up: str) -> None:
    moved = in_file_axes(clip, unit_m, up)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z if up == "z" else UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, unit_m)
    stage.SetTimeCodesPerSecond(clip.fps)
    stage.SetFramesPerSecond(clip.fps)
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(float(len(clip) - 1))
    character = UsdSkel.Root.Define(stage, "/Character")
    stage.SetDefaultPrim(character.GetPrim())
    skeleton = _add_skeleton(stage, moved.skeleton)
    _add_motion(stage, moved, skeleton)
    if mesh is not None and len(mesh.mesh.triangles):
        _add_body(stage, mesh, unit_m, up, skeleton)


def _joint_paths(skeleton: Skeleton, names: tuple[str, ...]) -> list[str]:
    """J + E paths like "Hips/Spine/Head"; names that USD does not allow are made so."""
    parents = [*skeleton.parents.tolist(), *skeleton.end_joints.tolist()]
    paths: list[str] = []
    taken: set[str] = set()
    for name, parent in zip(names, parents, strict=True):
        stem = Tf.MakeValidIdentifier(name)
        base = f"{paths[parent]}/{stem}" if parent >= 0 else stem
        path, number = base, 2
        while path in taken:
            path, number = f"{base}_{number}", number + 1
        taken.add(path)
        paths.append(path)
    return paths


def _add_skeleton(stage: Any, skeleton: Skeleton) -> Any:
    names = skeleton.names + end_site_names(skeleton)
    prim = UsdSkel.Skeleton.Define(stage, "/Character/Skeleton")
    prim.CreateJointsAttr(Vt.TokenArray(_joint_paths(skeleton, names)))
    prim.CreateJointNamesAttr(Vt.TokenArray(list(names)))
    bind = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    rest = np.concatenate([skeleton.offsets, skeleton.end_offsets])
    prim.CreateBindTransformsAttr(_translations_as_matrices(bind))
    prim.CreateRestTransformsAttr(_translations_as_matrices(rest))
    facts = json.dumps({"end_sites": len(skeleton.end_joints)})
    prim.GetPrim().SetCustomDataByKey("footfall", facts)
    return prim


def _translations_as_matrices(positions: Floats) -> Any:
    matrices = np.tile(np.eye(4), (len(positions), 1, 1))
    matrices[:, 3, :3] = positions  # USD's vectors are rows
    return Vt.Matrix4dArray.FromNumpy(matrices)


def _add_motion(stage: Any, clip: Clip, skeleton: Any) -> None:
    motion = UsdSkel.Animation.Define(stage, "/Character/Skeleton/Motion")
    joints = len(clip.skeleton)
    motion.CreateJointsAttr(Vt.TokenArray(list(skeleton.GetJointsAttr().Get())[:joints]))
    ones = np.ones((joints, 3), np.float16)
    motion.CreateScalesAttr(Vt.Vec3hArray.FromNumpy(ones))
    turns = float32_rotations(clip.rotations)
    places = clip.skeleton.offsets.astype(np.float32)
    translations, rotations = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
    with Sdf.ChangeBlock():
        for frame in range(len(clip)):
            places[0] = clip.root[frame]
            translations.Set(Vt.Vec3fArray.FromNumpy(places), float(frame))
            quaternions = np.ascontiguousarray(turns[:, frame])
            rotations.Set(Vt.QuatfArray.FromNumpy(quaternions), float(frame))
    motion.GetPrim().SetCustomDataByKey("footfall", json.dumps(clip_facts(clip)))
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([motion.GetPath()])


def _add_body(stage: Any, skin: SkinnedMesh, unit_m: float, up: str, skeleton: Any) -> None:
    mesh = skin.mesh
    points = (turn_up(mesh.vertices, up) / unit_m).astype(np.float32)
    body = UsdGeom.Mesh.Define(stage, "/Character/Body")
    body.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    body.CreateFaceVertexCountsAttr(Vt.IntArray([3] * len(mesh.triangles)))
    body.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(mesh.triangles.reshape(-1).copy()))
    body.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(turn_up(mesh.normals, up).astype(np.float32)))
    body.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    body.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    body.CreateExtentAttr([Gf.Vec3f(*low), Gf.Vec3f(*high)])
    binding = UsdSkel.BindingAPI.Apply(body.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    joints = np.where(skin.weights > 0.0, skin.joints, 0).astype(np.int32)
    indices = binding.CreateJointIndicesPrimvar(False, 4)
    indices.Set(Vt.IntArray.FromNumpy(joints.reshape(-1)))
    weights = binding.CreateJointWeightsPrimvar(False, 4)
    weights.Set(Vt.FloatArray.FromNumpy(skin.weights.astype(np.float32).reshape(-1)))
    for index, material in enumerate(mesh.materials):
        faces = np.flatnonzero(mesh.face_materials == index).astype(np.int32)
        if len(faces):
            _paint(stage, body, index, material, faces)


def _paint(stage: Any, body: Any, index: int, material: Material, faces: Any) -> None:
    name = f"{Tf.MakeValidIdentifier(material.name)}_{index}"
    surface = UsdShade.Material.Define(stage, f"/Character/Materials/{name}")
    shader = UsdShade.Shader.Define(stage, f"/Character/Materials/{name}/Surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    kinds = Sdf.ValueTypeNames
    shader.CreateInput("diffuseColor", kinds.Color3f).Set(Gf.Vec3f(*material.colour))
    shader.CreateInput("roughness", kinds.Float).Set(material.roughness)
    shader.CreateInput("metallic", kinds.Float).Set(material.metalness)
    surface.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    subset = UsdShade.MaterialBindingAPI.Apply(body.GetPrim()).CreateMaterialBindSubset(
        name, Vt.IntArray.FromNumpy(faces), UsdGeom.Tokens.face
    )
    UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(surface)
