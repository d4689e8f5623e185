"""Find joint roles, such as the left ankle, from names, and check them against the tree.

Only the limbs and the head are looked for by name; everything else follows from the tree: the
hips are the lowest joint that carries both legs and the trunk, the chest the lowest joint that
carries both arms and the head. Skeletons with unknown names fall back to shape alone
(`footfall.body.role_shapes`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from footfall.body.role_names import (
    ARM,
    CENTRE_ROLES,
    CENTRE_WORDS,
    HEAD,
    LEFT_WORDS,
    LEG,
    NECK,
    OPTIONAL_ROLES,
    PREFERRED_PREFIX,
    PREFIX_WORDS,
    RIGHT_WORDS,
    ROLES,
    SIDE_ROLES,
    SIDES,
    SUFFIX_WORDS,
    TOE,
    VOCABULARY,
)  # fmt: skip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, MissingJointError, choices
from footfall.safe_open import read_regular
from footfall.toml import toml_table

__all__ = [
    "CENTRE_ROLES", "OPTIONAL_ROLES", "ROLES", "SIDES", "SIDE_ROLES", "JointName", "Roles",
    "check_roles", "find_roles", "identify_roles", "joint_names", "load_role_overrides",
    "mirrored_role", "missing_role", "missing_roles", "shared_ancestor",
]  # fmt: skip

_LEG_ROLES = ("hip", "knee", "ankle")
_ARM_ROLES = ("shoulder", "elbow", "wrist")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")


@dataclass(frozen=True)
class JointName:
    """A joint's name taken apart: side ("left", "right" or ""), core, and the rig's prefix."""

    side: str
    core: str
    prefix: str


@dataclass
class Roles:
    """Roles found so far (role -> joint index), and a sentence for each thing worth saying."""

    joints: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def find_roles(skeleton: Skeleton, overrides: Mapping[str, str] | None = None) -> dict[str, int]:
    """Role -> joint index; empty when the skeleton is not a humanoid.

    `overrides` names joints by hand (role -> joint name) and always wins.
    """
    return identify_roles(skeleton, overrides).joints


def identify_roles(skeleton: Skeleton, overrides: Mapping[str, str] | None = None) -> Roles:
    """Like `find_roles`, with notes on what was guessed or is missing."""
    from footfall.body.role_shapes import limbs_by_shape

    found = Roles(_fixed_by_hand(skeleton, overrides or {}))
    parts = joint_names(skeleton.names)
    for side in SIDES:
        _find_limb(skeleton, parts, found.joints, side, _LEG_ROLES, LEG)
        _find_limb(skeleton, parts, found.joints, side, _ARM_ROLES, ARM)
    if any(
        f"{side}_{role}" not in found.joints for side in SIDES for role in _LEG_ROLES + _ARM_ROLES
    ):
        limbs_by_shape(skeleton, parts, found)
    if any(
        f"{side}_{role}" not in found.joints for side in SIDES for role in _LEG_ROLES + _ARM_ROLES
    ):
        return _not_humanoid(skeleton, found)
    _find_trunk(skeleton, parts, found.joints)
    for side in SIDES:
        _find_toe(skeleton, parts, found.joints, side)
    if missing_roles(found.joints):
        return _not_humanoid(skeleton, found)
    problem = _tree_problem(skeleton, found.joints)
    if problem is not None and overrides:
        raise problem
    if problem is not None:
        note = f"the skeleton was not recognised as a humanoid: {problem}."
        return Roles({}, [*found.notes, note])
    found.joints = {role: found.joints[role] for role in ROLES if role in found.joints}
    return found


def missing_roles(roles: Mapping[str, int]) -> list[str]:
    """Return the required roles that no joint plays."""
    missing = [role for role in ROLES if role not in OPTIONAL_ROLES and role not in roles]
    return missing if "head" in roles or "neck" in roles else [*missing, "head"]


def check_roles(skeleton: Skeleton) -> None:
    """Refuse a skeleton whose roles are unknown, incomplete, or do not make a body."""
    unknown = sorted(skeleton.roles.keys() - set(ROLES))
    if unknown:
        raise InputError(f"there is no role {unknown[0]!r}", remedy=choices(ROLES, unknown[0]))
    if not skeleton.roles:
        return
    missing = missing_roles(skeleton.roles)
    if missing:
        raise InputError(f"no joint has the role {missing[0]}")
    problem = _tree_problem(skeleton, skeleton.roles)
    if problem is not None:
        raise problem


def missing_role(skeleton: Skeleton, role: str) -> MissingJointError:
    """Return the error that says which joint is missing and which joints might be meant."""
    if role not in ROLES:
        return MissingJointError(f"there is no role {role!r}", remedy=choices(ROLES, role))
    names = _candidates(skeleton, role)
    return MissingJointError(
        f"the skeleton has no joint that plays the {role.replace('_', ' ')}",
        remedy=f"name it in a role file, like [roles] {role} = {names[0]!r} "
        f"(joints to choose from: {', '.join(names)})",
    )


def require_humanoid(skeleton: Skeleton, where: str) -> None:
    """Refuse a skeleton without roles, and name the joints that are missing."""
    if not skeleton.roles:
        raise InputError(identify_roles(skeleton).notes[-1].rstrip("."), where=where)


def mirrored_role(role: str) -> str:
    """Return the same role on the other side; roles of the middle are their own mirror image."""
    side, _, rest = role.partition("_")
    return f"{SIDES[1 - SIDES.index(side)]}_{rest}" if side in SIDES else role


def load_role_overrides(path: str | Path) -> dict[str, str]:
    """Role -> joint name from a TOML file: a table `[roles]` with lines `left_ankle = "LFoot"`."""
    try:
        text = read_regular(path, 1 << 20).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8 text", where=str(path)) from None
    table = toml_table(text, str(path)).get("roles")
    if not isinstance(table, dict):
        raise InputError(
            "the role file has no table [roles]",
            where=str(path),
            remedy='it holds lines like left_ankle = "LFoot" under [roles]',
        )
    for role, joint in table.items():
        if role not in ROLES:
            raise InputError(
                f"there is no role {role!r}", where=str(path), remedy=choices(ROLES, role)
            )
        if not isinstance(joint, str):
            raise InputError(f"{role} is {joint!r}", where=str(path), remedy="give a joint's name")
    return dict(table)


@lru_cache(maxsize=64)
def joint_names(names: tuple[str, ...]) -> tuple[JointName, ...]:
    """Return every name split into words, without those that most of the names share."""
    words = [_words(name) for name in names]
    while len(words) > 3:
        firsts = [w[0].lower() for w in words if len(w) > 1]
        top = max(set(firsts), key=firsts.count, default="")
        shared = firsts.count(top) > 0.6 * len(words) and top not in VOCABULARY
        if not shared or top in LEFT_WORDS or top in RIGHT_WORDS:
            break
        words = [w[1:] if len(w) > 1 and w[0].lower() == top else w for w in words]
    return tuple(_taken_apart(w) for w in words)


def shared_ancestor(skeleton: Skeleton, *joints: int) -> int:
    """Return the lowest joint from which all `joints` descend (a joint descends from itself)."""
    common = joints[0]
    for joint in joints[1:]:
        while not skeleton.descends(joint, common):
            common = int(skeleton.parents[common])
    return common


def path_between(skeleton: Skeleton, ancestor: int, joint: int) -> list[int]:
    """Return the joints below `ancestor` down to and including `joint`."""
    joints = [joint, *skeleton.ancestors(joint)]
    return joints[: joints.index(ancestor)][::-1] if ancestor in joints else joints[::-1]


def _words(name: str) -> list[str]:
    bare = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    return _WORDS.findall(bare) or [bare]


def _taken_apart(words: list[str]) -> JointName:
    lower = [word.lower() for word in words]
    prefix: list[str] = []
    while len(lower) > 1 and (lower[0] in PREFIX_WORDS or (prefix and lower[0].isdigit())):
        prefix.append(lower.pop(0))
    while len(lower) > 1 and lower[-1] in SUFFIX_WORDS:
        lower.pop()
    if len(lower) > 1 and lower[0] in CENTRE_WORDS:
        lower.pop(0)
    side = ""
    for word in lower if len(lower) > 1 else []:
        if word in LEFT_WORDS or word in RIGHT_WORDS:
            side = "left" if word in LEFT_WORDS else "right"
            lower.remove(word)
            break
    core = "".join(lower)
    if not side:
        for letter, name in (("left", "left"), ("right", "right"), ("l", "left"), ("r", "right")):
            if core.startswith(letter) and core[len(letter) :] in VOCABULARY:
                side, core = name, core[len(letter) :]
                break
    return JointName(side, core, "".join(prefix))


def _fixed_by_hand(skeleton: Skeleton, overrides: Mapping[str, str]) -> dict[str, int]:
    fixed: dict[str, int] = {}
    for role, name in overrides.items():
        if role not in ROLES:
            raise InputError(f"there is no role {role!r}", remedy=choices(ROLES, role))
        if name not in skeleton.names:
            near = difflib.get_close_matches(name, skeleton.names, n=4, cutoff=0.3)
            raise InputError(
                f"role {role} names joint {name!r}, which the skeleton does not have",
                remedy=f"its nearest names are {', '.join(near or skeleton.names[:6])}",
            )
        fixed[role] = skeleton.names.index(name)
    return fixed


def _find_limb(
    skeleton: Skeleton, parts: tuple[JointName, ...], roles: dict[str, int], side: str,
    limb: tuple[str, ...], cores: tuple[tuple[str, ...], ...],
) -> None:  # fmt: skip
    """Fill in three roles of one limb if the names give a chain, each joint below the last."""
    best: tuple[tuple[int, ...], list[int]] | None = None
    ends = _by_name(parts, side, cores[2], roles.get(f"{side}_{limb[2]}"))
    for end, end_rank in ends:
        above = skeleton.ancestors(end)
        for middle, middle_rank in _by_name(parts, side, cores[1], roles.get(f"{side}_{limb[1]}")):
            if middle not in above:
                continue
            for top, top_rank in _by_name(parts, side, cores[0], roles.get(f"{side}_{limb[0]}")):
                if top not in above or top >= middle or not skeleton.descends(middle, top):
                    continue
                deforms = sum(parts[j].prefix != PREFERRED_PREFIX for j in (top, middle, end))
                rank = (deforms, end_rank + middle_rank + top_rank, end)
                if best is None or rank < best[0]:
                    best = (rank, [top, middle, end])
    if best is not None:
        for role, joint in zip(limb, best[1], strict=True):
            roles.setdefault(f"{side}_{role}", joint)


def _by_name(
    parts: tuple[JointName, ...], side: str, cores: tuple[str, ...], fixed: int | None = None
) -> list[tuple[int, int]]:
    """Joints on `side` with one of these cores, each with its core's rank; or the fixed one."""
    if fixed is not None:
        return [(fixed, 0)]
    return [
        (joint, cores.index(part.core))
        for joint, part in enumerate(parts)
        if part.side == side and part.core in cores
    ]


