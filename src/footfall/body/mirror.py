"""Left and right: which joints of a skeleton are each other's mirror image."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats, Ints

_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}
_WORD = re.compile(r"left|right", re.IGNORECASE)
# Where names put a single letter: L_Hip hand_l arm.L, LHip lHip, ThumbL, and lhip as in ASF files.
_LETTERS = (
    re.compile(r"(?<![A-Za-z])[LR](?![A-Za-z])", re.IGNORECASE),
    re.compile(r"(?<![A-Za-z])[LRlr](?=[A-Z])"),
    re.compile(r"(?<=[a-z0-9])[LR]$"),
    re.compile(r"(?<![A-Za-z])[lr](?=[a-z])"),
)


def swap_left_right(text: str) -> str:
    """Return `text` with the words left and right exchanged, in the case they are written in."""
    return _WORD.sub(lambda match: _swap_side(match.group()), text)


def mirrored_names(name: str) -> Iterator[str]:
    """Yield what the joint on the other side may be called, the likeliest first."""
    if _WORD.search(name):
        yield swap_left_right(name)
    for letter in _LETTERS:
        if letter.search(name):
            yield letter.sub(lambda match: _swap_side(match.group()), name)


def mirrored_vectors(v: Floats) -> Floats:
    """Vectors or points (..., 3) mirrored across the plane x = 0."""
    return np.asarray(v * np.array([-1.0, 1.0, 1.0]))


def mirrored_rotations(q: Floats) -> Floats:
    """Rotations (..., 4) as seen in a mirror at the plane x = 0."""
    return np.asarray(q * np.array([1.0, 1.0, -1.0, -1.0]))


def partners(skeleton: Skeleton) -> Ints:
    """Return (J,) for each joint the index of its mirror image; itself if it has none.

    By roles first, with the joints on the way from them up to the trunk; then by names; then,
    for what hangs on paired joints (fingers, twists), by the shape of the tree and the place.
    """
    pairs = _Twins(skeleton)
    pairs.by_roles()
    pairs.by_names()
    pairs.by_shape()
    return pairs.partner


class _Twins:
    """Pairs found so far; `partner` is its own inverse at all times."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.partner = np.arange(len(skeleton), dtype=np.int32)
        self.central = {0}

    def free(self, joint: int) -> bool:
        return int(self.partner[joint]) == joint and joint not in self.central

    def join(self, a: int, b: int) -> None:
        self.partner[a], self.partner[b] = b, a

    def by_roles(self) -> None:
        skeleton = self.skeleton
        for role, joint in skeleton.roles.items():
            if not role.startswith(("left_", "right_")):
                # Whatever lies between the root and the trunk is central.
                self.central.update((joint, *skeleton.ancestors(joint)))
        for role, joint in skeleton.roles.items():
            other = skeleton.roles.get(swap_left_right(role), joint)
            a, b = joint, other
            # Up both sides at once, as long as each is on its own side.
            while a != b and self.free(a) and self.free(b) and not self._meet(a, b):
                self.join(a, b)
                a, b = int(skeleton.parents[a]), int(skeleton.parents[b])

    def by_names(self) -> None:
        index = {name: joint for joint, name in enumerate(self.skeleton.names)}
        for joint, name in enumerate(self.skeleton.names):
            if not self.free(joint):
                continue
            for other in (index.get(candidate, joint) for candidate in mirrored_names(name)):
                if other != joint and self.free(other) and not self._meet(joint, other):
                    self.join(joint, other)
                    break

    def by_shape(self) -> None:
        skeleton = self.skeleton
        shapes = _subtree_shapes(skeleton)
        for above in range(len(skeleton)):
            across = int(self.partner[above])
            if across <= above:  # once for each pair, parents first
                continue
            ours = [c for c in skeleton.children[above] if self.free(c)]
            theirs = [c for c in skeleton.children[across] if self.free(c)]
            alike = [(a, b) for a in ours for b in theirs if shapes[a] == shapes[b]]
            for a, b in sorted(alike, key=lambda pair: self._gap(*pair)):  # the nearest first
                if self.free(a) and self.free(b):
                    self.join(a, b)

    def _gap(self, a: int, b: int) -> float:
        """Return how far joint b is from where joint a's image would be, metres."""
        offsets = self.skeleton.offsets
        return float(np.linalg.norm(mirrored_vectors(offsets[a]) - offsets[b]))

    def _meet(self, a: int, b: int) -> bool:
        return self.skeleton.descends(a, b) or self.skeleton.descends(b, a)


def _subtree_shapes(skeleton: Skeleton) -> list[str]:
    """Return a text for each joint that is equal for subtrees of equal shape."""
    shapes = [""] * len(skeleton)
    for joint in range(len(skeleton) - 1, -1, -1):
        shapes[joint] = "(" + "".join(sorted(shapes[c] for c in skeleton.children[joint])) + ")"
    return shapes


def _swap_side(word: str) -> str:
    other = _OTHER[word.lower()]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
