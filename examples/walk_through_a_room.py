"""Walk from the door of a furnished room to its window, and to its table, touching nothing."""

from footfall import GoTo, Place, Query, load_scene, planner
from footfall.task.verify import verify
from footfall.verbs.plan_results import save_plan

room = load_scene("room")
stays = planner(scene=room)  # prepares once, answers often
for name in ("to the window", "to the table"):
    asked = room.query(name)
    start = Place(asked.start.x, asked.start.z, asked.start.yaw)
    walk = stays.plan(Query(start, GoTo(asked.goal.x, asked.goal.z)))
    if walk.clip is None:
        raise SystemExit(f"{walk.status}: {walk.reason}")
    print(f"{name}: {walk.clip.seconds:.1f} s, {len(walk.footprints)} footprints")
    for segment in walk.segments:
        print(f"  frames {segment.first:4} to {segment.stop:4}: {segment.why} {segment.label}")
    report = verify(walk.clip, None, room, rests=(False, False))
    print("failures:", "; ".join(map(str, report.failures)) or "none")
    stem = name.replace(" ", "_")
    save_plan(walk, [f"{stem}.glb", f"{stem}.map.png", f"{stem}.timeline.png"], room)
