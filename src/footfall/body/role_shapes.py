"""Limbs found from the shape of the tree alone, for skeletons with unknown joint names.

A humanoid is a joint that carries two like chains (the legs) and a third branch, on which a
joint carries two like chains again (the arms). Within a limb the two longest bones of nearly
one length are thigh and shank, or upper arm and forearm.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats

if TYPE_CHECKING:
    from footfall.body.roles import JointName, Roles

_LIKE = 0.75  # two branches are like when the shorter reaches this part of the longer
_NEARLY = 0.8
_MOST_BRANCHES, _MOST_PAIRS = 12, 100


def reaches(skeleton: Skeleton) -> Floats:
    """Return (J,) the longest way along bones from each joint down to a leaf or end site."""
    reach = np.zeros(len(skeleton))
    np.maximum.at(reach, skeleton.end_joints, np.linalg.norm(skeleton.end_offsets, axis=1))
    length = np.linalg.norm(skeleton.offsets, axis=1)
    for joint in range(len(skeleton) - 1, 0, -1):
        parent = skeleton.parents[joint]
        reach[parent] = max(reach[parent], reach[joint] + length[joint])
    return reach


def main_chain(skeleton: Skeleton, reach: Floats, joint: int) -> list[int]:
    """Return the chain from `joint` down, always into the child that reaches farthest."""
    chain = [joint]
    while skeleton.children[chain[-1]]:
        chain.append(max(skeleton.children[chain[-1]], key=lambda c: _way(skeleton, reach, c)))
    return chain


def limbs_by_shape(skeleton: Skeleton, parts: tuple[JointName, ...], found: Roles) -> None:
    """Fill in the limbs that the names did not give, and say so in a note."""
    reach = reaches(skeleton)
    pairs = _pairs(skeleton, reach)
    spans = _spans(skeleton)
    best: tuple[float, tuple[int, int], tuple[int, int]] | None = None
    for legs, leg_size in pairs.items():
        for arms, arm_size in pairs.items():
            size = leg_size + arm_size
            if (best is None or size > best[0] * 1.0001) and _apart(skeleton, spans, legs, arms):
                best = (size, legs, arms)
    if best is None:
        return
    sided = _sides(skeleton, parts, found.joints, reach, best[1], best[2])
    guessed: list[str] = []
    for (side, limb), branch in sided.items():
        for role, joint in _joints_of(skeleton, reach, branch, limb):
            if f"{side}_{role}" not in found.joints:
                found.joints[f"{side}_{role}"] = joint
                guessed.append(f"{side} {role} = {skeleton.names[joint]}")
    if guessed:
        found.notes.append(
            "joint names were not recognised, so roles were taken from the skeleton's shape: "
            + ", ".join(guessed) + "."
        )  # fmt: skip


def _pairs(skeleton: Skeleton, reach: Floats) -> dict[tuple[int, int], float]:
    """Pairs of children that carry like branches with room for three joints, and how alike.

    No character has more than a few: of a bush only the branches and pairs that reach farthest are
    looked at, so that it costs no more than a body.
    """
    ways = reach + np.linalg.norm(skeleton.offsets, axis=1)
    depth = _depths(skeleton, ways)
    pairs: dict[tuple[int, int], float] = {}
    for children in skeleton.children:
        deep = [child for child in children if depth[child] >= 3]
        deep = sorted(sorted(deep, key=lambda j: -ways[j])[:_MOST_BRANCHES])
        for a, b in combinations(deep, 2):
            short, long = sorted((float(ways[a]), float(ways[b])))
            if short >= _LIKE * long > 0.0:
                fewer, more = sorted((depth[a], depth[b]))
                pairs[a, b] = short * (short / long) ** 4 * fewer / more
    kept = set(sorted(pairs, key=lambda pair: -pairs[pair])[:_MOST_PAIRS])
    return {pair: size for pair, size in pairs.items() if pair in kept}


def _depths(skeleton: Skeleton, ways: Floats) -> list[int]:
    """Return how many joints the main chain from each joint down has."""
    depth = [1] * len(skeleton)
    for joint in range(len(skeleton) - 1, -1, -1):
        if skeleton.children[joint]:
            depth[joint] = 1 + depth[max(skeleton.children[joint], key=lambda c: ways[c])]
    return depth


def _spans(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Return each joint's place in a walk through the tree, and the place after its last joint."""
    sizes = [1] * len(skeleton)
    for joint in range(len(skeleton) - 1, 0, -1):
        sizes[skeleton.parents[joint]] += sizes[joint]
    spans = [(0, len(skeleton))] * len(skeleton)
    for joint, children in enumerate(skeleton.children):
        at = spans[joint][0] + 1
        for child in children:
            spans[child] = (at, at + sizes[child])
            at += sizes[child]
    return spans


