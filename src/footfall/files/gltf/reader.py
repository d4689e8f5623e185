"""Reading glTF 2.0: from skins, nodes and animations to a raw motion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from footfall.errors import FileFormatError, InputError, choices
from footfall.files.gltf.container import GltfFile, item, open_gltf
from footfall.files.gltf.schema import Animation, Skin
from footfall.files.gltf.tree import (
    NodeTree,
    even_scale,
    joint_nodes,
    node_label,
    node_tree,
    split_matrix,
)  # fmt: skip
from footfall.files.intake.raw import (
    RawMotion,
    distinct,
    printable,
    stated_fps,
    stated_labels,
    stated_name,
    stated_tags,
)
from footfall.files.intake.tracks import Clock, KeyTrack, common_clock, sample
from footfall.files.options import ReadOptions
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import conjugate, continuous, multiply, rotate

MAX_JOINT_FRAMES = 1 << 24
"""Joints times frames that any file may unfold to; a file with more keys may go to 4 per key."""

_STILL = 1e-6
"""Metres (times the rig's scale) within which a translation counts as not moving."""
_END_NAME = re.compile(r"(_end\d*|[_ ]?nub|[_ ]?end[_ ]?site)$", re.IGNORECASE)
_WIDTHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}


Channels: TypeAlias = "dict[tuple[int, str], _KeyChannel]"


def read_gltf(path: Path, options: ReadOptions) -> RawMotion:
    """Return the motion of the skin, or of the animated nodes, that an animation moves most of."""
    file = open_gltf(path)
    tree = node_tree(file)
    notes: list[str] = []
    animation = _animation(file, options, notes)
    channels = _channels(file, animation) if animation else {}
    animated = {node for node, _ in channels}
    if not animated:
        notes.append("the file holds no animation; its rest pose is the only frame.")
    skin, wanted = _character(file, tree, animated, notes)
    nodes, left = joint_nodes(tree, wanted, animated)
    if left:
        notes.append(f"{left} joints that hang elsewhere in the scene were left out.")
    chosen = set(nodes)
    channels = {key: channel for key, channel in channels.items() if key[0] in chosen}
    facts = _facts(animation)
    clock = _clock(channels, facts, notes)
    _refuse_unfolding(clock, len(nodes), channels)
    return _assemble(_GltfRig(file, tree, skin, nodes, channels, clock, facts, notes))


def _animation(file: GltfFile, options: ReadOptions, notes: list[str]) -> Animation | None:
    animations = file.gltf.animations
    names = [printable(a.name) or f"animation {i}" for i, a in enumerate(animations)]
    if options.animation is not None:
        if options.animation not in names:
            raise InputError(
                f"the file has no animation {options.animation!r}",
                remedy=choices([n[:40] for n in names[:20]], options.animation),
            )
        return animations[names.index(options.animation)]
    if not animations:
        return None
    if len(names) > 1:
        others = ", ".join(n[:40] for n in names[1:9]) + (", …" if len(names) > 9 else "")
        notes.append(f"the animation {names[0][:40]!r} was taken; there are also: {others}.")
    return animations[0]


@dataclass(frozen=True, eq=False)
class _KeyChannel:
    """A track not yet read: its key times, and where its values are.

    Values are read joint by joint and let go again, so that a long clip is held once.
    """

    file: GltfFile
    times: Floats
    output: int
    interpolation: str
    path: str

    def load(self) -> KeyTrack:
        """Return the track itself, values checked; quaternions as w x y z."""
        where = f"accessors[{self.output}]"
        values = self.file.floats(self.output, _WIDTHS[self.path], self.path == "rotation")
        cubic = self.interpolation == "CUBICSPLINE"
        needed = len(self.times) * (3 if cubic else 1)
        if len(values) != needed:
            raise FileFormatError(
                f"it holds {len(values)} values for {len(self.times)} keys ({self.interpolation})",
                where=where, remedy=f"it must hold {needed}",
            )  # fmt: skip
        if np.abs(values).max() > 1e9:
            raise FileFormatError("it holds a number beyond 1e9", where=where)
        if self.path == "rotation":
            values = values[:, [3, 0, 1, 2]]
        track = KeyTrack(
            self.times,
            values.reshape(-1, 3, values.shape[1]) if cubic else values,
            self.interpolation,
        )
        if self.path == "rotation":
            lengths = np.linalg.norm(track.keys, axis=1)
            if lengths.min() < 1e-6:
                raise FileFormatError(
                    f"the rotation of key {lengths.argmin()} is zero", where=where
                )
        return track


