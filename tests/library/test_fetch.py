"""Fetching a set: from a server on this machine to a library, whatever happens on the way."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from footfall.errors import InputError
from footfall.library.build.build import build_library
from footfall.library.fetch.download import Patience
from footfall.library.fetch.fetch import FetchResult, fetch
from footfall.library.fetch.registry import Dataset, known_set, own_set, registry
from footfall.library.library import open_library
from tests.library.web import Manners, web_server
from tests.program import run_program

HASTY = Patience(timeout_s=5.0, tries=2, wait_s=0.01)


@pytest.fixture(scope="module")
def archive(three_walks: Path) -> bytes:
    """A zip of three clips and a read-me."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(three_walks.iterdir()):
            made.write(path, f"takes/{path.name}")
        made.writestr("takes/README.txt", "hello")
    return data.getvalue()


@pytest.fixture
def web(archive: bytes) -> Iterator[Manners]:
    with web_server() as manners:
        manners.files["/takes.zip"] = archive
        yield manners


def dataset(web: Manners, sha256: str = "") -> Dataset:
    return replace(own_set(f"{web.url}/takes.zip", sha256), licence="CC BY 4.0")


def brought(web: Manners, folder: Path, sha256: str = "", **options) -> FetchResult:
    return fetch(dataset(web, sha256), folder, patience=HASTY, **options)


def test_a_set_becomes_a_library_that_knows_its_origin(
    web: Manners, archive: bytes, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    stages: list[str] = []
    done = brought(web, lib, progress=lambda stage, share: stages.append(stage))
    assert list(dict.fromkeys(stages)) == ["downloading", "unpacking", "building"]
    found = hashlib.sha256(archive).hexdigest()
    assert (done.sha256, done.checked, done.there) == (found, False, False)
    assert done.built.library.names == ("walk0", "walk1", "walk2")
    assert {e.licence for e in done.built.library.entries} == {"CC BY 4.0"}
    (line,) = tomllib.loads((lib / "library.toml").read_text())["sources"]
    assert line == {
        "path": "sources/takes", "licence": "CC BY 4.0", "url": f"{web.url}/takes.zip",
        "sha256": found,
    }  # fmt: skip
    assert not (lib / ".footfall" / "fetch").exists()
    assert not list(lib.rglob("*.zip"))
    assert not list(lib.rglob("*.txt"))


def test_the_origin_survives_rebuilding_and_adding(
    web: Manners, tmp_path: Path, walks: Path
) -> None:
    lib = tmp_path / "lib"
    brought(web, lib)
    before = tomllib.loads((lib / "library.toml").read_text())["sources"][0]
    build_library(lib, [walks], add=True, fps=60.0)
    after = tomllib.loads((lib / "library.toml").read_text())["sources"]
    assert after[0] == before
    assert len(after) == 2


def test_a_set_that_is_there_is_not_fetched_again(web: Manners, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    brought(web, lib)
    asked = len(web.asked)
    again = brought(web, lib)
    assert again.there
    assert again.built.kept == 3
    assert len(web.asked) == asked


def test_a_set_taken_on_trust_has_to_be_the_same_the_next_time(
    web: Manners, archive: bytes, tmp_path: Path
) -> None:
    lib = tmp_path / "lib"
    brought(web, lib)
    assert brought(web, lib, again=True).checked
    web.files["/takes.zip"] = archive + b"\0"
    with pytest.raises(InputError, match="another checksum than it should"):
        brought(web, lib, again=True)
    assert len(open_library(lib)) == 3
    assert (lib / "sources" / "takes" / "takes" / "walk0.bvh").is_file()


def test_a_wrong_checksum_leaves_no_library(web: Manners, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    with pytest.raises(InputError, match="another checksum"):
        brought(web, lib, sha256="0" * 64)
    assert not lib.exists()


@pytest.mark.parametrize("content", [b"<html>", b"PK\x03\x04 cut off", b""])
def test_what_cannot_be_unpacked_is_fetched_anew_the_next_time(
    content: bytes, web: Manners, archive: bytes, tmp_path: Path
) -> None:
    web.files["/takes.zip"] = content
    with pytest.raises(InputError, match=r"is no archive|damaged"):
        brought(web, tmp_path / "lib")
    assert not (tmp_path / "lib").exists()
    web.files["/takes.zip"] = archive
    assert len(brought(web, tmp_path / "lib").built.library) == 3


def test_a_refused_fetch_leaves_what_was_there_before(web: Manners, tmp_path: Path) -> None:
    lib = tmp_path / "new" / "lib"
    for missing in ("new", "lib"):
        web.status["/takes.zip"] = [404]
        with pytest.raises(InputError, match="404"):
            brought(web, lib)
        assert not (tmp_path / "new").exists() if missing == "new" else lib.parent.is_dir()
        lib.parent.mkdir(exist_ok=True)
    lib.mkdir()
    (lib / "mine.txt").write_text("mine")
    web.status["/takes.zip"] = [404]
    with pytest.raises(InputError, match="404"):
        brought(web, lib)
    assert (lib / "mine.txt").read_text() == "mine"


def test_a_broken_download_goes_on_the_next_time(
    web: Manners, archive: bytes, tmp_path: Path
) -> None:
    web.breaks = [len(archive) // 2, 0, 0]
    with pytest.raises(InputError, match="is kept"):
        brought(web, tmp_path / "lib")
    web.breaks = []
    assert len(brought(web, tmp_path / "lib").built.library) == 3
    assert web.sent == len(archive)


def test_rubbish_of_a_killed_unpacking_is_cleared(web: Manners, tmp_path: Path) -> None:
    half = tmp_path / "lib" / ".footfall" / "fetch" / "unpacked" / "takes"
    half.mkdir(parents=True)
    (half / "walk9.bvh").write_text("half")
    assert brought(web, tmp_path / "lib").built.library.names == ("walk0", "walk1", "walk2")
    assert not (tmp_path / "lib" / ".footfall" / "fetch").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a thing of POSIX")
def test_fetches_killed_at_any_moment_end_well(web: Manners, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from footfall.library.fetch.fetch import fetch\n"
        "from footfall.library.fetch.registry import own_set\n"
        "print('on', flush=True); fetch(own_set(sys.argv[1]), Path(sys.argv[2]))\n"
    )
    command = [sys.executable, "-c", code, f"{web.url}/takes.zip", str(tmp_path / "lib")]
    for pause in (0.02, 0.15, 0.6):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as work:
            assert work.stdout is not None
            work.stdout.readline()
            time.sleep(pause)
            os.kill(work.pid, signal.SIGKILL)
    assert len(brought(web, tmp_path / "lib").built.library) == 3
    files = {p.relative_to(tmp_path / "lib").parts[0] for p in (tmp_path / "lib").rglob("*")}
    assert files == {"library.toml", "sources", ".footfall"}
    assert not (tmp_path / "lib" / ".footfall" / "fetch").exists()


def test_two_sets_share_a_library(web: Manners, archive: bytes, tmp_path: Path) -> None:
    web.files["/more.zip"] = archive
    brought(web, tmp_path / "lib")
    done = fetch(own_set(f"{web.url}/more.zip"), tmp_path / "lib", patience=HASTY)
    assert len(done.built.library) == 6


def test_every_known_set_states_its_terms_and_a_safe_address() -> None:
    assert {"cmu", "accad_male1", "100style"} <= set(registry())
    for name, one in registry().items():
        assert known_set(name) is one
        assert all((one.title, one.holds, one.licence, one.terms, one.credit, one.page))
        assert one.url.startswith(("https://", "http://mocap.cs.cmu.edu/"))
        assert len(one.sha256) in (0, 64)
        assert own_set(one.url, one.sha256 or "0" * 64).url == one.url


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: known_set("cmo"), "did you mean cmu"),
        (lambda: own_set("ftp://host/a.zip"), "begins with https"),
        (lambda: own_set("file:///etc/passwd"), "begins with https"),
        (lambda: own_set("takes.zip"), "begins with https"),
        (lambda: own_set("http://host/a.zip"), "not encrypted"),
        (lambda: own_set("https://me:word@host/a.zip"), "holds a password"),
        (lambda: own_set("https://host/a b.zip"), "the address is"),
        (lambda: own_set("https://host:99999/a.zip"), "the address is"),
        (lambda: own_set("https://[host/a.zip"), "the address is"),
        (lambda: own_set("https://host/a.zip", "12"), "64 hexadecimal digits"),
    ],
)
def test_wrong_names_and_addresses_are_one_sentence(call, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://host/takes.tar.gz?download=1", "takes"),
        ("https://host/My%20takes%2F..%2Fx.zip", "x"),
        ("https://host/..", "fetched"),
        ("https://host/", "fetched"),
        ("https://host/walk.bvh", "walk_bvh"),
    ],
)
def test_a_set_is_named_after_its_file(url: str, name: str) -> None:
    assert own_set(url).name == name


