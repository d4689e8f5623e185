"""Cross a crevice and come back: nobody can simply walk there, so a foothold roadmap is taken."""

from footfall import GoTo, Place, Query, load_scene, planner
from footfall.render.together import save_together
from footfall.verbs.plan_results import save_plan

scene = load_scene("crevice")
stays = planner(scene=scene)  # one roadmap, which is kept for the next time, answers both
found = []
for asked in scene.queries:
    start = Place(asked.start.x, asked.start.z, asked.start.yaw)
    plan = stays.plan(Query(start, GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw)))
    print(f"{asked.name}: {plan.status} {plan.reason} by {plan.method}, for {plan.choice}")
    if plan.clip is None:
        continue
    for segment in plan.segments:
        print(f"  frames {segment.first:4} to {segment.stop:4}: {segment.label}")
    found.append(plan.clip.named(asked.name))
    save_plan(plan, [f"{asked.name}.bvh", f"{asked.name}.map.png"], scene)
save_together(found, scene, "crevice.glb")  # both play at once