def _channels(file: GltfFile, animation: Animation) -> Channels:
    """Return every translation, rotation and scale channel, by node and property."""
    channels: Channels = {}
    clocks: dict[int, Floats] = {}
    for channel in animation.channels:
        node, path = channel.target.node, channel.target.path
        if node is None or path not in _WIDTHS or (node, path) in channels:
            continue
        item(file.gltf.nodes, node, "nodes")
        sampler = item(animation.samplers, channel.sampler, "samplers")
        item(file.gltf.accessors, sampler.output, "accessors")
        if sampler.input not in clocks:
            clocks[sampler.input] = _key_times(file, sampler.input)
        times = clocks[sampler.input]
        channels[node, path] = _KeyChannel(file, times, sampler.output, sampler.interpolation, path)
    return channels


def _key_times(file: GltfFile, accessor: int) -> Floats:
    times = file.floats(accessor, "SCALAR")
    where = f"accessors[{accessor}]"
    if len(times) > 1 and np.diff(times).min() < 0.0:
        raise FileFormatError("its key times do not rise", where=where)
    if np.abs(times).max() > 1e7:
        raise FileFormatError("its key times are beyond 1e7 s", where=where)
    return times


def _character(
    file: GltfFile, tree: NodeTree, animated: set[int], notes: list[str]
) -> tuple[Skin | None, list[int]]:
    """Return the skin to take (None: plain nodes) and the nodes that are its joints."""
    skins = file.gltf.skins
    for skin in skins:
        for joint in skin.joints:
            item(file.gltf.nodes, joint, "nodes")
    if skins:
        best = max(skins, key=lambda s: (len(animated.intersection(s.joints)), len(s.joints)))
        joints = _with_kin(best, skins)
        if animated.intersection(joints) or not animated:
            apart = sum(not joints.intersection(s.joints) for s in skins)
            if apart:
                notes.append(f"{apart} more figures in the file were left out.")
            return best, sorted(joints | _named_ends(file, tree, joints, animated))
    if not animated:
        raise FileFormatError(
            "it holds neither a skin nor an animated node", remedy="export a rig with its animation"
        )
    return None, sorted(animated | _below(file, tree, animated))


def _with_kin(best: Skin, skins: list[Skin]) -> set[int]:
    """Return the joints of a skin and of skins that share joints (clothes, hair, second meshes)."""
    joints, rest = set(best.joints), [set(s.joints) for s in skins if s is not best]
    while kin := [s for s in rest if not joints.isdisjoint(s)]:
        joints.update(*kin)
        rest = [s for s in rest if joints.isdisjoint(s)]
    return joints


def _named_ends(file: GltfFile, tree: NodeTree, joints: set[int], animated: set[int]) -> set[int]:
    """Leaf nodes below a joint whose name says that they are the end of a bone."""
    return {
        index
        for index, node in enumerate(file.gltf.nodes)
        if tree.parents[index] in joints and index not in joints and index not in animated
        and not node.children and node.mesh is None and _END_NAME.search(node.name)
    }  # fmt: skip


def _below(file: GltfFile, tree: NodeTree, animated: set[int]) -> set[int]:
    """Return what hangs on animated nodes, meshes that are merely carried along left out."""
    found = set(animated)
    for index in tree.order:
        node = file.gltf.nodes[index]
        if tree.parents[index] in found and (node.mesh is None or node.children):
            found.add(index)
    return found


def _facts(animation: Animation | None) -> dict[str, Any]:
    """Return what Footfall itself wrote into the animation's extras."""
    extras = animation.extras if animation else None
    facts = extras.get("footfall") if isinstance(extras, dict) else None
    return facts if isinstance(facts, dict) else {}


def _clock(channels: Channels, facts: dict[str, Any], notes: list[str]) -> Clock:
    if not channels:
        return common_clock([np.zeros(1)])
    times = list({id(t.times): t.times for t in channels.values()}.values())
    stated = stated_fps(facts)
    if stated is not None:
        clock = common_clock(times, stated)
        # The statement is believed where the keys bear it out.
        if any(len(t) == clock.frames for t in times):
            return clock
    clock = common_clock(times)
    if not clock.regular:
        notes.append(f"the key times follow no frame rate; sampled at {clock.fps:g} fps.")
    return clock


def _refuse_unfolding(clock: Clock, joints: int, channels: Channels) -> None:
    accessors = {c.output: c.file.gltf.accessors[c.output] for c in channels.values()}
    keys = sum(a.count for a in accessors.values() if a.bufferView is not None)
    if clock.frames * joints > max(MAX_JOINT_FRAMES, 4 * keys):
        raise FileFormatError(
            f"its {keys} keys unfold to {clock.frames} frames of {joints} joints",
            remedy=f"at most {MAX_JOINT_FRAMES} joints times frames; check the key times",
        )


