"""How often tags are right: found ones against the behaviours of the real clips' indexes.

`python -m tests.gait.tag_scores` prints the table of `docs/concepts/tags.md`. Rules were tuned on
one half of the clips (every other row of the indexes); the other half was held out.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from footfall.files.formats import load
from footfall.gait.tags import TAGS, find_tags, tag_names

PAUSES = "stand start stop"
TURNS = "turn_left turn_right curve_left curve_right turn_in_place_left turn_in_place_right"

# Behaviour, or a file where it shows something of its own: what must be found | what may be.
SHOWS = {
    "walk_straight": f"walk | {PAUSES}",
    "walk_start": "walk start | stand",
    "walk_stop": "walk stop | stand",
    "walk_start_stop": "walk start stop | stand",
    "walk_curve_left": "walk curve_left | stand start",
    "walk_curve_right": "walk curve_right | stand start",
    "walk_turn_left_tight": "walk turn_left | stand start",
    "walk_turn_right_tight": "walk turn_right | stand start",
    "walk_turn_around": "walk turn_right | stand start",
    "69_13.bvh": f"walk turn_in_place_left turn_in_place_right | {PAUSES}",
    "walk_backward": f"backward | {PAUSES}",
    "walk_backward_turn": "backward turn_right walk |",
    "turn_in_place_left": "turn_in_place_left | stand",
    "turn_in_place_right": "turn_in_place_right | stand",
    "sidestep_left": f"sidestep_left | step {PAUSES}",
    "sidestep_right": f"sidestep_right | step {PAUSES}",
    "69_59.bvh": "sidestep_left | turn_left curve_left",
    "69_57.bvh": "sidestep_right | turn_right curve_right",
    "sidestep_both": f"sidestep_left sidestep_right | {PAUSES}",
    "run_straight": "run |",
    "run_curve_left": "run curve_left |",
    "run_curve_right": "run curve_right |",
    "run_turn_left": "run turn_left |",
    "run_turn_right": "run turn_right |",
    "run_turn_around": "run turn_right |",
    "run_start": "run start | stand",
    "run_stop": "run stop | stand",
    "walk_to_run": "walk run |",
    "run_to_walk": "run walk |",
    "jump_forward": "jump | stand",
    "16_09.bvh": "jump | stand walk start",
    "jump_forward_walking": "walk jump |",
    "hurdle": "run hurdle | jump",
    "step_over": f"step_over walk | {PAUSES} {TURNS}",
    "108_19.bvh": "step_over | walk run jump hurdle",
    "duck_under": "duck | walk run crouch",
    "128_04.bvh": "duck run |",
    "crouch": "walk crouch | stand stop",
    "crouch_walk": f"crouch | {PAUSES}",
    "crawl": "crawl |",
    "lie_down": "lie |",
    "pick_up": f"pick | walk step crouch {PAUSES} {TURNS}",
    "sit_stand": f"sit stand_up | sit_down walk step {PAUSES} {TURNS}",
    "step_placement": "step | stand",
    "stairs_up": f"step_up | walk {PAUSES}",
    "stairs_up_down": f"step_up step_down | walk {PAUSES} {TURNS}",
    "uneven_terrain": "step_up step_down | walk step_over",
    "beam": f"beam | walk backward hop {PAUSES} {TURNS}",
}


@dataclass
class Score:
    """How often a tag was right, found where it does not belong, and missed; and where."""

    right: int = 0
    extra: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(self.right + len(self.extra), 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + len(self.missed), 1)


def rows(*folders: Path) -> list[tuple[Path, str]]:
    """Files and behaviours of the indexes of folders, in order."""
    found = []
    for folder in folders:
        with (folder / "INDEX.csv").open() as table:
            found += [(folder / r["file"], r["behaviour"]) for r in csv.DictReader(table)]
    return found


def score(clips: Iterable[tuple[str, str, set[str]]]) -> dict[str, Score]:
    """Tag -> score, of clips given by file, behaviour and the tags that were found."""
    scores: dict[str, Score] = defaultdict(Score)
    for file, behaviour, found in clips:
        must, may = (set(part.split()) for part in SHOWS.get(file, SHOWS.get(behaviour)).split("|"))
        for tag in must & found:
            scores[tag].right += 1
        for tag in must - found:
            scores[tag].missed.append(file)
        for tag in found - must - may:
            scores[tag].extra.append(file)
    return dict(scores)


def total(scores: dict[str, Score]) -> Score:
    """All tags as one."""
    whole = Score(sum(s.right for s in scores.values()))
    for s in scores.values():
        whole.extra += s.extra
        whole.missed += s.missed
    return whole


def main() -> None:
    from tests.conftest import mocap_folder, mocap_hard_folder

    listed = rows(*[f for f in (mocap_folder(), mocap_hard_folder()) if f])
    seen = [(f.name, b, set(tag_names(find_tags(load(f))))) for f, b in listed]
    halves = [score(seen[0::2]), score(seen[1::2])]
    print("| tag | tuned on: right, extra, missed | held out: right, extra, missed |")
    print("|---|---|---|")
    for tag in TAGS:
        cells = [h.get(tag, Score()) for h in halves]
        if any(c.right or c.extra or c.missed for c in cells):
            shown = [f"{c.right}, {len(c.extra)}, {len(c.missed)}" for c in cells]
            print(f"| `{tag}` | {shown[0]} | {shown[1]} |")
    sums = [total(h) for h in halves]
    cells = [f"precision {s.precision:.2f}, recall {s.recall:.2f}" for s in sums]
    print(f"| all | {cells[0]} | {cells[1]} |\n")
    for name, half in zip(("tuned on", "held out"), halves, strict=True):
        for tag, s in half.items():
            for word, files in (("extra", s.extra), ("missed", s.missed)):
                if files:
                    print(f"{name}: {tag} {word} in {', '.join(files)}")


if __name__ == "__main__":
    main()
