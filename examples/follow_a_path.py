"""Follow a path drawn in an SVG file and save the walk, with a map from above."""

from pathlib import Path

from footfall import Follow, Query, load_path, plan
from footfall.verbs.plan_results import measures_of, save_plan

DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 1000" data-metres-per-unit="0.01">
  <path id="route" fill="none" stroke="black"
        d="M200 950 C200 750 330 700 300 500 S100 300 200 60"/>
</svg>
"""

Path("route.svg").write_text(DRAWING)
path = load_path("route.svg")
walk = plan(Query(stages=Follow(path.points)), library="default:basten")
if walk.clip is None:
    raise SystemExit(f"{walk.status}: {walk.reason}")
for name, value in measures_of(walk).items():
    print(f"{name:18} {value:.2f}")
save_plan(walk, ["route.glb", "route.bvh", "route.map.png", "route.timeline.png"])