class _GltfRig:
    """What is known when the joints and the frames are chosen."""

    def __init__(
        self, file: GltfFile, tree: NodeTree, skin: Skin | None, nodes: list[int],
        channels: Channels, clock: Clock, facts: dict[str, Any], notes: list[str],
    ) -> None:  # fmt: skip
        self.file, self.tree, self.skin, self.nodes = file, tree, skin, nodes
        self.channels, self.clock, self.facts, self.notes = channels, clock, facts, notes
        place = {node: joint for joint, node in enumerate(nodes)}
        self.parents = [-1, *(place[tree.parents[n]] for n in nodes[1:])]
        self.carriers = set(self.parents)

    def track(self, joint: int, path: str) -> KeyTrack | None:
        """Return the keys of a joint's "translation", "rotation" or "scale"."""
        channel = self.channels.get((self.nodes[joint], path))
        return channel.load() if channel else None

    def label(self, joint: int) -> str:
        return node_label(self.file.gltf.nodes, self.nodes[joint])


def _assemble(rig: _GltfRig) -> RawMotion:
    tree, nodes, clock = rig.tree, rig.nodes, rig.clock
    above = _Above(rig)
    factors = _scales(rig, above.scale)
    offsets, translations = _translations(rig, factors, above)
    rotations = np.empty((clock.frames, len(nodes), 4))
    for joint, node in enumerate(nodes):
        track = rig.track(joint, "rotation")
        turns = sample(track, clock, True) if track else tree.rotations[node][None]
        rotations[:, joint] = multiply(above.rotation, turns) if joint == 0 else turns
        rotations[:, joint] = continuous(rotations[:, joint])
    rest = _rest_rotations(rig, above)
    names, keep, ends = _names_and_ends(rig)
    place = {joint: index for index, joint in enumerate(keep)}
    return RawMotion(
        format="glTF",
        names=tuple(names[j] for j in keep),
        parents=np.array([-1, *(place[rig.parents[j]] for j in keep[1:])], np.int32),
        offsets=offsets[keep],
        end_joints=np.array([place[rig.parents[j]] for j in ends], np.int32),
        end_offsets=offsets[ends].reshape(-1, 3),
        rotations=rotations if len(keep) == len(nodes) else rotations[:, keep],
        translations={place[j]: t for j, t in translations.items() if j in place},
        rest_rotations=rest[keep],
        fps=clock.fps,
        unit_m=1.0,
        up="y",
        **stated_labels(rig.facts, clock.frames, rig.notes),
        tags=stated_tags(rig.facts),
        name=stated_name(rig.facts),
        notes=tuple(rig.notes),
    )


class _Above:
    """The still transform of everything above the root joint: turn, factor and shift."""

    def __init__(self, rig: _GltfRig) -> None:
        self.rotation, self.scale, self.shift = np.array([1.0, 0.0, 0.0, 0.0]), 1.0, np.zeros(3)
        tree = rig.tree
        for node in reversed(tree.ancestors(rig.nodes[0])):
            self.shift = self.place(tree.translations[node])
            self.rotation = multiply(self.rotation, tree.rotations[node])
            self.scale *= even_scale(tree, rig.file.gltf.nodes, node, tree.scales[node])

    def place(self, points: Floats) -> Floats:
        """Points (..., 3) of the root's parent in the world."""
        return self.shift + rotate(self.rotation, self.scale * points)


def _scales(rig: _GltfRig, above: float) -> Floats:
    """Return (J,) the factor by which each joint's own translation is scaled in the world."""
    tree, everything = rig.tree, rig.file.gltf.nodes
    inner, outer = np.ones(len(rig.nodes)), np.full(len(rig.nodes), above)
    for joint, node in enumerate(rig.nodes):
        parent = rig.parents[joint]
        outer[joint] = inner[parent] if parent >= 0 else above
        scale = tree.scales[node]
        track = rig.track(joint, "scale")
        if track is not None:
            scale = track.keys[0]
            if joint in rig.carriers and np.ptp(track.keys, axis=0).max() > 1e-3:
                rig.notes.append(f"the changing scale of {rig.label(joint)} was left out.")
        if joint in rig.carriers:
            inner[joint] = outer[joint] * even_scale(tree, everything, node, scale)
    if not (np.abs(inner).min() > 1e-9 and np.abs(inner).max() < 1e9):
        raise FileFormatError("the scales of its nodes multiply to nothing or to beyond 1e9")
    return outer


