"""The studio's server, over real sockets and with real planners."""

from __future__ import annotations

import json
import signal
import struct
import zipfile
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from footfall.files.formats import load
from footfall.render.player.page import is_built
from footfall.studio.app import FRONT_END
from tests.studio.conftest import Server

WALK = {"from": [0, 0, 0], "to": [0.5, 3.0]}
BOX = {"kind": "box", "at": [0.0, 1.5], "size": [0.5, 1.0, 0.5]}
ROOM = {"name": "yard", "size": [12.0, 12.0], "obstacle": [BOX]}


def plan(server: Server, **more: object) -> dict[str, object]:
    body = {"kind": "plan", "task": WALK, "method": "blending", **more}
    answer = server.client.post("/api/jobs", json=body)
    assert answer.status_code == 201, answer.text
    return server.finish(answer.json())


@pytest.fixture(scope="module")
def walk(server: Server) -> str:
    job = plan(server, name="a walk")
    assert job["status"] == "done", job
    return str(job["plans"][0])  # type: ignore[index]


def test_a_planned_walk_can_be_drawn_and_exported(
    server: Server, walk: str, tmp_path: Path
) -> None:
    facts = server.client.get(f"/api/plans/{walk}").json()
    assert facts["found"]
    assert facts["name"] == "a walk"
    document = server.client.get(f"/api/plans/{walk}/document").json()
    assert document["format"] == "footfall-motion"
    assert document["motions"][0]["frames"] == facts["frames"]
    for kind in ("bvh", "glb", "npz"):
        answer = server.client.get(f"/api/plans/{walk}/export", params={"format": kind})
        file = tmp_path / f"walk.{kind}"
        file.write_bytes(answer.content)
        clip = load(file)
        assert len(clip) == facts["frames"]
        assert np.hypot(clip.root[-1, 0] - 0.5, clip.root[-1, 2] - 3.0) < 0.2
    task = server.client.get(f"/api/plans/{walk}/export", params={"format": "task"}).text
    assert "from = [0, 0, 0]" in task


def test_alternatives_have_seeds_of_their_own(server: Server) -> None:
    job = plan(server, alternatives=2)
    facts = [server.client.get(f"/api/plans/{p}").json() for p in job["plans"]]  # type: ignore[attr-defined]
    assert [f["seed"] for f in facts] == [0, 1]


def test_a_job_is_cancelled(server: Server) -> None:
    far = {"from": [0, 0, 0], "to": [400, 400]}
    body = {"kind": "plan", "task": far, "method": "blending", "alternatives": 8}
    job = server.client.post("/api/jobs", json=body).json()
    server.client.delete(f"/api/jobs/{job['id']}")
    assert server.finish(job)["status"] == "cancelled"


def test_a_footprint_is_dragged_and_the_others_stay(server: Server, walk: str) -> None:
    old = server.client.get(f"/api/plans/{walk}/document").json()["motions"][0]["footprints"]
    middle = len(old) // 2
    x, _, z = old[middle]["p"]
    body = {"kind": "footprint", "plan": walk, "footprint": middle, "x": x + 0.03, "z": z + 0.03}
    job = server.finish(server.client.post("/api/jobs", json=body).json())
    assert job["status"] == "done", job["error"]
    new = server.client.get(f"/api/plans/{job['plans'][0]}/document").json()  # type: ignore[index]
    prints = new["motions"][0]["footprints"]
    assert abs(prints[middle]["p"][0] - x - 0.03) < 0.01
    assert abs(prints[0]["p"][0] - old[0]["p"][0]) < 0.01


def test_a_moved_point_bends_the_motion_around_it_alone(server: Server, tmp_path: Path) -> None:
    task = {"from": [0, 0, 0], "stages": [{"do": "via", "at": [0, 4]}, {"do": "via", "at": [1, 8]},
                                          {"do": "go to", "at": [0, 12]}]}  # fmt: skip
    first = plan(server, task=task)["plans"][0]  # type: ignore[index]
    body = {"kind": "replan", "plan": first, "stage": 1, "at": [1.4, 8.0]}
    job = server.finish(server.client.post("/api/jobs", json=body).json())
    second = job["plans"][0]  # type: ignore[index]
    facts = server.client.get(f"/api/plans/{second}").json()
    assert facts["found"]
    begin, end = (round(t * facts["fps"]) for t in facts["changed_s"])
    clips = []
    for one in (first, second):
        file = tmp_path / f"{one}.npz"
        file.write_bytes(server.client.get(f"/api/plans/{one}/export?format=npz").content)
        clips.append(load(file))
    away = np.abs(clips[1].root - clips[0].root).max(axis=1)
    margin = round(0.5 * facts["fps"])  # feet that stand across the borders of the bend
    assert away[: begin - margin].max() < 0.01
    assert away[end + margin :].max() < 0.01
    assert away.max() > 0.3
    query = server.client.get(f"/api/plans/{second}/query").json()
    assert query["task"]["stages"][1]["at"] == [1.4, 8.0]


