"""Downloads from a real server: broken off, resumed, wrong, endless, offline."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.library.fetch.download import Patience, download
from tests.library.web import Manners, web_server

CONTENT = random.Random(5).randbytes(300_000)
SUM = hashlib.sha256(CONTENT).hexdigest()
HASTY = Patience(timeout_s=5.0, tries=3, wait_s=0.01, slow_s=0.3)


@pytest.fixture
def web() -> Iterator[Manners]:
    with web_server() as manners:
        manners.files["/a.zip"] = CONTENT
        yield manners


def fetched(web: Manners, to: Path, **options) -> bytes:
    found = download(f"{web.url}/a.zip", to, patience=HASTY, **options)
    assert found == hashlib.sha256(to.read_bytes()).hexdigest()
    assert sorted(p.name for p in to.parent.iterdir()) == [to.name]
    return to.read_bytes()


def test_a_file_comes_whole_with_progress(web: Manners, tmp_path: Path) -> None:
    told: list[float] = []
    assert fetched(web, tmp_path / "a.zip", sha256=SUM, progress=told.append) == CONTENT
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_broken_connection_is_taken_up_where_it_broke(web: Manners, tmp_path: Path) -> None:
    web.breaks = [100_000, 50_000, None]
    assert fetched(web, tmp_path / "a.zip") == CONTENT
    assert [a.get("range") for a in web.asked] == [None, "bytes=100000-", "bytes=150000-"]
    assert web.asked[1]["if-range"] == '"one"'
    assert web.sent == len(CONTENT)


def test_a_later_run_goes_on_where_the_first_stopped(web: Manners, tmp_path: Path) -> None:
    web.breaks = [120_000, 0, 0, 0, 0]
    with pytest.raises(InputError, match=r"what has come so far is kept"):
        fetched(web, tmp_path / "a.zip")
    assert len(web.asked) == 4
    web.breaks = []
    assert fetched(web, tmp_path / "a.zip") == CONTENT
    assert web.sent == len(CONTENT)


def test_a_file_that_changed_meanwhile_begins_anew(web: Manners, tmp_path: Path) -> None:
    web.breaks = [120_000, 0, 0, 0, 0]
    with pytest.raises(InputError):
        fetched(web, tmp_path / "a.zip")
    web.breaks = []
    other = CONTENT[::-1]
    web.files["/a.zip"], web.etag = other, '"two"'
    assert fetched(web, tmp_path / "a.zip") == other


def test_a_server_that_knows_no_parts_sends_all_again(web: Manners, tmp_path: Path) -> None:
    web.ranges, web.breaks = False, [100_000, None]
    assert fetched(web, tmp_path / "a.zip") == CONTENT


@pytest.mark.parametrize("etag", ["", 'W/"weak"'])
def test_without_a_version_nothing_is_pieced_together(
    etag: str, web: Manners, tmp_path: Path
) -> None:
    web.etag, web.breaks = etag, [100_000, None]
    assert fetched(web, tmp_path / "a.zip") == CONTENT
    assert "range" not in web.asked[1]


def test_with_a_checksum_parts_fit_without_a_version(web: Manners, tmp_path: Path) -> None:
    web.etag, web.breaks = "", [100_000, None]
    assert fetched(web, tmp_path / "a.zip", sha256=SUM) == CONTENT
    assert web.asked[1]["range"] == "bytes=100000-"


def test_another_part_than_asked_for_is_not_used(web: Manners, tmp_path: Path) -> None:
    web.wrong_range, web.breaks = True, [100_000]
    assert fetched(web, tmp_path / "a.zip") == CONTENT


def test_a_part_that_is_the_whole_file_already_is_taken(web: Manners, tmp_path: Path) -> None:
    to = tmp_path / "a.zip"
    (tmp_path / "a.zip.part").write_bytes(CONTENT)
    note = '{"url": "%s/a.zip", "etag": "\\"one\\"", "modified": ""}'
    (tmp_path / "a.zip.part.json").write_text(note % web.url)
    assert fetched(web, to) == CONTENT
    assert web.sent == 0


@pytest.mark.parametrize("note", ["", "nonsense", "[]", '{"url": "http://other/a.zip"}'])
def test_a_part_of_unknown_origin_is_not_used(note: str, web: Manners, tmp_path: Path) -> None:
    (tmp_path / "a.zip.part").write_bytes(b"something else")
    (tmp_path / "a.zip.part.json").write_text(note)
    assert fetched(web, tmp_path / "a.zip") == CONTENT
    assert "range" not in web.asked[0]


def test_a_wrong_checksum_is_refused_and_nothing_stays(web: Manners, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another checksum than it should"):
        download(f"{web.url}/a.zip", tmp_path / "a.zip", sha256="0" * 64, patience=HASTY)
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_a_stated_length_comes_whole(web: Manners, tmp_path: Path) -> None:
    web.length = False
    assert fetched(web, tmp_path / "a.zip", sha256=SUM) == CONTENT


@pytest.mark.parametrize("length", [True, False])
def test_a_file_that_is_too_large_is_refused(length: bool, web: Manners, tmp_path: Path) -> None:
    web.length = length
    small = replace(HASTY, most_bytes=200_000)
    with pytest.raises(InputError, match="larger than it may be"):
        download(f"{web.url}/a.zip", tmp_path / "a.zip", patience=small)
    assert list(tmp_path.iterdir()) == []


def test_a_busy_server_is_asked_again(web: Manners, tmp_path: Path) -> None:
    web.status["/a.zip"] = [503, 429]
    assert fetched(web, tmp_path / "a.zip") == CONTENT


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_server_that_refuses_is_not_asked_again(
    status: int, web: Manners, tmp_path: Path
) -> None:
    web.status["/a.zip"] = [status]
    with pytest.raises(InputError, match=f"the server answers {status}"):
        fetched(web, tmp_path / "a.zip")
    assert len(web.asked) == 1


def test_a_server_that_drips_is_given_up(web: Manners, tmp_path: Path) -> None:
    web.drip_s, web.etag = 0.02, ""
    with pytest.raises(InputError, match="next to nothing"):
        fetched(web, tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == [], "nothing can go on with what came"


def test_a_server_that_drips_is_given_up_even_where_each_try_brings_a_little(
    web: Manners, tmp_path: Path
) -> None:
    web.drip_s = 0.02
    with pytest.raises(InputError, match=r"next to nothing \(under 2 kB/s\) \(what .* is kept\)"):
        fetched(web, tmp_path / "a.zip")
    assert len(web.asked) == HASTY.tries
    web.drip_s = 0.0
    assert fetched(web, tmp_path / "a.zip") == CONTENT


@pytest.mark.parametrize("length", [True, False])
def test_a_download_that_takes_too_long_ends_however_fast_it_is(
    length: bool, web: Manners, tmp_path: Path
) -> None:
    web.drip_s, web.length = 0.001, length
    brief = replace(HASTY, total_s=0.5, least_rate=1e-3)
    with pytest.raises(InputError, match=r"it takes longer than 0\.5 s"):
        download(f"{web.url}/a.zip", tmp_path / "a.zip", patience=brief)


@pytest.mark.parametrize("wrong", [{"total_s": 0.0}, {"most_bytes": -1}, {"least_rate": "x"}])
def test_a_patience_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a number above 0"):
        replace(HASTY, **wrong)


def test_redirects_are_followed_and_parts_asked_for_there(web: Manners, tmp_path: Path) -> None:
    web.redirects["/from"] = f"{web.url}/a.zip"
    web.breaks = [100_000, None]
    download(f"{web.url}/from", tmp_path / "a.zip", sha256=SUM, patience=HASTY)
    assert web.asked[-1]["range"] == "bytes=100000-"


@pytest.mark.parametrize(
    "to", ["/from", "file:///etc/passwd", "ftp://127.0.0.1/a", "http://example.invalid/a.zip"]
)
def test_redirects_in_circles_or_elsewhere_are_refused(
    to: str, web: Manners, tmp_path: Path
) -> None:
    web.redirects["/from"] = to
    with pytest.raises(InputError) as caught:
        download(f"{web.url}/from", tmp_path / "a.zip", patience=HASTY)
    assert len(str(caught.value).splitlines()) == 1
    assert len(web.asked) <= 6
    assert list(tmp_path.iterdir()) == []


def test_offline_is_one_sentence_at_once(tmp_path: Path) -> None:
    with web_server() as manners:
        url = manners.url
    patience = Patience(tries=5, wait_s=30.0)
    with pytest.raises(InputError, match=r"this machine is offline or the server is") as caught:
        download(f"{url}/a.zip", tmp_path / "a.zip", patience=patience)
    assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_nonsense_instead_of_http_is_one_sentence(tmp_path: Path) -> None:
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            for _ in range(9):
                try:
                    other, _ = server.accept()
                except OSError:
                    return
                with other:
                    other.recv(1000)
                    other.sendall(b"\x00\xff nonsense\r\n\r\n" * 50)

        threading.Thread(target=answer, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.zip"
        with pytest.raises(InputError, match="cannot be fetched"):
            download(url, tmp_path / "a.zip", patience=HASTY)


@given(breaks=st.lists(st.integers(1, 120_000), max_size=8), etag=st.sampled_from(["", '"x"']))
def test_however_it_breaks_the_file_is_whole(
    breaks: list[int], etag: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with web_server() as web:
        web.files["/a.zip"], web.etag, web.breaks = CONTENT, etag, list(breaks)
        folder = tmp_path_factory.mktemp("whole")
        patience = Patience(tries=20, wait_s=0.0)
        download(f"{web.url}/a.zip", folder / "a.zip", sha256=SUM, patience=patience)
        assert (folder / "a.zip").read_bytes() == CONTENT
