"""Walk from the door of a furnished room to its window without touching anything."""

from footfall import Place, Query, load_scene, plan
from footfall.planning import check_motion
from footfall.report.planning import save_plan

room = load_scene("room")
asked = room.query("to the window")
walk = plan(
    Query(
        start=Place(asked.start.x, asked.start.z, asked.start.yaw),
        goal=Place(asked.goal.x, asked.goal.z),
        scene=room,
    )
)
if walk.clip is None:
    raise SystemExit(f"{walk.status}: {walk.reason}")
print(f"{walk.clip.seconds:.1f} s, {len(walk.footprints)} footprints")
for segment in walk.segments:
    print(f"  frames {segment.first:4} to {segment.stop:4}: {segment.why} {segment.clip}")
print("touches:", ", ".join(check_motion(walk, room)) or "nothing")
save_plan(walk, ["through_the_room.glb", "through_the_room.map.png"], room)
