"""Find the up axis and the left side of a body in a file's world.

Names decide on left and right. Where they do not, or where the whole body is built as in a
mirror, the feet do: they point forward from their shanks, and forward from left and up is fixed.
None of this asks which way is up in the world, so stating the up axis never changes sides.
"""

from __future__ import annotations

import numpy as np

from footfall.body.axes import nearest_axis
from footfall.body.rest import facing, pose_reference, stance_problem
from footfall.body.roles import SIDES, joint_names, mirrored_role
from footfall.body.up_axis import PARTS, RATE_HZ, UpGuess, guess_up
from footfall.files.intake.rooting import RootedBody
from footfall.files.intake.sampling import sample_frames, sampled_positions
from footfall.maths.arrays import Floats, Ints

_BLOCKS, _BLOCK_FRAMES = 4, 90
_MIRRORED = 0.9  # the feet point backwards in more than this share of frames
_BENT = 0.03  # mean sine of the knees' bend that tells which way they bend
_LEG_PARTS = ("hip", "knee", "ankle", "toe")
_ARM_PARTS = ("clavicle", "shoulder", "elbow", "wrist")


def find_up(body: RootedBody, stated: str | None, fps: float, leg: float, unit_m: float) -> UpGuess:
    """Return the file's up axis, as stated or as the body shows it; a note where that is worth one.

    leg  the length of a leg in file units
    """
    if stated is not None or not body.skeleton.roles or not leg > 0.0:
        return UpGuess(stated or "y", True, "")
    frames, rate = _stretches(len(body.root), fps)
    places = _tracks(body, frames.reshape(-1)).reshape(*frames.shape, -1, 3)
    guess = guess_up(places, rate, leg, leg * unit_m, _rest_up(body))
    if not guess.sure:
        body.notes.append(
            f"which way is up is doubtful: {guess.axis} was taken, {guess.next_axis} is nearly as "
            f"likely; --source-up {guess.axis} or --source-up {guess.next_axis} settles it."
        )
    elif guess.axis != "y":
        body.notes.append(
            f"the body stands along {guess.axis}, so {guess.axis} was taken as up and turned to y."
        )
    return guess


def check_sides(body: RootedBody, by_hand: bool) -> None:
    """Exchange left and right where the body is mirrored, or names do not state sides.

    by_hand  a person named the joints: then it is only said
    """
    roles = body.skeleton.roles
    if not roles:
        return
    places = _tracks(body, sample_frames(len(body.root), 64))
    ahead, bend = _feet_ahead(places, [f"{s}_toe" in roles for s in SIDES]), _knee_bend(places)
    named = _named_parts(body)
    if not named["leg"] and not by_hand:
        _tell_sides(body, places, ahead, bend, arms=not named["arm"])
        return
    backwards = len(ahead) > 0 and float(np.mean(ahead < 0.0)) > _MIRRORED
    if not backwards or bend > _BENT:
        return
    if by_hand:
        body.notes.append("the feet point backwards: left and right may be exchanged.")
        return
    _exchange(body, _LEG_PARTS + _ARM_PARTS)
    body.notes.append(
        "the joints named left are on the right of where the feet point, as in a mirrored file, "
        "so left and right were exchanged."
    )


def _tell_sides(body: RootedBody, places: Floats, ahead: Floats, bend: float, arms: bool) -> None:
    """Find sides without names: of the legs by feet and knees, of the arms by hips."""
    vote = float(np.sign(ahead).mean()) if len(ahead) else 0.0
    legs = vote + np.clip(bend / _BENT, -0.5, 0.5) < 0.0
    if legs:
        _exchange(body, _LEG_PARTS)
    across = (places[:, 1] - places[:, 2]) * (-1.0 if legs else 1.0)
    shoulders = places[:, 9] - places[:, 10]
    if arms and float(np.einsum("fi,fi->f", across, shoulders).mean()) < 0.0:
        _exchange(body, _ARM_PARTS)


def _named_parts(body: RootedBody) -> dict[str, bool]:
    """Return whether the names of the legs' and of the arms' joints say their side."""
    names, roles = joint_names(body.skeleton.names), body.skeleton.roles
    return {
        limb: any(
            names[roles[f"{side}_{part}"]].side == side
            for side in SIDES
            for part in parts
            if f"{side}_{part}" in roles
        )
        for limb, parts in (("leg", _LEG_PARTS), ("arm", _ARM_PARTS))
    }


def _exchange(body: RootedBody, parts: tuple[str, ...]) -> None:
    roles = {
        mirrored_role(role) if role.partition("_")[2] in parts else role: joint
        for role, joint in body.skeleton.roles.items()
    }
    body.skeleton = body.skeleton.with_roles(roles)


def _feet_ahead(places: Floats, toes: list[bool]) -> Floats:
    """Return (N,) how far feet point forward of their shanks, for each foot and frame."""
    across = places[:, 1] - places[:, 2]
    found = [
        np.einsum(
            "fi,fi->f",
            np.cross(across, places[:, 3 + k] - places[:, 5 + k]),
            places[:, 7 + k] - places[:, 5 + k],
        )
        for k in range(2)
        if toes[k]
    ]
    return np.concatenate(found) if found else np.zeros(0)


def _knee_bend(places: Floats) -> float:
    """Mean sine of the knees' bend about the line of the hips, positive as knees bend."""
    across = _unit(places[:, 1] - places[:, 2])
    sines = [
        np.einsum("fi,fi->f", np.cross(_unit(thigh), _unit(shank)), across)
        for thigh, shank in (
            (places[:, 3 + k] - places[:, 1 + k], places[:, 5 + k] - places[:, 3 + k])
            for k in range(2)
        )
    ]
    return float(np.mean(sines))


def _rest_up(body: RootedBody) -> str:
    """Return the axis along which the file's rest pose stands; empty if nobody stands like that."""
    poses = [None] if body.rest_rotations is None else [body.rest_rotations, None]
    for local in poses:
        reference = pose_reference(body.skeleton, local)
        turn = facing(body.skeleton, reference)
        if not stance_problem(body.skeleton, reference, turn):
            return nearest_axis(turn[1])
    return ""


def _stretches(frames: int, fps: float) -> tuple[Ints, float]:
    """Return (B, F) frame indices in stretches at about `RATE_HZ`, and their rate.

    Without the first frame, which may be an inserted T-pose.
    """
    step = max(1, round(fps / RATE_HZ))
    every = np.arange(min(1, frames - 1), frames, step, dtype=np.int32)
    if len(every) > _BLOCKS * _BLOCK_FRAMES:
        starts = np.linspace(0, len(every) - _BLOCK_FRAMES, _BLOCKS).astype(np.int64)
        return every[starts[:, None] + np.arange(_BLOCK_FRAMES)], fps / step
    return every[None], fps / step


def _tracks(body: RootedBody, frames: Ints) -> Floats:
    """Return (F, 15, 3) where the head and `PARTS` of both sides are, in file units and axes."""
    roles = body.skeleton.roles
    joints = [roles.get("head", roles.get("neck", roles["chest"]))]
    for part in PARTS:
        for side in SIDES:
            joints.append(roles.get(f"{side}_{part}", roles[f"{side}_ankle"]))
    return sampled_positions(body.skeleton, body.keep, body.root, body.rotations, frames, joints)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))
