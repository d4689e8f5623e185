"""Two people change places through a gap that a cart leaves free only after a while."""

import numpy as np

from footfall import GoTo, Place, Query
from footfall.roadmap.store import scene_roadmap
from footfall.roadmap.together import plan_together
from footfall.task.verify import verify
from footfall.task.verify.people import nearest_meeting
from footfall.verbs.plan_results import save_plan
from footfall.world.moving import KeyedMotion
from footfall.world.obstacles import Obstacle, ObstaclePart, yaw_rotation
from footfall.world.scene import Scene, rectangle


def box(name, x, z, width, height, depth, motion=None):
    """An upright box that stands at a place, or moves."""
    half = np.array([width, height, depth]) / 2
    part = ObstaclePart("box", np.array([0.0, height / 2, 0.0]), half)
    return Obstacle("box", (part,), np.array([x, 0.0, z]), name=name, motion=motion)


ahead = yaw_rotation(0.0)
leaves = KeyedMotion(
    [0.0, 3.0, 6.0], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0, 0.0, 2.0]], [ahead, ahead, ahead]
)
walls = [box(name, x, 0.0, 2.2, 2.0, 0.2) for name, x in (("west wall", -1.9), ("east wall", 1.9))]
cart = box("cart", 0.0, 0.0, 0.9, 1.0, 0.7, leaves)
scene = Scene("gap", rectangle([-3.0, -3.5], [3.0, 3.5]), obstacles=(*walls, cart))
roadmap = scene_roadmap(scene, nodes=1000, more=300)  # of the walls: the cart goes away
queries = [
    Query(Place(0.0, -2.5, 0.0), GoTo(0.0, 2.5, 0.0), scene),
    Query(Place(0.4, 2.5, np.pi), GoTo(0.4, -2.5, np.pi), scene),
]
plans = plan_together(roadmap, scene, queries)
for number, plan in enumerate(plans, 1):
    if plan.clip is None:
        raise SystemExit(f"{plan.status}: {plan.reason}")
    waits = sum(s.stop - s.first for s in plan.segments if s.why == "wait") / plan.clip.fps
    print(f"person {number}: {plan.clip.seconds:.1f} s, of which {waits:.1f} s waiting")
    report = verify(plan.clip, None, scene, rests=(False, False))
    print("failures:", "; ".join(map(str, report.failures)) or "none")
    save_plan(plan, [f"person_{number}.glb", f"person_{number}.map.png"], scene)
met = nearest_meeting(plans[0].clip, plans[1].clip)
print(f"they come as near as {100 * met.distance_m:.0f} cm, after {met.seconds:.1f} s")