def test_a_point_moved_far_is_planned_again(server: Server, walk: str) -> None:
    body = {"kind": "replan", "plan": walk, "stage": 0, "at": [-6.0, -2.0]}
    job = server.finish(server.client.post("/api/jobs", json=body).json())
    facts = server.client.get(f"/api/plans/{job['plans'][0]}").json()  # type: ignore[index]
    assert facts["found"]
    assert "changed_s" not in facts


def test_pages_are_small(server: Server) -> None:
    if not is_built() or not (FRONT_END / "index.html").exists():
        pytest.skip("the pages were not built (Node.js)")
    assert sum(f.stat().st_size for f in FRONT_END.rglob("*") if f.is_file()) < 1_000_000
    task = {"from": [0, 0, 0], "to": [0.0, 44.0]}
    job = plan(server, task=task)
    facts = server.client.get(f"/api/plans/{job['plans'][0]}").json()  # type: ignore[index]
    assert facts["seconds"] > 30.0
    page = server.client.get(f"/api/plans/{facts['id']}/export", params={"format": "html"})
    assert len(page.content) < 3_000_000


def test_two_tabs_see_each_others_changes(server: Server) -> None:
    with connect(f"{server.socket}api/events") as one, connect(f"{server.socket}api/events") as two:
        hello = json.loads(one.recv(10))
        assert json.loads(two.recv(10))["type"] == "hello"
        session = {"scene": ROOM, "task": WALK}
        body = {"revision": hello["revision"], "client": hello["client"], "session": session}
        assert server.client.put("/api/session", json=body).status_code == 200
        news = json.loads(two.recv(10))
        assert (news["type"], news["client"]) == ("session", hello["client"])
        stale = server.client.put("/api/session", json=body)
        assert stale.status_code == 409
        assert stale.json()["revision"] == news["revision"]


def test_a_scene_is_drawn_kept_and_removed(server: Server) -> None:
    document = server.client.post("/api/scene/document", json={"scene": ROOM}).json()
    assert {s["index"] for s in document["scene"]["shapes"] if s["kind"] == "box"} == {0}
    assert server.client.put("/api/scenes/yard", json={"table": ROOM}).status_code == 200
    kept = server.client.get("/api/scenes/yard").json()
    assert kept["table"]["obstacle"][0]["size"] == BOX["size"]
    assert server.client.delete("/api/scenes/yard").status_code == 200
    assert server.client.get("/api/scenes/yard").status_code == 404
    assert server.client.delete("/api/scenes/room").status_code == 409


def test_a_chair_can_be_sat_on(server: Server) -> None:
    scene = {"size": [6.0, 6.0], "obstacle": [{"kind": "chair", "at": [1.0, 1.0]}]}
    offers = server.client.post("/api/scene/stages", json={"scene": scene, "obstacle": 0}).json()
    assert offers[0]["stages"][0]["do"] == "sit"
    assert offers[0]["stages"][0]["height_m"] == pytest.approx(0.45)


def test_contacts_are_corrected_in_a_copied_library(server: Server) -> None:
    names = server.client.get("/api/libraries/default:park").json()["clips"]
    first = names[0]["name"]
    body = {"name": "mine", "from": "default:park", "clips": [first]}
    assert server.client.post("/api/libraries", json=body).status_code == 200
    clip = server.client.get("/api/libraries/mine").json()["clips"][0]["name"]
    where = {"library": "mine", "clip": clip}
    put = server.client.put(
        "/api/clip/contacts", params=where, json={"points": {"left_heel": [[0.1, 0.4]]}}
    )
    assert put.status_code == 200, put.text
    assert put.json()["points"]["left_heel"] == [[0.1, 0.4]]
    assert "left_heel = [[0.1, 0.4]]" in (server.work / "libraries/mine/library.toml").read_text()
    fixed = {"library": "default:park", "clip": first}
    answer = server.client.put("/api/clip/contacts", params=fixed, json={"points": {}})
    assert answer.status_code == 409


