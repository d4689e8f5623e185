"""Where the things of the default actions are, as their documentation says."""

from __future__ import annotations

from footfall.generate.actions.catalogue import ACTIONS
from footfall.maths.constants import MEAN_LEG_M as LEG
from tests.generate.solid import Box

FAR = 5.0


def value(name: str, key: str, otherwise: float) -> float:
    """A parameter of a default action."""
    return float(ACTIONS[name].values.get(key, otherwise))


def _slab(z0: float, z1: float, y0: float, y1: float) -> Box:
    return Box((-FAR, y0, z0), (FAR, y1, z1))


def _stairs(name: str, rise: float = 0.17, tread: float = 0.29, count: int = 4) -> list[Box]:
    if name.startswith("stairs_up"):
        first = 0.45 * LEG
        return [_slab(first + n * tread, FAR, -FAR, (n + 1) * rise) for n in range(count)]
    first = 0.26 * LEG
    return [_slab(-FAR, first + n * tread, -FAR, (count - n) * rise) for n in range(count)]


def things(name: str) -> list[Box]:
    """What the body of a default action must not be in."""
    height = value(name, "height_m", 0.0)
    if name.startswith("step_over"):
        return [_slab(1.3 * LEG - 0.04, 1.3 * LEG + 0.04, -FAR, height)]
    if name.startswith("hurdle"):
        return [_slab(1.3 * LEG - 0.02, 1.3 * LEG + 0.02, -FAR, height)]
    if name.startswith("step_onto"):
        return [_slab(0.5 * LEG, FAR, -FAR, height)]
    if name.startswith("step_off"):
        return [_slab(-FAR, 0.3 * LEG, -FAR, height)]
    if name.startswith("stairs"):
        return _stairs(name)
    if name.startswith("duck"):
        middle = 1.75 * LEG
        return [_slab(middle - 0.3, middle + 0.3, value(name, "head_m", 1.15), FAR)]
    if name.startswith(("sit", "stand_up")):
        seat = value(name, "seat_m", 0.45)
        back = (0.2 * (seat + 0.09) / LEG - 0.44) * LEG
        # On high seats people perch on the edge.
        front = back + (0.12 if seat < 0.5 else 0.02)
        return [Box((-0.25, 0.0, back - 0.25), (0.25, seat, front))]
    if name.startswith("turn_sit"):
        seat = value(name, "seat_m", 0.45)
        sign = 1.0 if name.endswith("left") else -1.0
        x, z = sign * 0.12 * LEG, (1.3175 + 0.44) * LEG - 0.2 * (seat + 0.09)
        front = z - (0.12 if seat < 0.5 else 0.02)
        return [Box((x - 0.25, 0.0, front), (x + 0.25, seat, z + 0.25))]
    return []