def command(*words: str, cwd: Path, answer: str = "") -> subprocess.CompletedProcess[str]:
    return run_program("library", "fetch", *words, cwd=cwd, stdin=answer)


def test_the_verb_shows_the_licence_and_wants_a_yes(web: Manners, tmp_path: Path) -> None:
    words = ("--url", f"{web.url}/takes.zip", "--licence", "CC BY 4.0", "-o", "lib")
    refused = command(*words, cwd=tmp_path)
    assert refused.returncode == 2
    assert "CC BY 4.0" in refused.stdout
    assert "--yes" in refused.stderr
    assert not web.asked
    done = command(*words, "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "taken on trust" in done.stderr
    assert "3 made" in done.stdout
    said = json.loads(command(*words, "--yes", "--json", cwd=tmp_path).stdout)
    assert (said["clips"], said["kept"], len(said["sha256"])) == (3, 3, 64)


def test_the_verb_lists_the_sets_there_are(tmp_path: Path) -> None:
    done = command("--list", cwd=tmp_path)
    assert all(name in done.stdout for name in registry())
    said = json.loads(command("--list", "--json", cwd=tmp_path).stdout)
    assert {one["name"] for one in said["sets"]} == set(registry())
    assert not list(tmp_path.iterdir())


def test_the_verb_says_in_one_sentence_that_nobody_answers(tmp_path: Path) -> None:
    with web_server() as manners:
        url = manners.url
    done = command("--url", f"{url}/a.zip", "--yes", cwd=tmp_path)
    assert done.returncode == 2
    assert "offline" in done.stderr
    assert not list(tmp_path.iterdir())
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "fetch --list"),
        (("cmo", "--yes"), "did you mean cmu"),
        (("cmu", "--sha256", "0" * 64), "are for --url"),
        (("cmu", "--max-time", "0"), "--max-time is 0"),
        (("cmu", "--max-size", "nan"), "--max-size is nan"),
    ],
)
def test_wrong_words_are_one_sentence(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
