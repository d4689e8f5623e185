"""The tables of limits as pages of the documentation.

python -m bench.limits pages CLIPS_BEFORE.csv CLIPS_NOW.csv PLANS_BEFORE.csv PLANS_NOW.csv

The CSV files are those that `clips` and `plans` write, of a former version and of this one.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from tools.stamps import stamped

DOCS = Path(__file__).resolve().parents[2] / "docs" / "dev"
Rows = list[dict[str, str]]
OWN, DEFAULT, OTHER = "own", "default", "other"


def main(words: list[str]) -> None:
    if len(words) != 4:
        raise SystemExit(
            "usage: python -m bench.limits pages CLIPS_BEFORE CLIPS PLANS_BEFORE PLANS"
        )
    tables = [_read(Path(word)) for word in words]
    (DOCS / "clip_limits.md").write_text(stamped(clip_page(tables[0], tables[1])))
    (DOCS / "plan_limits.md").write_text(stamped(plan_page(tables[2], tables[3])))


def _read(file: Path) -> Rows:
    with file.open(newline="") as rows:
        return list(csv.DictReader(rows))


# ---- clips ----------------------------------------------------------------------------------

CLIP_COLUMNS: tuple[tuple[str, str, str, Callable[[dict[str, str]], float]], ...] = (
    ("knee, °", "{:+.1f}", "within 2", lambda r: float(r["knee_deg"])),
    ("hips, %", "{:+.1f}", "within 1", lambda r: float(r["hip_pct"])),
    ("lean, °", "{:+.1f}", "within 1.5", lambda r: float(r["lean_deg"])),
    ("shoulders, cm", "{:+.1f}", "within 2", lambda r: float(r["shoulders_cm"])),
    ("leg gap, cm", "{:.1f}", "as the source, or 4", lambda r: float(r["gap_cm"])),
    ("toes", "{:.2f} ×", "at most 1.2", lambda r: float(r["toe"])),
    ("joints", "{:.2f} ×", "at most 1.5", lambda r: float(r["joint"])),
    ("drift, mm", "{:.1f}", "at most the source's", lambda r: float(r["drift_mm"])),
    ("by contacts, mm", "{:.1f}", "at most the source's", lambda r: float(r["own_mm"])),
)
_BOUNDS: dict[str, Callable[[dict[str, str]], float]] = {
    # How far beyond its limit a figure is: at most 0 is within.
    "knee, °": lambda r: abs(float(r["knee_deg"])) - 2.0,
    "hips, %": lambda r: abs(float(r["hip_pct"])) - 1.0,
    "lean, °": lambda r: abs(float(r["lean_deg"])) - 1.5,
    "shoulders, cm": lambda r: abs(float(r["shoulders_cm"])) - 2.0,
    "leg gap, cm": lambda r: min(float(r["gap_source_cm"]), 4.0) - float(r["gap_cm"]),
    "toes": lambda r: float(r["toe"]) - 1.2,
    "joints": lambda r: float(r["joint"]) - 1.5,
    "drift, mm": lambda r: float(r["drift_mm"]) - float(r["drift_source_mm"]),
    "by contacts, mm": lambda r: float(r["own_mm"]) - float(r["own_source_mm"]),
}


def clip_page(before: Rows, now: Rows) -> str:
    """What cleaning and retargeting do to every real clip, then and now."""
    was = {(r["clip"], r["on"]): r for r in before}
    parts = [
        "# What becomes of real clips",
        "",
        f"{len({r['clip'] for r in now})} recordings (CMU and ACCAD), cleaned on their own "
        "skeletons, then put on the default character and on a skeleton of the other family. "
        "Measured from plain joint positions by `python -m bench.limits clips`, which shares no "
        "code with what it measures; only *by contacts* uses Footfall's own contacts. Every figure "
        "is the change against the recording, or beside it; *former → now*. "
        "[Feet on the ground](../concepts/feet.md) describes how.",
        "",
        "- **knee, hips**: median knee flexion, and hip height over the lower ankle in % of a leg",
        "- **lean, shoulders**: median lean of the trunk; how far shoulders sink, scaled",
        "- **leg gap**: least distance between the axes of shanks and feet",
        "- **toes, joints**: largest speed of toes, and of limbs and hips, against the recording's",
        "- **drift**: how far feet that are low and slow move, mean; and by contacts, most",
        "",
        "## Summary",
        "",
        *_clip_summary(was, now),
    ]
    for on, title in ((OWN, "On their own skeletons"), (DEFAULT, "On the default character"),
                      (OTHER, "On a skeleton of the other family")):  # fmt: skip
        parts += ["", f"## {title}", "", *_clip_table(was, [r for r in now if _on(r) == on])]
    return "\n".join(parts) + "\n"


def _on(row: dict[str, str]) -> str:
    return row["on"] if row["on"] in (OWN, DEFAULT) else OTHER


def _clip_summary(was: dict[tuple[str, str], dict[str, str]], now: Rows) -> list[str]:
    lines = ["| | limit | median of the size, former → now | worst, former → now | beyond it now |",
             "|---|---|---|---|---|"]  # fmt: skip
    old = [was[r["clip"], r["on"]] for r in now if (r["clip"], r["on"]) in was]
    for name, form, limit, value in CLIP_COLUMNS:
        beyond = _BOUNDS[name]
        sizes = [np.median(np.abs([value(r) for r in rows])) for rows in (old, now)]
        worst = [max(rows, key=beyond) for rows in (old, now)]
        names = sorted({r["clip"] for r in now if beyond(r) > 0.05})
        shown = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        lines.append(
            f"| {name} | {limit} | {sizes[0]:.1f} → {sizes[1]:.1f} | "
            f"{form.format(value(worst[0]))} → {form.format(value(worst[1]))} | "
            f"{len(names)} of {len({r['clip'] for r in now})} clips"
            f"{': ' + shown if names else ''} |"
        )
    return lines


def _clip_table(was: dict[tuple[str, str], dict[str, str]], rows: Rows) -> list[str]:
    head = [name for name, *_ in CLIP_COLUMNS]
    lines = [f"| clip | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    for row in sorted(rows, key=lambda r: r["clip"]):
        old = was.get((row["clip"], row["on"]))
        cells = []
        for name, form, _, value in CLIP_COLUMNS:
            then = "–" if old is None else form.format(value(old))
            here = form.format(value(row))
            source = {"leg gap, cm": "gap_source_cm", "drift, mm": "drift_source_mm",
                      "by contacts, mm": "own_source_mm"}.get(name)  # fmt: skip
            beside = f" ({float(row[source]):.1f})" if source else ""
            strong = "**" if _BOUNDS[name](row) > 0.05 else ""
            cells.append(f"{then} → {strong}{here}{strong}{beside}")
        lines.append(f"| {row['clip']} | {' | '.join(cells)} |")
    return lines


# ---- plans ----------------------------------------------------------------------------------

PLAN_COLUMNS: tuple[tuple[str, str, str, str], ...] = (
    ("begins", "begins off, m", "{:.2f}", "max"),
    ("ends", "ends off, m", "{:.2f}", "max"),
    ("facing", "facing off, °", "{:.0f}", "max"),
    ("off", "off the path, m", "{:.2f}", "max"),
    ("joint", "joint speed", "{:.2f} ×", "max"),
    ("toe", "toe speed", "{:.2f} ×", "max"),
    ("gap_cm", "leg gap, cm", "{:.1f}", "min"),
    ("drift_mm", "drift, mm", "{:.1f}", "max"),
    ("repeats", "repeats, s", "{:.1f}", "max"),
    ("last", "last speed, m/s", "{:.2f}", "max"),
    ("speed", "speed, m/s", "{:.2f}", "median"),
    ("short", "short pieces", "{:.0f}", "max"),
)


def plan_page(before: Rows, now: Rows) -> str:
    """Plans of many paths, then and now: the worst figure of each column."""
    paths, seeds = {r["path"] for r in now}, {r["seed"] for r in now}
    parts = [
        "# Plans held against their limits",
        "",
        f"{len(now)} plans of the motion graph: {len(paths)} paths and queries, "
        f"{len(seeds)} seeds, with the default clips, with ACCAD's, with CMU's and with both. "
        "Measured from plain joint positions by `python -m bench.limits plans`, which shares "
        "no code with what makes or judges motions. The worst of each column (of the speed the "
        "median), *former → now*; the former version gave all seeds the same plan.",
        "",
        "- **begins, ends, facing**: hips against start, goal and headings asked for",
        "- **off the path**: 95th percentile of the hips' distance, sway included",
        "- **joint, toe speed**: fastest, against the fastest in the clips it is made of",
        "- **leg gap**: least distance between the axes of shanks and feet",
        "- **drift**: 95th percentile over stands, feet found by height and speed alone",
        "- **repeats**: longest stretch that comes again exactly within 10 s",
        "- **short pieces**: pieces of clips of less than a third of a second, between transitions",
        "",
        *_plan_table("library", before, now, lambda r: r["library"]),
        "",
        "## By path",
        "",
        *_plan_table("path", before, now, lambda r: r["path"]),
        "",
        *_plan_failures(now),
    ]
    return "\n".join(parts) + "\n"


def _plan_table(
    what: str, before: Rows, now: Rows, key: Callable[[dict[str, str]], str]
) -> list[str]:
    lines = [f"| {what} | found | {' | '.join(name for _, name, *_ in PLAN_COLUMNS)} |",
             "|---" * (len(PLAN_COLUMNS) + 2) + "|"]  # fmt: skip
    groups = list(dict.fromkeys(key(r) for r in now))
    for group in [*groups, "all"] if what == "library" else groups:
        both = [[r for r in rows if group in (key(r), "all")] for rows in (before, now)]
        found = [[r for r in rows if r["status"] == "found"] for rows in both]
        share = " → ".join(f"{len(f)} of {len(r)}" for f, r in zip(found, both, strict=True))
        cells = [
            " → ".join(_worst(rows, name, form, how) for rows in found)
            for name, _, form, how in PLAN_COLUMNS
        ]
        lines.append(f"| {group} | {share} | {' | '.join(cells)} |")
    return lines


def _worst(rows: Rows, name: str, form: str, how: str) -> str:
    if not rows:
        return "–"
    values = np.array([float(r[name]) for r in rows])
    if how == "median":
        return form.format(np.median(values))
    return form.format(values.max() if how == "max" else values.min())


def _plan_failures(now: Rows) -> Iterable[str]:
    failed = [r for r in now if r["status"] != "found"]
    if not failed:
        return ["All of them were found."]
    lines = ["Not found:", ""]
    for row in failed:
        lines.append(
            f"- {row['library']}, {row['path']}, seed {row['seed']}: {row['status']}, "
            f"{row['reason']}"
        )
    return lines


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
