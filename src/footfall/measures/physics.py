"""Whether what a body does could be done: the net force and moment that the ground would have to
give, against what ground can give.

The whole body is taken together. Force is F = m (a - g) of the centre of mass; moment about it is
the rate of change of angular momentum, of segments after de Leva. From these come the zero moment
point, where the ground's force must act, the friction it needs, and what no contact can give: a
pull, friction beyond all shoes, and anything at all in flight. The latter is the root residual:
what a simulator would have to hold the root with.
Where we differ from inverse dynamics: joint torques are not needed for any of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.body.clip import Clip
from footfall.body.dynamics import RUN_HZ, WALK_HZ
from footfall.body.feet import mean_leg
from footfall.body.kinematics import world_velocities
from footfall.body.mass import BodySegment, centre_of_mass, segments
from footfall.body.touching import FOOT_HALF_WIDTH, LOADED, MOST_FRICTION
from footfall.gait.contacts import Contacts, find_contacts
from footfall.gait.flight import Flight
from footfall.maths.arrays import Bools, Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.quaternions import conjugate, rotate
from footfall.maths.signals import differentiate, low_pass
from footfall.measures.tracks import HEEL, FootTracks, foot_tracks
from footfall.world.scene import Scene

FLIGHT_MIDDLE = 0.7
END_S = 0.1
"""Accelerations are not measured this near to the ends of a clip."""


@dataclass(frozen=True)
class Physics:
    """How physical a clip is; bw is body weight, nan where it is not known.

    residual_force_bw        mean force that no contact can give, over all frames
    residual_force_max_bw    95th percentile of it
    residual_moment_bw_m     mean moment about the ground that no contact can give: weight times
                             how far the zero moment point is outside
    zmp_outside_mean_cm      how far the zero moment point is outside of the soles that touch, mean
                             of the frames in which they carry
    zmp_outside_max_cm       95th percentile of it
    friction_mean            horizontal by vertical force, mean of the frames in which soles carry
    friction_max             95th percentile of it
    flight_error             how far the acceleration in flights is off gravity, as a share of it
    flights                  how many flights that is of
    """

    residual_force_bw: float
    residual_force_max_bw: float
    residual_moment_bw_m: float
    zmp_outside_mean_cm: float
    zmp_outside_max_cm: float
    friction_mean: float
    friction_max: float
    flight_error: float
    flights: int


@dataclass(frozen=True, eq=False)
class Wrench:
    """What holds the body up, frame by frame, for a body of weight 1.

    centre    (T, 3) the centre of mass, metres
    force     (T, 3) that the ground must give, body weights
    zmp       (T, 2) where it must act, x and z, metres; far off where there is no load
    carried   (T,) whether soles touch
    outside   (T,) metres from the soles that touch to the zero moment point; nan without load
    """

    centre: Floats
    force: Floats
    zmp: Floats
    carried: Bools
    outside: Floats


def physics(
    clip: Clip, scene: Scene | None = None, *,
    tracks: FootTracks | None = None,
    contacts: Contacts | None = None,
) -> Physics:  # fmt: skip
    """Return how physical a clip is on a scene's ground, or on a plain."""
    contacts = contacts or find_contacts(clip)
    tracks = tracks or foot_tracks(clip, scene)
    if len(clip) < 8:
        nan = float("nan")
        return Physics(nan, nan, nan, nan, nan, nan, nan, nan, 0)
    wrench = ground_wrench(clip, tracks, running=bool(contacts.flights))
    inner = _inner(len(clip), clip.fps)
    residual = residual_force(wrench)[inner]
    up = wrench.force[inner, 1]
    loaded = wrench.carried[inner] & (up > LOADED)
    outside = wrench.outside[inner][loaded]
    friction = np.hypot(wrench.force[inner, 0], wrench.force[inner, 2])[loaded] / up[loaded]
    errors = flight_errors(contacts.flights, centre_of_mass(clip), clip.fps)
    return Physics(
        residual_force_bw=_mean(residual),
        residual_force_max_bw=_most(residual),
        residual_moment_bw_m=_mean(outside * up[loaded]),
        zmp_outside_mean_cm=100.0 * _mean(outside),
        zmp_outside_max_cm=100.0 * _most(outside),
        friction_mean=_mean(friction),
        friction_max=_most(friction),
        flight_error=_mean(errors),
        flights=len(errors),
    )


