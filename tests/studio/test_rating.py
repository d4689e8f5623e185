"""The rating study: its pool, grades given over HTTP, and its report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from scipy import stats

import footfall
from footfall.errors import InputError
from footfall.pose.metrics import METRICS
from footfall.render.player.page import is_built
from footfall.studio.rating.pool import BLEND, ORIGINAL, PERCENTILES, make_study, read_pool
from footfall.studio.rating.report import BEYOND, ORIGINALS, report_study
from footfall.studio.rating.store import Ratings
from tests.program import run_program
from tests.render.test_player_browser import CHROMIUM, FLAGS
from tests.studio.conftest import PROGRAM

needs_player = pytest.mark.skipif(not is_built(), reason="the player was not built (Node.js)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study: one blend at each distance of each metric, and two originals."""
    path = tmp_path_factory.mktemp("rating") / "study"
    make_study(path, repeats=1, originals=2, shown=12)
    return path


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """The same study without ratings."""
    (tmp_path / "pool.json").write_bytes((folder / "pool.json").read_bytes())
    return tmp_path


@dataclass
class Served:
    folder: Path
    address: str
    client: httpx.Client


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    words = [sys.executable, "-c", PROGRAM, "study", "serve", str(folder), "--port", "0"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    address = next(line.split(" at ")[1].strip() for line in process.stdout if "http://" in line)
    with httpx.Client(base_url=address, timeout=60) as client:
        yield Served(folder, address, client)
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.wait(30) == 0
    assert "stopped" in rest


def test_the_pool_holds_blends_at_every_distance_and_originals(folder: Path) -> None:
    pool = read_pool(folder)
    chosen = {(c.metric, c.percentile): c for c in pool.clips if c.kind == BLEND}
    assert set(chosen) == {(m, p) for m in METRICS for p in PERCENTILES}
    assert sum(c.kind == ORIGINAL for c in pool.clips) == 2
    for (metric, percentile), clip in chosen.items():
        assert clip.distances is not None
        threshold = pool.thresholds[metric][f"{percentile:g}"]
        assert clip.distances[metric] == pytest.approx(threshold, rel=0.05)
        assert len({name for name, _ in clip.sources}) == 2
        assert 1.0 <= clip.blend_s <= 4.0
    assert len({c.seconds for c in pool.clips}) == 1
    for metric in METRICS:
        rising = [pool.thresholds[metric][f"{p:g}"] for p in PERCENTILES]
        assert rising == sorted(rising)


def test_clips_say_nothing_about_what_they_are(folder: Path) -> None:
    for clip in read_pool(folder).clips:
        document = json.loads((folder / "clips" / f"{clip.id}.json").read_text())
        (motion,) = document["motions"]
        assert (motion["name"], document["title"]) == ("clip", "Clip")
        assert not any(motion[key] for key in ("segments", "seams", "contacts", "lines", "notes"))
        assert motion["frames"] == 151


def test_the_same_seed_gives_the_same_study(folder: Path, tmp_path: Path) -> None:
    again = make_study(tmp_path / "again", repeats=1, originals=2, shown=12)
    other = make_study(tmp_path / "other", repeats=1, originals=2, shown=12, seed=1)
    assert again == read_pool(folder)
    for clip in again.clips:
        name = Path("clips") / f"{clip.id}.json"
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
    assert {c.id for c in other.clips}.isdisjoint(c.id for c in again.clips)


def test_blends_are_continuous_where_they_are_near(folder: Path) -> None:
    """A blend of like frames moves no joint faster than its sources do."""
    from footfall.studio.rating.pool import _Draw, _walks_of

    draw = _Draw(*_walks_of(footfall.open_library("default:basten")), np.random.default_rng(3))
    fastest = {
        kind: np.linalg.norm(np.diff(clip.positions, axis=0), axis=2).max()
        for kind, clip in (
            ("blend", draw.blend("a", "point_cloud", 0.5)[1]), ("original", draw.original("b")[1])
        )
    }  # fmt: skip
    assert fastest["blend"] < 1.25 * fastest["original"]


def test_a_study_is_not_written_over(folder: Path) -> None:
    with pytest.raises(InputError, match="already"):
        make_study(folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", "new", "--repeats", "0"), "repeats|number of blends"),
        (("make", "new", "--originals", "0"), "originals"),
        (("make", "new", "--shown", "99", "--repeats", "1"), "clips shown"),
        (("make", "new", "--library", "nowhere"), "nowhere"),
        (("report", "new"), "no study"),
        (("serve", "new"), "no study"),
    ],
)
def test_wrong_words_get_one_sentence(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = run_program("study", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert any(part in done.stderr for part in said.split("|"))
    assert not list(tmp_path.iterdir())


def test_a_damaged_study_is_refused(copy: Path) -> None:
    (copy / "pool.json").write_text('{"version": 1, "clips": [{"id": 3}]}')
    with pytest.raises(InputError, match="cannot be read"):
        read_pool(copy)
    (copy / "ratings.sqlite").write_bytes(b"nothing of the kind" * 100)
    done = run_program("study", "report", copy)
    assert done.returncode == 2


@needs_player
def test_raters_grade_over_http_and_the_report_agrees_with_scipy(served: Served) -> None:
    pool = read_pool(served.folder)
    rng = np.random.default_rng(1)
    clips = {clip.id: clip for clip in pool.clips}
    sent: dict[str, list[int]] = {ORIGINALS: [], "far": [], "near": []}
    orders = []
    for _ in range(6):
        rater = served.client.post("/api/raters", json={}).json()
        orders.append(tuple(rater["clips"]))
        assert len(set(rater["clips"])) == 12
        assert set(rater["clips"]) <= set(clips)
        for name in rater["clips"]:
            clip = clips[name]
            base = 9 if clip.kind == ORIGINAL else 3 if clip.percentile > 8.0 else 7
            grade = int(np.clip(base + rng.integers(-1, 2), 1, 10))
            path = f"/api/raters/{rater['id']}/grades"
            assert served.client.post(path, json={"clip": name, "grade": grade}).status_code == 200
            if clip.kind == ORIGINAL:
                sent[ORIGINALS].append(grade)
        known = served.client.get(f"/api/raters/{rater['id']}").json()
        assert set(known["grades"]) == set(rater["clips"])
    assert len(set(orders)) == 6

    report = report_study(served.folder)
    assert report.raters >= 6
    table = Ratings(served.folder, pool).grades()
    assert report.grades == len(table)
    for shown in report.metrics:
        groups = {g.name: g for g in shown.groups}
        assert sum(g.count for g in shown.groups) == len(table)
        originals = np.array([g for _, c, g in table if clips[c].kind == ORIGINAL], float)
        assert groups[ORIGINALS].mean == pytest.approx(originals.mean())
        interval = stats.ttest_1samp(originals, 0.0).confidence_interval(0.95)
        assert (groups[ORIGINALS].low, groups[ORIGINALS].high) == pytest.approx(tuple(interval))
        _agrees_with_scipy(shown, pool, table)
    cloud = report.metrics[0]
    assert any(c.first == ORIGINALS and c.significant for c in cloud.comparisons)


def _agrees_with_scipy(shown: Any, pool: Any, table: list[tuple[int, str, int]]) -> None:
    """Bin grades anew by distance and compare the p-values of all pairs."""
    limits = list(pool.thresholds[shown.metric].values())
    names = [ORIGINALS, *(f"{p:g} %" for p in PERCENTILES), BEYOND]
    found: dict[str, list[float]] = {name: [] for name in names}
    for _, name, grade in table:
        clip = next(c for c in pool.clips if c.id == name)
        if clip.kind == ORIGINAL:
            found[ORIGINALS].append(grade)
        else:
            beyond = sum(clip.distances[shown.metric] > 1.05 * limit for limit in limits)
            found[names[1 + beyond]].append(grade)
    used = [name for name in names if len(found[name]) > 1]
    tested = stats.tukey_hsd(*(found[name] for name in used))
    pairs = {(c.first, c.second): c for c in shown.comparisons}
    assert len(pairs) == len(used) * (len(used) - 1) // 2
    for (a, b), compared in pairs.items():
        i, j = used.index(a), used.index(b)
        assert compared.p == pytest.approx(tested.pvalue[i, j], abs=1e-9)
        assert compared.difference == pytest.approx(np.mean(found[a]) - np.mean(found[b]))


@needs_player
def test_bad_grades_get_one_sentence_and_are_not_kept(served: Served) -> None:
    rater = served.client.post("/api/raters", json={}).json()
    path, clip = f"/api/raters/{rater['id']}/grades", rater["clips"][0]
    other = next(c.id for c in read_pool(served.folder).clips if c.id not in rater["clips"])
    bad: list[tuple[Any, int]] = [
        *(({"clip": clip, "grade": g}, 422) for g in (0, 11, -3, "7", 7.5, None, True, [7])),
        ({"clip": clip, "grade": 10**40}, 422),
        *(({"clip": c, "grade": 5}, 422) for c in ("c00000000", "../pool", "", None, 3, {}, other)),
        ([], 422), ("7", 422), ({}, 422), ({"grade": 5}, 422),
        ({"clip": clip, "grade": 5, "more": "x" * 5000}, 422),
    ]  # fmt: skip
    for body, status in bad:
        answer = served.client.post(path, json=body)
        assert answer.status_code == status, body
        assert "\n" not in answer.json()["error"]
    for content in (b"", b"{", b"\xff\xfe", b"[" * 900):
        assert served.client.post(path, content=content).status_code == 422
    assert served.client.get(path[: -len("/grades")]).json()["grades"] == {}
    good = {"clip": clip, "grade": 5}
    assert served.client.post(path, json=good).status_code == 200
    again = served.client.post(path, json=good)
    assert again.status_code == 409
    assert "already" in again.json()["error"]
    unknown = served.client.post("/api/raters/nobody/grades", json=good)
    assert (unknown.status_code, len(unknown.json())) == (404, 1)


@needs_player
def test_pages_and_clips_are_served_and_nothing_else(served: Served) -> None:
    page = served.client.get("/")
    assert "How natural" in page.text
    assert page.headers["x-frame-options"] == "DENY"
    clip = served.client.get(f"/clips/{read_pool(served.folder).clips[0].id}")
    assert "frame-ancestors 'self'" in clip.headers["content-security-policy"]
    assert "footfall-motion" in clip.text
    for path in ("/clips/c00000000", "/clips/..%2Fpool", "/pool.json", "/ratings.sqlite", "/x"):
        assert served.client.get(path).status_code == 404
    assert served.client.get("/api/raters").status_code == 405
    for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
        assert served.client.get("/", headers=headers).status_code == 403


def test_raters_at_once_lose_no_grade(copy: Path) -> None:
    pool = read_pool(copy)
    ratings = Ratings(copy, pool)

    def rate() -> None:
        rater = ratings.add_rater()
        for clip in rater.clips:
            ratings.grade(rater.id, clip, 5)

    threads = [threading.Thread(target=rate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ratings.grades()) == 4 * pool.shown
    assert {p.name for p in copy.iterdir()} == {"pool.json", "ratings.sqlite"}


def test_clips_are_shown_about_equally_often_at_every_place(copy: Path) -> None:
    pool = replace(read_pool(copy), shown=12)
    ratings = Ratings(copy, pool)
    orders = np.array([ratings.add_rater().clips for _ in range(170)])
    counts = [int((orders == clip.id).sum()) for clip in pool.clips]
    assert min(counts) > 0.7 * np.mean(counts)
    assert len(set(orders[:, 0])) == len(pool.clips)


def test_the_command_reports_in_words_and_json(copy: Path) -> None:
    ratings = Ratings(copy, read_pool(copy))
    rater = ratings.add_rater()
    for n, clip in enumerate(rater.clips):
        ratings.grade(rater.id, clip, 1 + n % 10)
    done = run_program("study", "report", copy, "--json")
    found = json.loads(done.stdout)
    assert (found["raters"], found["grades"]) == (1, 12)
    text = (copy / "report.md").read_text()
    assert "1 rater gave 12 grades" in text
    assert all(metric.replace("_", " ") in text for metric in METRICS)
    before = text
    assert run_program("study", "report", copy).returncode == 0
    assert (copy / "report.md").read_text() == before


def test_no_grades_are_no_error(copy: Path) -> None:
    report = report_study(copy)
    assert report.grades == 0
    assert all(not metric.comparisons for metric in report.metrics)
    assert all(group.mean is None for metric in report.metrics for group in metric.groups)


@needs_player
@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")
def test_a_person_grades_a_clip_in_the_browser_and_goes_on_after_reload(served: Served) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    before = len(Ratings(served.folder, read_pool(served.folder)).grades())
    errors: list[str] = []
    with api.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport={"width": 640, "height": 480})
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(served.address)
        page.get_by_role("button", name="Start").click()
        clip = page.frame_locator("#clip")
        clip.locator("#player[data-ready]").wait_for(timeout=120_000)
        shown = page.locator("#clip").get_attribute("data-clip")
        page.get_by_role("button", name="7", exact=True).click()
        page.get_by_text("2 of 12").wait_for()
        page.reload()
        page.get_by_text("2 of 12").wait_for()
        assert page.locator("#clip").get_attribute("data-clip") != shown
        browser.close()
    assert errors == []
    grades = Ratings(served.folder, read_pool(served.folder)).grades()
    assert [(clip, grade) for _, clip, grade in grades[before:]] == [(shown, 7)]
