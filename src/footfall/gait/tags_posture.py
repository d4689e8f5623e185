"""Tags that come from how the body is held: ducking, crouching, picking, sitting."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from footfall.gait.tags import Sight, Tag
from footfall.maths.runs import runs, without_short_gaps

DUCK_HEAD, DUCK_WAY, DUCK_PACE = 0.8, 0.3, 0.25
DUCK_TRUNK = math.radians(38.0)
"""The head under this share of its height, the trunk bent, over this way (legs) at this pace."""
DUCK_NEAR_S = 1.5
CROUCH_HIPS, CROUCH_S = 0.6, 0.4
CRAWL_WAY, CRAWL_PACE, LIE_HIPS = 0.5, 0.1, 0.4
"""The least crawl, leg lengths and m/s, and the height of hips while lying."""
STANDING_HIPS = 0.97


def posture_tags(sight: Sight) -> Iterator[Tag]:
    """Yield all tags of this kind."""
    for find in (_tag_sitting, _tag_picks, _tag_ducks, _tag_crouches, _tag_lying):
        yield from find(sight)


def _tag_sitting(sight: Sight) -> Iterator[Tag]:
    fps = sight.fps
    up = sight.posture.hips > STANDING_HIPS
    for seat in (t for t in sight.touches if t.part == "seat"):
        height = f"hips at rest {100.0 * seat.height_m:.0f} cm high, weight behind the heels"
        yield Tag("sit", seat.begin_s, seat.end_s, height)
        first, last = sight.frame(seat.begin_s), sight.frame(seat.end_s)
        before, after = np.flatnonzero(up[:first]), np.flatnonzero(up[last:])
        if len(before):
            begin = float(before[-1]) / fps
            yield Tag("sit_down", begin, seat.begin_s, f"{seat.begin_s - begin:.1f} s down")
        if len(after):
            end = float(last + after[0]) / fps
            yield Tag("stand_up", seat.end_s, end, f"{end - seat.end_s:.1f} s up")


def _tag_picks(sight: Sight) -> Iterator[Tag]:
    for touch in (t for t in sight.touches if t.part != "seat"):
        name = touch.part.replace("_", " ")
        said = f"{name} stops {100.0 * touch.height_m:.0f} cm above the ground"
        yield Tag("pick", touch.begin_s, touch.end_s, said)


def _tag_ducks(sight: Sight) -> Iterator[Tag]:
    """Tag ducks: the head goes low while the body moves on, not to jump or to run off."""
    posture, motion, fps = sight.posture, sight.contacts.motion, sight.fps
    low = without_short_gaps((posture.head < DUCK_HEAD) & ~sight.down, 0.2 * fps)
    for first, stop in runs(low).tolist():
        way = motion.hips[stop - 1, [0, 2]] - motion.hips[first, [0, 2]]
        travelled = float(np.hypot(way[0], way[1])) / sight.leg_m
        begin, end = first / fps, (stop - 1) / fps
        leaps = any(f.begin_s < end + 0.5 and f.end_s > begin - 0.5 for f in sight.long_flights)
        bent = float(posture.trunk[first:stop].max())
        goes = sight.pace(begin, end) > DUCK_PACE and travelled > DUCK_WAY
        if goes and bent > DUCK_TRUNK and not leaps and _comes_up_again(sight, first, stop):
            share = 100.0 * float(posture.head[first:stop].min())
            said = f"head at {share:.0f} % of its height over {travelled * sight.leg_m:.2f} m"
            yield Tag("duck", begin, end, said)


def _comes_up_again(sight: Sight, first: int, stop: int) -> bool:
    """Return whether a body that is low in these frames is upright before and after.

    Upright again in the same direction: who brakes and turns back is low in between as well.
    """
    head, near = sight.posture.head, round(DUCK_NEAR_S * sight.fps)
    before, after = slice(max(first - near, 0), first), slice(stop, stop + near)
    if first == 0 or stop == len(head):
        return False
    least = float(head[first:stop].min())
    fall, rise = float(head[before].max()) - least, float(head[after].max()) - least
    hips = sight.contacts.motion.hips[:, [0, 2]]
    came, goes = hips[first] - hips[before.start], hips[min(after.stop, len(hips)) - 1] - hips[stop]
    onward = float(came @ goes) > -0.3 * float(np.linalg.norm(came) * np.linalg.norm(goes))
    way = sum(float(np.linalg.norm(part)) for part in (came, goes)) / sight.leg_m
    return rise > 0.5 * fall and fall > 0.1 and onward and way > DUCK_WAY


def _tag_lying(sight: Sight) -> Iterator[Tag]:
    """Tag crawling or lying; kneeling on hands and knees without moving is crouching."""
    hips, fps = sight.contacts.motion.hips[:, [0, 2]], sight.fps
    for first, stop in runs(sight.down).tolist():
        begin, end = first / fps, (stop - 1) / fps
        height = float(np.median(sight.posture.hips[first:stop]))
        way = hips[first:stop] - hips[first]
        far = float(np.hypot(way[:, 0], way[:, 1]).max()) / sight.leg_m
        said = f"trunk level, hips {100.0 * height:.0f} % of a leg high"
        if far > CRAWL_WAY and sight.pace(begin, end) > CRAWL_PACE:
            yield Tag("crawl", begin, end, f"{said}, {far * sight.leg_m:.2f} m on")
        elif end - begin > CROUCH_S:
            yield Tag("lie" if height < LIE_HIPS else "crouch", begin, end, said)


def _tag_crouches(sight: Sight) -> Iterator[Tag]:
    seats = [t for t in sight.touches if t.part == "seat"]
    fps = sight.fps
    for first, stop in runs((sight.posture.hips < CROUCH_HIPS) & ~sight.down).tolist():
        begin, end = first / fps, (stop - 1) / fps
        seated = any(t.begin_s < end and t.end_s > begin for t in seats)
        if end - begin > CROUCH_S and not seated:
            lowest = 100.0 * float(sight.posture.hips[first:stop].min())
            yield Tag("crouch", begin, end, f"hips {lowest:.0f} % of a leg high")
