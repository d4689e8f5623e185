"""The nodes of a glTF file: their tree, their transforms and which of them are the joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from footfall.errors import FileFormatError
from footfall.files.gltf.container import GltfFile, item
from footfall.files.gltf.schema import Node
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import from_matrix

MAX_JOINTS = 4096
"""A character of more joints, or a tree that is deeper, is refused."""

_UNEVEN = 2e-3
"""Relative difference between a node's scales along its axes that passes as rounding."""


@dataclass(frozen=True, eq=False)
class NodeTree:
    """N nodes.

    parents       (N) index of the parent, -1 at the top
    order         (N) parents before children, children in the order the file gives
    translations  (N, 3)    rotations (N, 4) w x y z    scales (N, 3)
    sheared       nodes whose matrix is no product of turn and scale
    """

    parents: list[int]
    order: list[int]
    translations: Floats
    rotations: Floats
    scales: Floats
    sheared: frozenset[int]

    def ancestors(self, node: int) -> list[int]:
        """Return the nodes above `node`, nearest first."""
        found: list[int] = []
        while (node := self.parents[node]) >= 0:
            found.append(node)
            if len(found) > MAX_JOINTS:
                raise FileFormatError(f"its nodes lie more than {MAX_JOINTS} deep")
        return found


def node_tree(file: GltfFile) -> NodeTree:
    """Return the checked tree of all nodes: one parent each, no cycles."""
    nodes = file.gltf.nodes
    if not nodes:
        raise FileFormatError("the file holds no nodes", remedy="it needs joints to move")
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for child in node.children:
            item(nodes, child, "nodes")
            if parents[child] >= 0:
                raise FileFormatError("it has two parents", where=node_label(nodes, child))
            parents[child] = index
    order = [n for n in range(len(nodes)) if parents[n] < 0]
    stack, order = order[::-1], []
    while stack:
        node_index = stack.pop()
        order.append(node_index)
        stack.extend(reversed(nodes[node_index].children))
    if len(order) < len(nodes):
        lost = min(set(range(len(nodes))) - set(order))
        raise FileFormatError("it is its own ancestor", where=node_label(nodes, lost))
    return _with_transforms(nodes, parents, order)


def node_label(nodes: list[Node], index: int) -> str:
    """Return a node as a person would look for it."""
    name = nodes[index].name[:60]
    return f"node {name!r}" if name else f"nodes[{index}]"


def _with_transforms(nodes: list[Node], parents: list[int], order: list[int]) -> NodeTree:
    count = len(nodes)
    translations, scales = np.zeros((count, 3)), np.ones((count, 3))
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
    sheared = set()
    for index, node in enumerate(nodes):
        if node.matrix is not None:
            matrix = np.array(node.matrix).reshape(4, 4).T
            translations[index] = matrix[:3, 3]
            turn, scale, rigid = split_matrix(matrix[:3, :3])
            rotations[index], scales[index] = turn, scale
            if not rigid:
                sheared.add(index)
            continue
        if node.translation is not None:
            translations[index] = node.translation
        if node.scale is not None:
            scales[index] = node.scale
        if node.rotation is not None:
            turn = np.array(node.rotation)[[3, 0, 1, 2]]
            # Scaled first, so that the length of huge numbers does not overflow.
            largest = float(np.abs(turn).max())
            if largest < 1e-12:
                raise FileFormatError("its rotation is zero", where=node_label(nodes, index))
            turn = turn / largest
            rotations[index] = turn / np.linalg.norm(turn)
    _refuse_huge(translations, scales, nodes)
    return NodeTree(parents, order, translations, rotations, scales, frozenset(sheared))


def _refuse_huge(translations: Floats, scales: Floats, nodes: list[Node]) -> None:
    """Products down the tree must stay finite."""
    far = np.flatnonzero(
        (np.abs(translations) > 1e9).any(axis=1) | (np.abs(scales) > 1e9).any(axis=1)
    )
    if far.size:
        raise FileFormatError(
            "its translation or scale is beyond 1e9", where=node_label(nodes, int(far[0]))
        )


def split_matrix(linear: Floats) -> tuple[Floats, Floats, bool]:
    """Quaternion, three scales and whether a 3 × 3 matrix is the product of just those two."""
    scale = np.sqrt((linear * linear).sum(axis=0))
    if not np.isfinite(scale).all() or scale.min() < 1e-9 or scale.max() > 1e9:
        return np.array([1.0, 0.0, 0.0, 0.0]), scale, False
    axes = linear / scale
    mirrored = np.linalg.det(axes) < 0.0
    if mirrored:
        scale, axes = -scale, -axes
    rigid = np.abs(axes.T @ axes - np.eye(3)).max() < 1e-3
    left, _, right = np.linalg.svd(axes)
    return from_matrix(left @ right), scale, bool(rigid)


def even_scale(tree: NodeTree, nodes: list[Node], index: int, scale: Floats) -> float:
    """Return the one factor by which a node scales what hangs on it."""
    label = node_label(nodes, index)
    remedy = "apply the scale in the tool it comes from and export again"
    if index in tree.sheared:
        raise FileFormatError("its matrix is sheared or flat", where=label, remedy=remedy)
    mean = float(np.mean(scale))
    if not np.isfinite(mean) or abs(mean) < 1e-9 or np.ptp(scale) > _UNEVEN * abs(mean):
        said = ", ".join(f"{s:.4g}" for s in scale)
        raise FileFormatError(f"its scale is uneven ({said})", where=label, remedy=remedy)
    if mean < 0.0:
        raise FileFormatError("its scale mirrors the character", where=label, remedy=remedy)
    return mean


def joint_nodes(tree: NodeTree, wanted: Iterable[int], animated: set[int]) -> tuple[list[int], int]:
    """Return the nodes from the root joint to all `wanted` ones, and the number left out.

    What lies between two wanted nodes belongs to the chain, and so does an animated node above
    them. Where they hang on several tops, the top that carries most of them is taken.
    """
    chosen = list(wanted)
    if len(chosen) > MAX_JOINTS:
        raise FileFormatError(
            f"the character has {len(chosen)} joints", remedy=f"at most {MAX_JOINTS}"
        )
    above = {n: [n, *tree.ancestors(n)] for n in chosen}
    tops: dict[int, list[int]] = {}
    for node, line in above.items():
        tops.setdefault(line[-1], []).append(node)
    best = max(tops.values(), key=len)
    common = set(above[best[0]])
    for node in best[1:]:
        common &= set(above[node])
    # The lowest common ancestor is the first of any line that all lines share.
    root = next(n for n in above[best[0]] if n in common)
    for ancestor in tree.ancestors(root):
        if ancestor in animated:
            root = ancestor
    kept: set[int] = {root}
    for node in best:
        for step in above[node]:
            if step in kept:
                break
            kept.add(step)
    by_index = sorted(kept)
    place = {n: i for i, n in enumerate(by_index)}
    parents_first = by_index[0] == root and all(
        place[tree.parents[n]] < place[n] for n in by_index if n != root
    )
    order = by_index if parents_first else [n for n in tree.order if n in kept]
    return order, len(above) - len(best)
