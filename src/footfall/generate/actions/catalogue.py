"""The default actions: which clips there are, by name, with what they show and who uses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from footfall.body.clip import Clip
from footfall.errors import InputError, choices
from footfall.generate.actions.beams import beam
from footfall.generate.actions.crossing import step_over
from footfall.generate.actions.ducking import duck
from footfall.generate.actions.flights import hurdle, running_jump
from footfall.generate.actions.hopping import hop
from footfall.generate.actions.jumps import jump
from footfall.generate.actions.leaping import leap
from footfall.generate.actions.reaching import pick
from footfall.generate.actions.sitting import sit, sit_and_stand, stand_up
from footfall.generate.actions.stairs import stairs, step_off, step_onto
from footfall.generate.actions.turn_steps import pass_sideways, turn_sit
from footfall.generate.limits import keep_limits
from footfall.generate.performer import MEAN_PERFORMER, Performer

CHOI, SAFONOVA = "choi", "safonova"
"""Groups: the databases of Choi, Lee & Shin 2003 and of Safonova & Hodgins 2007."""
_LEAPS = (jump, running_jump, hop)


@dataclass(frozen=True)
class ActionEntry:
    """A default clip: its name, what it shows, the groups it belongs to, and how it is made."""

    name: str
    tags: tuple[str, ...]
    groups: tuple[str, ...]
    make: Callable[..., Clip]
    values: Mapping[str, Any]

    def clip(self, who: Performer = MEAN_PERFORMER, seed: int = 0) -> Clip:
        """The clip by a performer; its lengths are as much longer as the performer's legs, and
        jumps go as far as the performer's vigour takes them."""
        sizes = {
            "head_m": max(who.tallness, who.size),
            "reach_m": who.size * min(who.proportions["arms"], 1.0),
        }
        usual = who.size * (who.style.vigour if self.make in _LEAPS else 1.0)
        values = {
            name: sizes.get(name, usual) * value if name.endswith("_m") else value
            for name, value in self.values.items()
        }
        clip = keep_limits(lambda own: self.make(**values, who=own, seed=seed), who)
        return clip.named(self.name).tagged((*self.tags, *self.groups))


def _entries() -> dict[str, ActionEntry]:
    found: dict[str, ActionEntry] = {}

    def put(
        name: str, make: Callable[..., Clip], tags: tuple[str, ...], *groups: str, **values: object
    ) -> None:
        found[name] = ActionEntry(name, tags, groups, make, values)

    both = CHOI, SAFONOVA
    for length in (0.0, 0.3, 0.5, 0.8, 1.1, 1.4):
        put(f"jump_{length:.1f}", jump, ("jump",), *both, length_m=length)
    for side in ("left", "right"):
        for length in (1.3, 1.6, 1.9):
            put(f"running_jump_{length:.1f}_{side}", running_jump, ("jump", "run"), CHOI,
                length_m=length, lead=side)  # fmt: skip
        for height in (0.3, 0.5):
            put(f"hurdle_{height:.1f}_{side}", hurdle, ("hurdle", "jump", "run"), CHOI,
                height_m=height, lead=side)  # fmt: skip
        put(f"hop_{side}", hop, ("hop",), CHOI, length_m=0.35, legs=side)
        for height in (0.15, 0.3, 0.38):
            for group, how in ((SAFONOVA, ""), (CHOI, "_walking")):
                put(f"step_over_{height:.2f}{how}_{side}", step_over, ("step_over", "walk"), group,
                    height_m=height, lead=side, in_stride=bool(how))  # fmt: skip
        for height in (0.15, 0.3, 0.45):
            put(f"step_onto_{height:.2f}_{side}", step_onto, ("step_up",), *both,
                height_m=height, lead=side)  # fmt: skip
        for height in (0.15, 0.3):
            put(f"step_off_{height:.2f}_{side}", step_off, ("step_down",), *both,
                height_m=height, lead=side)  # fmt: skip
        stair = {"rise_m": 0.17, "tread_m": 0.29, "lead": side}
        for way, down in (("up", False), ("down", True)):
            put(f"stairs_{way}_{side}", stairs, (f"step_{way}", "walk"), CHOI, down=down,
                in_stride=True, **stair)  # fmt: skip
        put(f"pass_{side}", pass_sideways, (f"sidestep_{side}", "walk"), CHOI, side=side)
        put(f"beam_{side}", beam, ("beam", "walk"), *both, step_m=0.38, lead=side)
        for head in (0.9, 1.05, 1.2, 1.35):
            # So that the depths between can be mixed of two that are alike enough.
            own = (SAFONOVA,) if head in (1.05, 1.35) else both
            put(f"duck_{head:g}_{side}", duck, ("duck", "walk"), *own, head_m=head,
                length_m=0.6, lead=side)  # fmt: skip
    put("hop_both", hop, ("hop",), CHOI, length_m=0.35)
    for height in (0.0, 0.25, 0.5, 0.75, 1.0, 1.3):
        # So near the shoulder an elbow would have to fold up altogether.
        nearest = 0.25 if height > 1.2 else 0.2
        for far in (nearest, 0.35, 0.5, 0.65 if height == 0.0 else 0.7):
            put(f"pick_{height:.2f}_{far:.2f}", pick, ("pick",), SAFONOVA, height_m=height,
                reach_m=far)  # fmt: skip
    for height in (0.0, 0.5, 1.0):
        put(f"pick_{height:.2f}_left", pick, ("pick",), SAFONOVA, height_m=height, reach_m=0.4,
            hand="left")  # fmt: skip
    for seat in (0.3, 0.38, 0.45, 0.52, 0.6):
        put(f"sit_{seat:.2f}", sit, ("sit_down", "sit"), SAFONOVA, seat_m=seat)
        put(f"stand_up_{seat:.2f}", stand_up, ("sit", "stand_up"), SAFONOVA, seat_m=seat)
    for side in ("left", "right"):
        for length in (0.9, 1.15, 1.4):
            put(f"leap_{length:g}_{side}", leap, ("jump", "walk"), *both, length_m=length,
                lead=side)  # fmt: skip
        for seat in (0.3, 0.45, 0.6):
            put(f"turn_sit_{seat:.2f}_{side}", turn_sit, ("sit_down", "sit"), SAFONOVA,
                seat_m=seat, side=side)  # fmt: skip
    put("sit_and_stand", sit_and_stand, ("sit_down", "sit", "stand_up"), SAFONOVA, seat_m=0.45)
    return found


ACTIONS: Mapping[str, ActionEntry] = _entries()
"""Every default action by name."""


def action_clip(name: str, who: Performer = MEAN_PERFORMER, seed: int = 0) -> Clip:
    """The default action called `name`."""
    if name not in ACTIONS:
        raise InputError(f"there is no default action {name!r}", remedy=choices(ACTIONS, name))
    return ACTIONS[name].clip(who, seed)


def action_names(group: str | None = None, tag: str | None = None) -> tuple[str, ...]:
    """The names of the default actions, of one group or with one tag if said so."""
    return tuple(
        entry.name
        for entry in ACTIONS.values()
        if (group is None or group in entry.groups) and (tag is None or tag in entry.tags)
    )