def _joints_of(skeleton: Skeleton, reach: Floats, branch: int, limb: str) -> list[tuple[str, int]]:
    """Return the three joints of a limb: those around its two longest neighbouring bones."""
    chain = main_chain(skeleton, reach, branch)
    bones = np.linalg.norm(skeleton.offsets[chain], axis=1)
    # Joints at their parent's place are passed over: they make no bone of their own.
    spread = [
        chain[0],
        *(j for j, b in zip(chain[1:], bones[1:], strict=True) if b > 1e-3 * reach[branch]),
    ]
    gaps = [
        float(np.linalg.norm(skeleton.rest_positions[b] - skeleton.rest_positions[a]))
        for a, b in pairwise(spread)
    ]
    if len(spread) < 3:
        return []
    shorter = [min(pair) for pair in pairwise(gaps)]
    first = int(np.argmax(shorter))
    if limb == "arm":  # a long clavicle may beat a short forearm
        first = max(k for k, size in enumerate(shorter) if size >= _NEARLY * shorter[first])
    chosen = spread[first : first + 3]
    names = ("hip", "knee", "ankle") if limb == "leg" else ("shoulder", "elbow", "wrist")
    return list(zip(names, chosen, strict=True))


def _sides(
    skeleton: Skeleton, parts: tuple[JointName, ...], known: dict[str, int], reach: Floats,
    legs: tuple[int, int], arms: tuple[int, int],
) -> dict[tuple[str, str], int]:  # fmt: skip
    """Return which of each pair is left: by words in names, known joints, or geometry."""
    left = _left_direction(skeleton, reach, legs, arms)
    out: dict[tuple[str, str], int] = {}
    for limb, (a, b) in (("leg", legs), ("arm", arms)):
        vote = 0.0
        for branch, sign in ((a, 1.0), (b, -1.0)):
            for joint in main_chain(skeleton, reach, branch):
                side = parts[joint].side
                vote += sign * ((side == "left") - (side == "right"))
                playing = [role for role, j in known.items() if j == joint]
                vote += sign * 10.0 * sum(1 if r.startswith("left") else -1 for r in playing)
        if vote == 0.0:
            chain_a, chain_b = (main_chain(skeleton, reach, j) for j in (a, b))
            gap = skeleton.rest_positions[chain_a].mean(0) - skeleton.rest_positions[chain_b].mean(
                0
            )
            vote = float(gap @ left)
        first, second = (a, b) if vote >= 0.0 else (b, a)
        out["left", limb], out["right", limb] = first, second
    return out


def _left_direction(
    skeleton: Skeleton, reach: Floats, legs: tuple[int, int], arms: tuple[int, int]
) -> Floats:
    """Up crossed with where the feet point; without feet, it is taken to face +z (y up)."""
    rest = skeleton.rest_positions
    up = rest[list(arms)].mean(0) - rest[list(legs)].mean(0)
    up = np.eye(3)[int(np.argmax(np.abs(up)))] * np.sign(up[int(np.argmax(np.abs(up)))] or 1.0)
    forward = np.zeros(3)
    for leg in legs:
        chain = main_chain(skeleton, reach, leg)
        joints = _joints_of(skeleton, reach, leg, "leg")
        if not joints:
            continue
        ankle = joints[2][1]
        tips = [rest[j] for j in chain[chain.index(ankle) + 1 :]]
        tips += [skeleton.rest_end_positions[e] for e in np.flatnonzero(np.isin(
            skeleton.end_joints, chain[chain.index(ankle) :]))]  # fmt: skip
        if tips:
            forward += tips[-1] - rest[ankle]
    forward -= up * float(forward @ up)
    if np.linalg.norm(forward) < 0.02 * float(reach.max()):
        forward = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.5 else np.array([0.0, -1.0, 0.0])
    return np.cross(up, forward)


def _apart(
    skeleton: Skeleton, spans: list[tuple[int, int]], legs: tuple[int, int], arms: tuple[int, int]
) -> bool:
    """Return whether the arms hang above the legs' joint, and none of the four holds another."""

    def below(joint: int, ancestor: int) -> bool:
        first, after = spans[ancestor]
        return first <= spans[joint][0] < after

    hips, chest = int(skeleton.parents[legs[0]]), int(skeleton.parents[arms[0]])
    if any(below(a, b) or below(b, a) for a in legs for b in arms):
        return False
    return below(chest, hips) and (chest != hips or _lower(skeleton, legs, arms))


def _lower(skeleton: Skeleton, legs: tuple[int, int], arms: tuple[int, int]) -> bool:
    """Return whether the legs' branches start below the arms' along the skeleton's tallest axis."""
    rest = skeleton.rest_positions
    axis = int(np.argmax(np.ptp(rest, axis=0)))
    return float(rest[list(legs), axis].sum()) < float(rest[list(arms), axis].sum())


def _way(skeleton: Skeleton, reach: Floats, joint: int) -> float:
    return float(reach[joint] + np.linalg.norm(skeleton.offsets[joint]))
