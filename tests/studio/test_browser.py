"""The studio in Chromium, from clicks to files whose content is read."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.files.formats import load
from footfall.files.scene.read import load_scene
from footfall.studio.app import FRONT_END
from footfall.task.file import load_task
from tests.chromium import CHROMIUM
from tests.studio.conftest import Server
from tests.studio.tab import SIZE, Tab, chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}"),
    pytest.mark.skipif(
        not (FRONT_END / "index.html").exists(), reason="the studio was not built (Node.js)"
    ),
]
YARD = """name = "yard"
size = [10.0, 10.0]
[[obstacle]]
kind = "chair"
at = [2.0, 2.0]
yaw_deg = 180.0
[[obstacle]]
kind = "table"
at = [-3.0, 1.0]
size = [0.6, 0.9, 0.4]
item = [0.0, -0.1]
[[obstacle]]
kind = "bar"
at = [0.0, 3.5]
clearance = 1.3
[[obstacle]]
kind = "box"
name = "crate"
at = [3.0, -2.0]
size = [0.6, 0.8, 0.6]
"""
ABOVE = [0.0, 8.5, -6.0]


@pytest.fixture(scope="module")
def context() -> Iterator[Any]:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def tab(context: Any, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Tab:
    file = tmp_path_factory.mktemp("given") / "yard.toml"
    file.write_text(YARD)
    made = Tab(context, server.address)
    made.give(file)
    made.wait("studio.app.store.doc.scene_name === 'yard' && studio.app.shows.scenery !== null")
    made.look([0.0, 0.0, 1.0], ABOVE)
    return made


def reset(tab: Tab, mode: str = "plan") -> None:
    """Begin anew in the yard, with nothing planned."""
    tab.run(f"studio.setMode('{mode}')")
    tab.run("studio.app.useScene('yard')")
    tab.look([0.0, 0.0, 1.0], ABOVE)


def test_a_walk_is_clicked_bent_and_exported(tab: Tab, server: Server, tmp_path: Path) -> None:
    reset(tab)
    page = tab.page
    page.locator("#method").select_option("blending")
    page.locator("#tool-start").click()
    tab.drag([-1.0, -2.0], [-1.0, -1.0])
    page.locator("#tool-goal").click()
    tab.drag([0.5, 2.0], [1.5, 2.0])
    first = tab.plan_shown()
    doc = tab.run("studio.app.store.doc")
    assert [doc["start"]["x"], doc["start"]["z"]] == pytest.approx([-1.0, -2.0], abs=0.1)
    assert doc["start"]["yaw_deg"] == pytest.approx(0.0, abs=3.0)
    assert doc["stages"][0]["at"] == pytest.approx([0.5, 2.0, 90.0], abs=3.0)

    page.locator("#tool-via").click()
    tab.click([0.5, 0.0])
    page.locator("#tool-select").click()
    tab.plan_shown()
    via = tab.task()[0]
    assert (via["do"], via["at"]) == ("via", pytest.approx([0.5, 0.0], abs=0.1))
    before = tab.plan_shown()
    tab.drag(via["at"], [0.2, 0.1])
    bent = tab.plan_shown()
    assert bent != before
    assert server.client.get(f"/api/plans/{bent}").json()["changed_s"][1] > 0.0
    page.keyboard.press("Control+z")
    assert tab.task()[0]["at"] == via["at"]
    page.keyboard.press("Control+Shift+Z")
    assert tab.task()[0]["at"] == pytest.approx([0.2, 0.1], abs=0.1)

    prints = tab.run("studio.app.shows.first.motion.entry.footprints.map(each => each.p)")
    marks = np.array([[-1.0, -2.0], *(stage["at"][:2] for stage in tab.task())])
    ground = np.array(prints)[:, [0, 2]]
    away = np.linalg.norm(ground[:, None] - marks, axis=2).min(axis=1)
    middle = int(np.argmax(away))  # no mark covers it
    x, y, z = prints[middle]
    tab.look([x, y, z], [0.6, 1.8, -1.2])
    tab.drag([x, y, z], [x + 0.06, y, z + 0.05])
    moved = tab.plan_shown()
    assert moved != bent
    now = tab.run("studio.app.shows.first.motion.entry.footprints.map(each => each.p)")
    assert now[middle][0] == pytest.approx(x + 0.06, abs=0.02)
    assert now[0] == pytest.approx(prints[0], abs=0.02)

    frames = server.client.get(f"/api/plans/{moved}").json()["frames"]
    goal = tab.task()[-1]["at"]
    for kind in ("glb", "bvh", "usda", "npz"):
        clip = load(tab.export(kind, tmp_path))
        assert len(clip) == frames
        assert np.hypot(*(clip.root[-1, [0, 2]] - goal[:2])) < 0.3
    text = tab.export("html", tmp_path).read_text()
    assert "footfall-motion" in text
    assert "http://" not in text.split("<script")[0]
    scene = load_scene(tab.export("scene", tmp_path))
    task = load_task(tab.export("task", tmp_path))  # it names the scene's file
    assert [stage.kind for stage in task.query.stages] == ["via", "go to"]
    assert [thing.kind for thing in scene.obstacles] == ["chair", "table", "bar", "box"]
    assert first in [each["id"] for each in server.client.get("/api/plans").json()]
    assert tab.errors == []


def test_pictures_and_videos_show_the_motion(tab: Tab, tmp_path: Path) -> None:
    from PIL import Image

    reset(tab)
    tab.page.locator("#method").select_option("blending")
    tab.click([0.0, 1.2])
    tab.plan_shown()
    seconds = tab.run("studio.app.clock.duration")
    tab.run("studio.app.clock.seek(1.0)")
    picture = np.asarray(Image.open(tab.export("picture", tmp_path)).convert("RGB"), np.float64)
    assert picture.std() > 10.0
    tab.page.set_viewport_size({"width": 900, "height": 420})
    video = tab.export("webm", tmp_path)
    tab.page.set_viewport_size(SIZE)
    assert video.read_bytes()[:4] == b"\x1aE\xdf\xa3"
    # Chromium's own player reads it, which shares nothing with what wrote it.
    played = tab.run(
        """async text => {
        const bytes = Uint8Array.from(atob(text), each => each.charCodeAt(0));
        const video = document.createElement("video");
        const at = async seconds => {
            video.currentTime = seconds;
            await new Promise(done => video.addEventListener("seeked", done, { once: true }));
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
            const pen = canvas.getContext("2d");
            pen.drawImage(video, 0, 0);
            return pen.getImageData(0, 0, canvas.width, canvas.height).data;
        };
        video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
        await new Promise((done, failed) => {
            video.addEventListener("loadeddata", done, { once: true });
            video.addEventListener("error", () => failed(video.error.message), { once: true });
        });
        const [first, last] = [await at(0), await at(video.duration - 0.1)];
        let changed = 0;
        for (let n = 0; n < first.length; n += 4) changed += Math.abs(first[n] - last[n]) > 30;
        return [video.duration, video.videoWidth, changed / (first.length / 4)];
        }""",
        base64.b64encode(video.read_bytes()).decode(),
    )
    assert played[0] == pytest.approx(seconds, abs=0.1)
    assert played[1] > 200
    assert played[2] > 0.002
    assert tab.errors == []


def test_objects_and_sketches_become_tasks(tab: Tab, server: Server, tmp_path: Path) -> None:
    reset(tab)
    page = tab.page
    offers = tab.choose([0.0, 1.31, 3.5], "Duck under")
    assert "Move" in offers
    assert "Put down" not in tab.choose([-3.0, 0.9, 1.0], "Pick")
    assert "Put down" in tab.choose([-3.0, 0.9, 1.0], "Walk here")
    tab.choose([2.0, 0.45, 2.0], "Sit and stand up")
    tab.export("scene", tmp_path)
    task = load_task(tab.export("task", tmp_path))
    kinds = [stage.kind for stage in task.query.stages]
    assert kinds == ["duck", "pick", "sit", "stand up", "go to"]
    assert task.query.stages[1].y == pytest.approx(0.96, abs=0.05)
    page.keyboard.press("Escape")

    reset(tab)
    page.locator("input[aria-label=Time]").fill("600")
    page.locator("input[aria-label=Time]").press("Tab")
    page.locator("#method").select_option("optimal")
    tab.choose([2.0, 0.45, 2.0], "Sit")
    tab.wait("studio.app.shown.length > 0")  # the first motion, while the search goes on
    if tab.run("studio.app.job !== null"):
        page.locator("#cancel").click()
    sitting = tab.plan_shown()
    clip = load(tab.export("bvh", tmp_path))
    lowest = int(np.argmin(clip.root[:, 1]))
    assert clip.root[lowest, 1] < 0.7
    assert np.hypot(*(clip.root[lowest, [0, 2]] - [2.0, 2.0])) < 0.35
    assert server.client.get(f"/api/plans/{sitting}").json()["method"] == "optimal"

    reset(tab)
    page.locator("#method").select_option("blending")
    page.locator("#tool-path").click()
    tab.drag([-1.5, -1.0], [0.0, -0.5], [1.0, 0.5], [1.0, 2.0])
    tab.plan_shown()
    assert tab.task()[0]["corridor_m"] == 1
    page.locator("input[aria-label=Corridor]").fill("0.6")
    page.keyboard.press("Enter")
    tab.plan_shown()
    task = load_task(tab.export("task", tmp_path))
    (follow,) = task.query.stages
    assert (follow.kind, follow.corridor_m) == ("follow", 0.6)
    assert follow.points[-1] == pytest.approx([1.0, 2.0], abs=0.15)
    clip = load(tab.export("npz", tmp_path))
    assert np.hypot(*(clip.root[-1, [0, 2]] - follow.points[-1])) < 0.3
    assert tab.errors == []


def test_alternatives_are_chosen_and_compared(tab: Tab) -> None:
    reset(tab)
    page = tab.page
    page.locator("#method").select_option("graph")
    page.locator("input[aria-label=Alternatives]").fill("2")
    page.locator("input[aria-label=Alternatives]").press("Tab")
    tab.click([1.0, 1.5])
    first = tab.plan_shown()
    page.locator("#alternative-2").click()
    tab.wait(f"studio.app.shown[0] !== '{first}'")
    page.locator("#show-all").click()
    tab.wait("studio.app.shows.shown.size === 2")
    assert page.locator("#alternative-1").is_visible()
    tab.run("studio.app.clock.seek(1.5)")
    roots = tab.run("[...studio.app.shows.shown.values()].map(each => each.actor.root.toArray())")
    assert len(roots) == 2
    assert np.abs(np.subtract(*roots)).max() > 0.005
    page.locator("#viewport").focus()
    page.keyboard.press("o")
    ghosts = "[...studio.app.shows.shown.values()].map(each => each.ghosts?.visible ?? false)"
    assert tab.run(ghosts) == [True, True]
    page.keyboard.press("o")
    assert tab.run(ghosts) == [False, False]
    page.locator("input[aria-label=Alternatives]").fill("1")
    page.locator("input[aria-label=Alternatives]").press("Tab")
    assert tab.errors == []


def test_a_live_character_is_steered_hindered_and_recorded(
    tab: Tab, server: Server, tmp_path: Path
) -> None:
    reset(tab)
    page, root = tab.page, "studio.live.people[0].root.toArray()"
    tab.run(
        "window.pad = null; navigator.getGamepads = () => window.pad ? [{ axes: window.pad }] : []"
    )
    page.locator("#mode-live").click()
    tab.wait("studio.live.people.length === 1")
    tab.look([0.0, 0.0, 1.0], ABOVE)
    page.locator("#record").click()
    tab.drag([0.0, 0.0], [0.5, 1.5], hold=True)
    tab.wait(f"{root}[2] > 0.7")
    page.mouse.up()
    held = tab.run(root)
    page.keyboard.down("w")
    tab.wait(f"Math.hypot({root}[0] - {held[0]}, {root}[2] - {held[2]}) > 0.6")
    page.keyboard.up("w")
    page.locator("#record").click()
    tab.wait("studio.app.plans.some(each => each.kind === 'recording')")
    at = tab.run(root)
    tab.run("window.pad = [1, 0]")
    tab.wait(f"Math.hypot({root}[0] - {at[0]}, {root}[2] - {at[2]}) > 0.5")
    tab.run("window.pad = null")
    page.locator("input[aria-label=Speed]").fill("2")
    page.locator("input[aria-label=Style]").fill("0.5")
    assert tab.run("[studio.live.speed, studio.live.style]") == [2, 0.5]

    page.locator("button[aria-label='Follow the character']").click()
    tab.look([3.0, 0.0, -1.0], [0.0, 6.0, -5.0])
    tab.drag([3.0, 0.8, -2.0], [2.0, 0.8, -3.0])
    crate = tab.run("studio.app.store.doc.scene.obstacle[3].at")
    assert crate == pytest.approx([2.0, -3.0], abs=0.2)
    page.set_viewport_size({"width": 700, "height": 400})  # a hundred bodies are much to draw
    page.locator("#crowd-100").click()
    tab.wait("studio.live.people.length === 101")
    page.set_viewport_size(SIZE)
    page.locator("#mode-plan").click()
    taken = tab.run("studio.app.plans.find(each => each.kind === 'recording').id")
    tab.wait(f"studio.app.shown[0] === '{taken}'")
    clip = load(tab.export("bvh", tmp_path))
    assert clip.root[-1, 2] - clip.root[0, 2] > 0.7
    assert tab.errors == []


def test_contacts_are_dragged_and_saved(tab: Tab, server: Server) -> None:
    import tomllib

    page, points = tab.page, "studio.contacts.contacts.points"
    page.locator("#mode-contacts").click()
    tab.wait("!!studio.contacts.contacts")
    page.locator("select[aria-label='Library of the clip']").select_option("default:park")
    tab.wait("studio.contacts.library === 'default:park' && !!studio.contacts.contacts")
    page.locator("#copy-clip").click()
    tab.wait("studio.contacts.contacts.editable")
    lanes = ["left_heel", "left_toe", "right_heel", "right_toe", "left_hand", "right_hand", "seat"]
    heel = tab.run(f"{points}.left_heel[0]")

    def lane(name: str, seconds: float) -> list[float]:
        where = "([n, t]) => [studio.contactLanes.clientX(t), studio.contactLanes.clientY(n)]"
        return list(tab.run(where, [lanes.index(name), seconds]))

    page.mouse.move(*lane("left_heel", heel[1]))
    page.mouse.down()
    page.mouse.move(*lane("left_heel", heel[1] + 0.1), steps=3)
    page.mouse.up()
    page.mouse.dblclick(*lane("seat", 0.5))
    page.locator("#save-contacts").click()
    tab.wait("!studio.contacts.changed")
    library, clip = tab.run("[studio.contacts.library, studio.contacts.clip]")
    saved = tomllib.loads((server.work / "libraries" / library / "library.toml").read_text())
    kept = saved["clips"][clip]["contacts"]
    assert kept["left_heel"][0] == pytest.approx([heel[0], heel[1] + 0.1], abs=0.04)
    assert kept["seat"][0] == pytest.approx([0.4, 0.6], abs=0.04)
    page.locator("#mode-plan").click()
    assert tab.errors == []


def test_bad_files_are_refused_in_a_sentence_and_good_ones_are_taken(
    tab: Tab, tmp_path: Path
) -> None:
    reset(tab)
    bad = {"broken.toml": b"size = [", "no.glb": b"glTF?", "no.bvh": b"HIERARCHY", "no.zip": b"PK",
           "notes.txt": b"hello"}  # fmt: skip
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
        tab.give(tmp_path / name)
        sentence = tab.toasts()[-1]
        assert sentence.count("\n") == 0
        assert len(sentence) > 12
        assert "Traceback" not in sentence
    refused = [error for error in tab.errors if "422" in error]
    assert len(refused) == len(tab.errors)
    tab.errors.clear()
    assert tab.run("studio.app.store.doc.scene_name") == "yard"
    task = tmp_path / "walk.toml"
    task.write_text('scene = "room"\nfrom = [0.0, 0.0, 90.0]\nto = [0.5, 1.0]\nspeed = 1.1\n')
    tab.give(task)
    doc = tab.run("studio.app.store.doc")
    assert (doc["speed"], doc["start"]["yaw_deg"], len(doc["stages"])) == (1.1, 90, 1)
    assert tab.errors == []


def test_reload_second_tab_restart_and_session_file(context: Any, tmp_path: Path) -> None:
    server = Server(tmp_path / "work")
    one = Tab(context, server.address)
    one.page.locator("#method").select_option("blending")
    one.run("studio.app.useScene('hills')")
    x, z = one.run("[studio.app.store.doc.start.x, studio.app.store.doc.start.z]")
    one.look([x, 0.0, z], ABOVE)
    one.click([x + 0.8, z + 1.0])
    one.wait("studio.app.job !== null || studio.app.shown.length > 0")
    one.run("studio.app.saveNow()")
    one.open(server.address)  # while it is planned
    shown = one.plan_shown()
    assert one.run("studio.app.store.doc.scene_name") == "hills"

    two = Tab(context, server.address)
    two.wait(f"studio.app.shown[0] === '{shown}'")
    one.page.locator("input[aria-label=Speed]").fill("1.5")
    one.page.locator("input[aria-label=Speed]").press("Tab")
    two.wait("studio.app.store.doc.speed === 1.5")
    two.page.locator("input[aria-label=Seed]").fill("7")
    two.page.locator("input[aria-label=Seed]").press("Tab")
    one.wait("studio.app.store.doc.seed === 7")
    assert not [each for each in one.toasts() + two.toasts() if "tab" in each]
    two.page.close()

    session = one.export("session", tmp_path)
    port = server.address.rsplit(":", 1)[1].strip("/")
    assert server.stop() < 10.0
    one.wait("!studio.app.connected")
    one.errors.clear()  # requests of a page whose server is away
    again = Server(tmp_path / "work", "--port", port)
    one.wait("studio.app.connected")
    one.wait(f"studio.app.plans.map(each => each.id).join() === '{shown}'")
    again.client.delete(f"/api/plans/{shown}")
    one.wait("studio.app.plans.length === 0")
    one.run("studio.app.useScene('room')")
    one.run("studio.app.saveNow()")
    one.errors.clear()
    one.give(session)
    assert one.run("studio.app.store.doc.scene_name") == "hills"
    assert one.run("[studio.app.store.doc.speed, studio.app.store.doc.seed]") == [1.5, 7]
    assert one.run("studio.app.shown") == [shown]
    assert one.errors == []
    again.stop()
    assert again.process.returncode == 0
