"""Put a flat walk on hills: feet locked to the ground, body following; drawn in the scene.

python examples/walk_on_hills.py [CLIP] [SCENE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import footfall
from footfall.generate.gait.steady import steady
from footfall.render.in_scene import render_in_scene


def main(clip: str | None = None, scene: str = "hills") -> None:
    walk = steady("walk", 1.2, seconds=6.0) if clip is None else footfall.load(Path(clip))
    done = footfall.fit(walk, scene)
    print(f"climbs {done.climb_m:.2f} m, strides {done.strides:.0%} as long as on the flat")
    footfall.save(done.clip, "on_hills.bvh")
    done.save_with_scene("on_hills.glb")  # mannequin and ground in one file
    render_in_scene(done.clip, done.scene, "on_hills.png", size=(900, 450))


if __name__ == "__main__":
    main(*sys.argv[1:3])