def ground_wrench(clip: Clip, tracks: FootTracks, *, running: bool = False) -> Wrench:
    """Return the ground's force and where it acts; `running` allows faster changes."""
    parts = segments(clip.skeleton, 1.0)
    cutoff = min(RUN_HZ if running else WALK_HZ, 0.4 * clip.fps)
    centre = low_pass(centre_of_mass(clip, parts), clip.fps, cutoff)
    acceleration = differentiate(differentiate(centre, clip.fps), clip.fps)
    force = acceleration / GRAVITY + np.array([0.0, 1.0, 0.0])
    spin = low_pass(angular_momentum(clip, parts), clip.fps, cutoff)
    moment = differentiate(spin, clip.fps) / GRAVITY
    touched = _touch_mask(tracks)
    carried: Bools = np.asarray(touched.any(axis=(1, 2)))
    soles = tracks.points[:, :, HEEL:]
    level = np.where(touched, soles[..., 1], np.nan).reshape(len(clip), -1)
    with np.errstate(all="ignore"):
        floor = np.where(carried, np.nansum(level, 1) / np.isfinite(level).sum(1), centre[:, 1])
    zmp = _zero_moment_point(centre, force, moment, floor)
    outside = np.full(len(clip), np.nan)
    told = carried & (force[:, 1] > LOADED)
    if told.any():
        reach = FOOT_HALF_WIDTH * mean_leg(clip.skeleton)
        places = soles[told][..., [0, 2]].reshape(int(told.sum()), -1, 2)
        off = _outside(zmp[told], places, touched[told].reshape(len(places), -1))
        outside[told] = np.maximum(off - reach, 0.0)
    return Wrench(centre, force, zmp, carried, outside)


def residual_force(wrench: Wrench) -> Floats:
    """Return (T,) body weights of the force that no contact can give.

    In flight all of it; under soles that touch, a pull, and what friction cannot hold.
    """
    level = np.hypot(wrench.force[:, 0], wrench.force[:, 2])
    up = np.maximum(wrench.force[:, 1], 0.0)
    slip = np.maximum(level - MOST_FRICTION * up, 0.0)
    beyond = np.hypot(slip, np.minimum(wrench.force[:, 1], 0.0))
    return np.where(wrench.carried, beyond, np.linalg.norm(wrench.force, axis=1))


def angular_momentum(clip: Clip, parts: Sequence[BodySegment]) -> Floats:
    """Return (T, 3) about the centre of mass, kg m²/s for segments in kg."""
    rates = world_velocities(clip).angular
    mass = np.array([part.mass_kg for part in parts])
    places = clip.world.points([p.joint for p in parts], np.stack([p.centre for p in parts]))
    arms = places - np.einsum("s,tsi->ti", mass / mass.sum(), places)[:, None]
    speeds = differentiate(arms, clip.fps)
    total = np.einsum("s,tsi->ti", mass, np.cross(arms, speeds))
    for part in parts:
        turn = clip.world.rotations[:, part.joint]
        own = rotate(conjugate(turn), rates[:, part.joint])
        total += rotate(turn, own @ part.inertia.T)
    return np.asarray(total)


def flight_errors(flights: Sequence[Flight], centre: Floats, fps: float) -> Floats:
    """Return (N,) |a - g| / g over the middle of each flight that is long enough.

    The acceleration is that of the parabola that fits the centre of mass (T, 3) best.
    """
    out = []
    for flight in flights:
        trim = 0.5 * (1.0 - FLIGHT_MIDDLE) * flight.seconds
        first = int(np.ceil((flight.begin_s + trim) * fps - 1e-6))
        stop = int(np.floor((flight.end_s - trim) * fps + 1e-6)) + 1
        if stop - first < 3:
            continue
        time = np.arange(stop - first) / fps
        curve = np.polynomial.polynomial.polyfit(time, centre[first:stop], 2)
        off = 2.0 * curve[2] + np.array([0.0, GRAVITY, 0.0])
        out.append(float(np.linalg.norm(off)) / GRAVITY)
    return np.array(out)


def _touch_mask(tracks: FootTracks) -> Bools:
    """Return (T, 2, 3) which of heel, ball and tip of each foot touch; toes are ball and tip."""
    contacts = tracks.contacts.reshape(-1, 2, 2)
    return np.stack([contacts[..., 0], contacts[..., 1], contacts[..., 1]], axis=2)


def _zero_moment_point(centre: Floats, force: Floats, moment: Floats, floor: Floats) -> Floats:
    """Return (T, 2) points where the ground's force only twists about the vertical."""
    up = np.where(np.abs(force[:, 1]) > 0.05, force[:, 1], 0.05)
    height = centre[:, 1] - floor
    x = centre[:, 0] - (height * force[:, 0] - moment[:, 2]) / up
    z = centre[:, 2] - (height * force[:, 2] + moment[:, 0]) / up
    return np.stack([x, z], axis=1)


def _outside(points: Floats, corners: Floats, used: Bools) -> Floats:
    """Return (T,) metres from points (T, 2) to the hull of the used corners (T, C, 2)."""
    import shapely

    # A corner that is not used is put onto one that is.
    first = corners[np.arange(len(corners)), used.argmax(axis=1)]
    corners = np.where(used[..., None], corners, first[:, None])
    count = corners.shape[1]
    index = np.repeat(np.arange(len(corners)), count)
    places = np.asarray(shapely.points(corners.reshape(-1, 2)))
    hulls = shapely.convex_hull(shapely.multipoints(places, indices=index))
    return np.asarray(shapely.distance(hulls, shapely.points(points)))


def _inner(frames: int, fps: float) -> slice:
    cut = min(round(END_S * fps), frames // 4)
    return slice(cut, frames - cut)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _most(values: Floats) -> float:
    return float(np.percentile(values, 95.0)) if len(values) else float("nan")