def test_live_poses_follow_the_steering_and_are_recorded(server: Server) -> None:
    with connect(f"{server.socket}api/live", max_size=None) as socket:
        socket.send(json.dumps({"type": "start", "scene": ROOM, "place": [3, -3, 0], "crowd": 3}))
        ready = json.loads(socket.recv(120))
        assert ready["characters"] == 4
        socket.send(json.dumps({"type": "record", "on": True}))
        steer = {"type": "steer", "seq": 7, "target": [3, 3], "speed": 1.4}
        socket.send(json.dumps(steer))
        joints, places = len(ready["joints"]), []
        while len(places) < 120:
            frame = socket.recv(10)
            assert isinstance(frame, bytes)
            magic, _, _, seq, count, bones, _, _ = struct.unpack_from("<4sIdIHHfI", frame)
            assert (magic, count, bones) == (b"FFP1", 4, joints)
            assert len(frame) == 32 + count * (12 + 8 * joints)
            if seq == 7:
                places.append(struct.unpack_from("<3f", frame, 32))
        assert places[-1][2] - places[0][2] > 0.8
        socket.send(json.dumps({"type": "record", "on": False, "name": "take"}))
        while isinstance(text := socket.recv(30), bytes):
            pass
        taken = json.loads(text)["plan"]
    assert taken["kind"] == "recording"
    answer = server.client.get(f"/api/plans/{taken['id']}/export", params={"format": "bvh"})
    assert answer.text.startswith("HIERARCHY")


@pytest.mark.parametrize("name", ["../x.bvh", "..", ".hidden.toml", "a/b.toml", "a\\b.toml",
                                  "x\x00.toml", "a" * 200 + ".toml", "CON:.toml"])  # fmt: skip
def test_hostile_names_are_refused(server: Server, name: str) -> None:
    for kind in ("scene", "character", "clip", "task"):
        params = {"kind": kind, "name": name, "library": "mine2"}
        answer = server.client.post("/api/uploads", params=params, content=b"name = 1")
        assert answer.status_code == 422, answer.text
    answer = server.client.get(f"/api/scenes/{quote(name, safe='').replace('.', '%2E')}")
    assert answer.status_code in (404, 422)


def test_a_damaged_upload_leaves_nothing(server: Server) -> None:
    for kind, name in (("scene", "bad.toml"), ("character", "bad.glb"), ("scene", "bad.obj")):
        params = {"kind": kind, "name": name}
        answer = server.client.post("/api/uploads", params=params, content=b"\x80garbage")
        assert answer.status_code == 422, answer.text
        assert not list(server.work.glob(f"*/{name}"))


def test_a_large_body_is_refused(server: Server) -> None:
    answer = server.client.put("/api/session", content=b" " * (17 << 20))
    assert answer.status_code == 413


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"},
                                     {"origin": "null"}])  # fmt: skip
def test_foreign_hosts_and_origins_are_refused(server: Server, headers: dict[str, str]) -> None:
    assert server.client.get("/api/state", headers=headers).status_code == 403
    if "origin" in headers:
        with pytest.raises(InvalidStatus):
            connect(f"{server.socket}api/live", additional_headers=headers)


def test_answers_have_security_headers(server: Server) -> None:
    headers = server.client.get("/api/state").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_restart_keeps_session_and_plans(tmp_path: Path) -> None:
    first = Server(tmp_path)
    body = {"revision": 0, "session": {"scene": ROOM, "task": WALK}}
    assert first.client.put("/api/session", json=body).json() == {"revision": 1}
    job = plan(first)
    content = first.client.get("/api/session/file").content
    assert first.stop(signal.SIGTERM) < 4.0
    again = Server(tmp_path)
    state = again.client.get("/api/state").json()
    assert state["session"]["scene"] == ROOM
    assert [p["id"] for p in state["plans"]] == job["plans"]
    for one in job["plans"]:  # type: ignore[attr-defined]
        again.client.delete(f"/api/plans/{one}")
    assert again.client.post("/api/session/file", content=content).status_code == 200
    assert [p["id"] for p in again.client.get("/api/plans").json()] == job["plans"]
    assert again.stop(signal.SIGINT) < 4.0
    assert again.process.returncode == 0


def test_a_hostile_session_file_is_refused(server: Server) -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("session.json", "{}")
        archive.writestr("plans/../../evil.json", "{}")
    answer = server.client.post("/api/session/file", content=out.getvalue())
    assert answer.status_code == 422
    assert server.client.post("/api/session/file", content=b"PK no").status_code == 422


def test_other_addresses_need_the_token(tmp_path: Path) -> None:
    made = Server(tmp_path, "--host", "0.0.0.0", "--token", "secret")
    base = made.address.partition("?")[0].replace("0.0.0.0", "127.0.0.1")
    try:
        with httpx.Client(base_url=base) as client:
            assert client.get("/api/state").status_code == 403
            header = {"authorization": "Bearer secret"}
            assert client.get("/api/state", headers=header).status_code == 200
            client.get("/", params={"token": "secret"})
            assert client.get("/api/state").status_code == 200  # by its cookie
    finally:
        made.stop()
