"""Read the motion of a BVH file, with code of its own.

Nothing here calls the package: the file is parsed here, and joints are placed by scipy's rotations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from bench.limits import plain
from bench.trials.world import Floats

METRES_PER_UNIT = 0.01
SIDES = plain.SIDES
_PARTS = {
    "hip": "UpLeg", "knee": "Leg", "ankle": "Foot", "toe": "ToeBase", "shoulder": "Arm",
    "elbow": "ForeArm", "wrist": "Hand",
}  # fmt: skip
ROLES = {
    "hips": "Hips", "chest": "Spine2", "neck": "Neck", "head": "Head",
    **{f"{s}_{role}": f"{s.title()}{name}" for s in SIDES for role, name in _PARTS.items()},
}  # fmt: skip


@dataclass(frozen=True)
class Motion:
    """The motion of a file: joints by role (T, 3), and the points of the soles.

    soles  side -> (T, 3, 3): heel, ball and the middle between them
    """

    body: plain.Body
    soles: dict[str, Floats]

    @property
    def seconds(self) -> float:
        return self.body.frames / self.body.fps

    def ground_path(self) -> Floats:
        """Return (T, 2) x and z of the root."""
        return np.asarray(self.body.at["hips"][:, [0, 2]])


@dataclass(frozen=True, eq=False)
class _Node:
    name: str
    parent: int
    offset: Floats
    channels: tuple[str, ...]


def read_motion(path: Path) -> Motion:
    """Return the motion of a BVH file in centimetres, Y up."""
    head, _, tail = path.read_text(encoding="utf-8").partition("MOTION")
    nodes = _read_nodes(head)
    words = tail.split()
    fps = 1.0 / float(words[words.index("Time:") + 1])
    values = np.array(words[words.index("Time:") + 2 :], dtype=np.float64)
    values = values.reshape(-1, sum(len(node.channels) for node in nodes))
    at, turns, local = _place(nodes, values)
    index = {node.name: n for n, node in enumerate(nodes)}
    roles = {role: index[name] for role, name in ROLES.items()}
    places = {role: at[:, j] for role, j in roles.items()}
    places["head_end"] = at[:, index["Head end"]]
    for side in SIDES:
        places[f"{side}_fingers"] = at[:, index[f"{side.title()}Hand end"]]
    rest = _rest(nodes)
    leg = float(np.linalg.norm(rest[roles["left_hip"]] - rest[roles["left_knee"]])
                + np.linalg.norm(rest[roles["left_knee"]] - rest[roles["left_ankle"]]))  # fmt: skip
    width = float(np.linalg.norm(rest[roles["left_hip"]] - rest[roles["right_hip"]]))
    body = plain.Body(
        places, local, tuple(node.name for node in nodes), roles, fps, leg, width, 0.0
    )
    return Motion(body, {side: _sole(side, body, at, turns, rest) for side in SIDES})


def _read_nodes(text: str) -> list[_Node]:
    nodes: list[_Node] = []
    stack: list[int] = []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT", "End"):
            above = stack[-1] if stack else -1
            name = f"{nodes[above].name} end" if words[0] == "End" else words[1]
            nodes.append(_Node(name, above, np.zeros(3), ()))
        elif words[0] == "{":
            stack.append(len(nodes) - 1)
        elif words[0] == "}":
            stack.pop()
        elif words[0] == "OFFSET":
            nodes[stack[-1]].offset[:] = METRES_PER_UNIT * np.array(words[1:4], dtype=np.float64)
        elif words[0] == "CHANNELS":
            old = nodes[stack[-1]]
            nodes[stack[-1]] = _Node(old.name, old.parent, old.offset, tuple(words[2:]))
    return nodes


def _place(nodes: list[_Node], values: Floats) -> tuple[Floats, list[Rotation], Floats]:
    """Return places (T, J, 3), turns in the world, and turns against the parent (T, J, 4)."""
    frames, column = len(values), 0
    at, local = np.zeros((frames, len(nodes), 3)), np.zeros((frames, len(nodes), 4))
    turns: list[Rotation] = []
    for n, node in enumerate(nodes):
        own = Rotation.identity(frames)
        offset = np.tile(node.offset, (frames, 1))
        for channel in node.channels:
            value, column = values[:, column], column + 1
            if channel.endswith("position"):
                offset[:, "XYZ".index(channel[0])] = METRES_PER_UNIT * value
            else:
                own = own * Rotation.from_euler(channel[0], value[:, None], degrees=True)
        local[:, n] = own.as_quat()[:, [3, 0, 1, 2]]
        if node.parent < 0:
            at[:, n], turn = offset, own
        else:
            at[:, n] = at[:, node.parent] + turns[node.parent].apply(offset)
            turn = turns[node.parent] * own
        turns.append(turn)
    return at, turns, local


def _rest(nodes: list[_Node]) -> Floats:
    rest = np.zeros((len(nodes), 3))
    for n, node in enumerate(nodes):
        rest[n] = node.offset + (rest[node.parent] if node.parent >= 0 else 0.0)
    return rest


def _sole(side: str, body: plain.Body, at: Floats, turns: list[Rotation], rest: Floats) -> Floats:
    """Return (T, 3, 3) heel, ball and the middle between them, on the sole of a foot at rest."""
    ankle, toe = body.roles[f"{side}_ankle"], body.roles[f"{side}_toe"]
    down = np.array([0.0, -0.089 * body.leg_m, 0.0])
    heel = down - np.array([0.0, 0.0, 0.065 * body.leg_m])
    ball = rest[ankle] + down - rest[toe]
    ball[[0, 2]] = 0.0
    points = at[:, ankle] + turns[ankle].apply(heel), at[:, toe] + turns[toe].apply(ball)
    return np.stack([*points, 0.5 * (points[0] + points[1])], axis=1)