def _find_trunk(skeleton: Skeleton, parts: tuple[JointName, ...], roles: dict[str, int]) -> None:
    """Hips, spine, chest, neck, head and clavicles, from the tree between the limbs."""
    shoulders = shared_ancestor(skeleton, roles["left_shoulder"], roles["right_shoulder"])
    head = roles.get("head", _find_head(skeleton, parts, shoulders, roles))
    chest = shoulders if head is None else shared_ancestor(skeleton, shoulders, head)
    if parts[chest].core in NECK and chest > 0:  # Biped hangs the clavicles on the neck
        roles.setdefault("neck", chest)
        chest = int(skeleton.parents[chest])
    chest = roles.setdefault("chest", chest)
    hips = shared_ancestor(skeleton, roles["left_hip"], roles["right_hip"], chest)
    hips = roles.setdefault("hips", hips)
    trunk = path_between(skeleton, hips, chest)
    if len(trunk) > 1:
        roles.setdefault("spine", trunk[0])
    if head is not None:
        neck = path_between(skeleton, chest, head) if skeleton.descends(head, chest) else [head]
        if len(neck) > 1:
            roles.setdefault("neck", neck[0])
        is_neck = len(neck) == 1 and parts[head].core in NECK
        roles.setdefault("neck" if is_neck else "head", head)
    for side in SIDES:
        arm = path_between(skeleton, chest, roles[f"{side}_shoulder"])
        arm = [j for j in arm if j != roles.get("neck")]
        if len(arm) > 1:
            roles.setdefault(f"{side}_clavicle", arm[0])


