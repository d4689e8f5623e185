"""Follow a path drawn in an SVG file and save the walk, with a map from above."""

from pathlib import Path

from footfall import Query, load_path, plan
from footfall.report.planning import measures_of, save_plan

DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 1000" data-metres-per-unit="0.01">
  <path id="way" fill="none" stroke="black"
        d="M200 950 C200 750 330 700 300 500 S100 300 200 60"/>
</svg>
"""

Path("way.svg").write_text(DRAWING)
path = load_path("way.svg")
walk = plan(Query(path=path.points), library="default:basten")
if walk.clip is None:
    raise SystemExit(f"{walk.status}: {walk.reason}")
for name, value in measures_of(walk).items():
    print(f"{name:18} {value:.2f}")
save_plan(walk, ["way.glb", "way.bvh", "way.map.png"])
