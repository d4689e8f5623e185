"""What cleaning and retargeting do to posture and feet, for every real clip.

python -m bench.limits clips [--every 4] [--csv FILE]
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.limits import plain
from footfall import load
from footfall.adapt.feet.clean import clean
from footfall.adapt.retarget.retarget import retarget
from footfall.body.clip import Clip
from footfall.body.edit import resample
from footfall.body.skeleton import Skeleton
from footfall.generate.skeleton import default_skeleton
from footfall.measures.skating import skating

PROJECT = Path(__file__).resolve().parents[2]
LIMBS = ("hips", "hip", "knee", "ankle", "shoulder", "elbow", "wrist")
"""What every family has: spines and collarbones are split in other ways from file to file."""
OTHER = {"cmu": "accad", "accad": "cmu"}


@dataclass(frozen=True)
class ClipRow:
    """One clip on one skeleton, against what it was made from.

    knee_deg, hip_pct   change of the median knee, and of the median hip height, in % of a leg
    lean_deg            change of the median lean of the trunk
    trunk_deg           the most (95th percentile) by which the trunk's direction changes
    shoulders_cm        change of the median height of the shoulders below the neck, scaled
    gap_cm, gap_source_cm  the least gap between the legs, and the source's, scaled by hip width
    toe                 the toes' peak speed, as a ratio to the source's
    joint               the largest such ratio of any other joint
    drift_mm, drift_source_mm   how far standing feet move, by height and speed alone, mean
    own_mm, own_source_mm       the same by our contacts, most
    """

    clip: str
    family: str
    on: str
    knee_deg: float
    hip_pct: float
    lean_deg: float
    trunk_deg: float
    shoulders_cm: float
    gap_cm: float
    gap_source_cm: float
    toe: float
    joint: float
    drift_mm: float
    drift_source_mm: float
    own_mm: float
    own_source_mm: float


def real_clips() -> list[tuple[Path, str]]:
    """The files of the real clips and their families."""
    folder = Path(os.environ.get("FOOTFALL_MOCAP") or PROJECT.parent / "shared" / "mocap")
    found = []
    for place in (folder, folder.parent / "mocap_hard"):
        index = place / "INDEX.csv"
        if index.is_file():
            for row in csv.DictReader(index.open()):
                found.append((place / row["file"], row["dataset"].split("_")[0]))
    return [(file, family) for file, family in found if file.suffix.lower() == ".bvh"]


def rows(files: list[tuple[Path, str]]) -> Iterator[ClipRow]:
    """Every clip cleaned on its own skeleton, and put on the default and on another family's."""
    skeletons: dict[str, Skeleton] = {"default": default_skeleton()}
    for file, family in real_clips():
        if family not in skeletons:
            skeletons[family] = load(file).skeleton
    for file, family in files:
        source = load(file)
        if source.fps > 31.0:
            source = resample(source, plain.RATE_HZ)
        cleaned = clean(source).clip
        yield compare(file.stem, family, "own", source, cleaned)
        for on in ("default", OTHER.get(family, "cmu")):
            if on in skeletons:
                made = retarget(source, skeletons[on], level=True)
                yield compare(file.stem, family, on, source, made)


def compare(name: str, family: str, on: str, source: Clip, made: Clip) -> ClipRow:
    """What became of a clip."""
    was, now = plain.body_of(source), plain.body_of(made)
    size = now.leg_m / was.leg_m
    peaks = plain.peak_speeds(was), plain.peak_speeds(now)
    shared = sorted(peaks[0].keys() & peaks[1].keys())
    ratio = {role: peaks[1][role] / max(peaks[0][role], 60.0) for role in shared}
    toes = [v for r, v in ratio.items() if r.endswith("toe")]
    others = [v for r, v in ratio.items() if r.endswith(LIMBS)]
    drop = plain.shoulder_drop_m(now) / size - plain.shoulder_drop_m(was)
    width = now.hip_width_m / was.hip_width_m
    return ClipRow(
        clip=name,
        family=family,
        on=on,
        knee_deg=_median(plain.knees_deg(now)) - _median(plain.knees_deg(was)),
        hip_pct=100.0 * (_median(plain.hip_height(now)) - _median(plain.hip_height(was))),
        lean_deg=_median(plain.lean_deg(now)) - _median(plain.lean_deg(was)),
        trunk_deg=_p95(plain.angle_deg(plain.trunk(now), plain.trunk(was))),
        shoulders_cm=100.0 * _median(drop),
        gap_cm=100.0 * float(plain.leg_gap_m(now).min()),
        gap_source_cm=100.0 * width * float(plain.leg_gap_m(was).min()),
        toe=max(toes, default=0.0),
        joint=max(others, default=0.0),
        drift_mm=plain.drift(now).mean_mm,
        drift_source_mm=plain.drift(was).mean_mm * size,
        own_mm=skating(made).drift_max_mm,
        own_source_mm=skating(source).drift_max_mm * size,
    )


def _median(values: plain.Floats) -> float:
    return float(np.median(values))


def _p95(values: plain.Floats) -> float:
    return float(np.percentile(values, 95))


def write_csv(found: list[ClipRow], file: Path) -> None:
    """All rows as a table for other programs."""
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(asdict(found[0])))
        writer.writeheader()
        writer.writerows(
            {k: round(v, 3) if isinstance(v, float) else v for k, v in asdict(row).items()}
            for row in found
        )


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limits clips")
    parser.add_argument("--every", type=int, default=1, help="only every so-many-th clip")
    parser.add_argument("--csv", type=Path)
    given = parser.parse_args(words)
    found = list(rows(real_clips()[:: given.every]))
    for on in sorted({row.on for row in found}):
        print(f"on {on}:")
        for line in summary([row for row in found if row.on == on]):
            print("  " + line)
    if given.csv and found:
        write_csv(found, given.csv)


def summary(found: list[ClipRow]) -> Iterator[str]:
    """Of each figure the median, and the clips that are worst."""
    for key in ("knee_deg", "hip_pct", "lean_deg", "trunk_deg", "shoulders_cm", "toe", "joint"):
        values = np.array([getattr(row, key) for row in found])
        yield _line(key, values, np.abs(values), found)
    for key in ("gap_cm", "drift_mm", "own_mm"):
        name, _, unit = key.rpartition("_")
        values = np.array([getattr(row, key) for row in found])
        before = np.array([getattr(row, f"{name}_source_{unit}") for row in found])
        worse = before - values if name == "gap" else values - before
        yield _line(key, values, worse, found, before)


def _line(
    key: str, values: plain.Floats, badness: plain.Floats, found: list[ClipRow],
    before: plain.Floats | None = None,
) -> str:  # fmt: skip
    worst = []
    for n in np.argsort(-badness)[:4]:
        was = "" if before is None else f"{before[n]:.1f} → "
        worst.append(f"{found[n].clip} {was}{values[n]:.2f}")
    return f"{key:13s} median {np.median(values):6.2f}   worst {', '.join(worst)}"