def _find_head(
    skeleton: Skeleton, parts: tuple[JointName, ...], chest: int, roles: dict[str, int]
) -> int | None:
    """Return the head by name, else the end of the longest armless chain from the chest."""
    limbs = [roles[f"{side}_{role}"] for side in SIDES for role in ("shoulder", "hip")]
    for cores in (HEAD, NECK):
        named = [(cores.index(p.core), j) for j, p in enumerate(parts) if p.core in cores]
        named = [(r, j) for r, j in named if not any(skeleton.descends(j, k) for k in limbs)]
        if named:
            return min(named)[1]
    while chest >= 0:
        free = [
            child for child in skeleton.children[chest]
            if not any(skeleton.descends(limb, child) for limb in limbs)
        ]  # fmt: skip
        if free:
            from footfall.body.role_shapes import main_chain, reaches

            reach = reaches(skeleton)
            return main_chain(skeleton, reach, max(free, key=lambda child: reach[child]))[-1]
        if all(skeleton.descends(limb, chest) for limb in limbs):
            return None
        chest = int(skeleton.parents[chest])
    return None


def _find_toe(
    skeleton: Skeleton, parts: tuple[JointName, ...], roles: dict[str, int], side: str
) -> None:
    ankle = roles[f"{side}_ankle"]
    below = [
        (r, j) for j, r in _by_name(parts, side, TOE) if j != ankle and skeleton.descends(j, ankle)
    ]
    children = skeleton.children[ankle]
    if below:
        roles.setdefault(f"{side}_toe", min(below, key=lambda rj: rj[1])[1])
    elif len(children) == 1 and parts[children[0]].core not in ("heel",):
        roles.setdefault(f"{side}_toe", children[0])