def _translations(
    rig: _GltfRig, factors: Floats, above: _Above
) -> tuple[Floats, dict[int, Floats]]:
    """Return (J, 3) still offsets in metres, and (T, 3) per joint whose translation moves."""
    offsets = np.empty((len(rig.nodes), 3))
    moving: dict[int, Floats] = {}
    for joint, node in enumerate(rig.nodes):
        own = rig.tree.translations[node]
        track = rig.track(joint, "translation")
        path = sample(track, rig.clock, False) if track else None
        if joint == 0:
            offsets[0] = above.place(own)
            whole = path if path is not None else np.tile(own, (rig.clock.frames, 1))
            moving[0] = above.place(whole)
            continue
        offsets[joint] = own * factors[joint]
        if path is not None:
            path = path * factors[joint]
            if np.ptp(path, axis=0).max() <= _STILL * max(1.0, float(np.abs(path).max())):
                offsets[joint] = path[0]
            else:
                moving[joint] = path
    return offsets, moving


def _rest_rotations(rig: _GltfRig, above: _Above) -> Floats:
    """Return (J, 4) local rotations of the bind pose; without one, of the nodes.

    An inverse bind matrix takes the mesh to a joint, so a joint's bind rotation against its
    parent is known whatever space the mesh is in; only the root's own depends on that.
    """
    tree, nodes = rig.tree, rig.nodes
    rest = np.array(tree.rotations[nodes])
    rest[0] = multiply(above.rotation, rest[0])
    bind = _bind_rotations(rig)
    for joint, node in enumerate(nodes):
        parent = rig.parents[joint]
        if parent >= 0 and node in bind and nodes[parent] in bind:
            rest[joint] = multiply(conjugate(bind[nodes[parent]]), bind[node])
    if nodes[0] in bind:
        # The mesh stands in the world or below the same nodes as the skeleton: the one that
        # turns the root least from where its node stands.
        here = rest[0]
        spaces = (np.array([1.0, 0.0, 0.0, 0.0]), above.rotation)
        guesses = [multiply(space, bind[nodes[0]]) for space in spaces]
        rest[0] = max(guesses, key=lambda q: abs(float(q @ here)))
    return rest


def _bind_rotations(rig: _GltfRig) -> dict[int, Floats]:
    """Rotation of each bound node in the space of the mesh, from the inverse bind matrices."""
    skin = rig.skin
    if skin is None or skin.inverseBindMatrices is None:
        return {}
    matrices = rig.file.floats(skin.inverseBindMatrices, "MAT4")
    if len(matrices) < len(skin.joints):
        raise FileFormatError(
            f"it holds {len(matrices)} matrices for {len(skin.joints)} joints",
            where=f"accessors[{skin.inverseBindMatrices}]",
        )
    bound = {}
    for node, matrix in zip(skin.joints, matrices, strict=False):
        linear = matrix.reshape(4, 4).T[:3, :3]
        turn, _, rigid = split_matrix(linear)
        if not rigid:
            rig.notes.append("the bind pose is sheared; the nodes' own rest pose was taken.")
            return {}
        bound[node] = conjugate(turn)
    return bound


def _names_and_ends(rig: _GltfRig) -> tuple[list[str], list[int], list[int]]:
    """Names of all joints, which of them stay joints, and which are end sites."""
    nodes, everything = rig.nodes, rig.file.gltf.nodes
    names = distinct((everything[n].name or f"node_{n}" for n in nodes), rig.notes)
    ours = _own_end_sites(rig.skin)
    moved = {node for node, path in rig.channels if path != "scale"}
    bound = set(rig.skin.joints) if rig.skin else set()
    ends = []
    for joint, node in enumerate(nodes):
        if joint == 0 or joint in rig.carriers or node in moved:
            continue
        above = names[rig.parents[joint]]
        by_name = re.fullmatch(re.escape(above) + r"_end\d*", names[joint])
        unbound = node not in bound and _END_NAME.search(names[joint])
        if node in ours if ours is not None else (by_name or unbound):
            ends.append(joint)
    lost = set(ends)
    return names, [j for j in range(len(nodes)) if j not in lost], ends


def _own_end_sites(skin: Skin | None) -> set[int] | None:
    """Return the nodes that Footfall wrote as end sites: the last ones of its skin."""
    extras = skin.extras if skin else None
    facts = extras.get("footfall") if isinstance(extras, dict) else None
    count = facts.get("end_sites") if isinstance(facts, dict) else None
    if skin is None or not isinstance(count, int) or not 0 <= count < len(skin.joints):
        return None
    return set(skin.joints[len(skin.joints) - count :])