def _tree_problem(skeleton: Skeleton, roles: Mapping[str, int]) -> InputError | None:
    """Return why the roles make no body: each joint must be below the one it hangs on."""
    above = {"elbow": "shoulder", "wrist": "elbow", "knee": "hip", "ankle": "knee", "toe": "ankle"}
    on_chest = ("neck", "head", "clavicle", "shoulder")
    for role in ROLES:
        side, _, part = role.rpartition("_")
        joint = roles.get(role, -1)
        carrier = "chest" if part in on_chest else "hips"
        carrier = f"{side}_{above[part]}" if part in above else carrier
        if joint < 0 or role == "hips" or (joint == roles["hips"] and role == "chest"):
            continue
        if joint == roles[carrier] or not skeleton.descends(joint, roles[carrier]):
            return InputError(
                f"joint {skeleton.names[joint]} cannot be the {role.replace('_', ' ')}",
                remedy=f"it does not hang below {skeleton.names[roles[carrier]]}, "
                f"the {carrier.replace('_', ' ')}",
            )
    return None


def _not_humanoid(skeleton: Skeleton, found: Roles) -> Roles:
    missing = missing_roles(found.joints)
    limbs = [role for role in missing if role.startswith(SIDES)]
    missing = limbs or missing  # the trunk is looked for after the limbs
    return Roles({}, [
        *found.notes,
        f"the skeleton was not recognised as a humanoid: no joint was found for "
        f"{', '.join(missing)} (name them in a role file, --roles, if it is one).",
    ])  # fmt: skip


def _candidates(skeleton: Skeleton, role: str) -> list[str]:
    """Joint names that may be meant by `role`: same side and like words first."""
    parts = joint_names(skeleton.names)
    side, _, rest = role.rpartition("_")
    cores = {
        **dict(zip(_LEG_ROLES, LEG, strict=True)), **dict(zip(_ARM_ROLES, ARM, strict=True)),
        "toe": TOE, "head": HEAD, "neck": NECK, "clavicle": ("clavicle", "collar", "shoulder"),
        "hips": ("hips", "pelvis", "root"), "chest": ("chest", "thorax", "spine2", "spine"),
        "spine": ("spine", "lowerback"),
    }[rest]  # fmt: skip
    taken = set(skeleton.roles.values())

    def unlikeness(joint: int) -> tuple[float, int]:
        like = max(difflib.SequenceMatcher(None, parts[joint].core, c).ratio() for c in cores)
        return (-like - (parts[joint].side == side) + 0.5 * (joint in taken), joint)

    ranked = sorted(range(len(skeleton)), key=unlikeness)
    return [skeleton.names[j] for j in ranked[:6]]
