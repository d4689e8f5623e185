"""Archives that mean harm: whatever they hold, nothing is written but clips, in their folder."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.library.fetch.unpack import ArchiveLimits, unpack

CLIP = b"HIERARCHY\nROOT Hips\n"
FEW = ArchiveLimits(entries=50, total_bytes=1 << 20, file_bytes=1 << 19, free_bytes=1 << 14)


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = 8) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def tarred(*members: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            if info.isreg():
                info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def special(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def linked(name: str, mode: int = stat.S_IFLNK) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (mode | 0o777) << 16
    return info


def contents(folder: Path) -> dict[str, bytes]:
    """Everything below a folder; links and devices would fail the reading."""
    found = {}
    for path in folder.rglob("*"):
        assert not path.is_symlink()
        if not path.is_dir():
            assert path.is_file()
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def unpacked(data: bytes, place: Path, name: str = "a.zip") -> dict[str, bytes]:
    (place / name).write_bytes(data)
    count = unpack(place / name, place / "out", limits=FEW)
    assert sorted(p.name for p in place.iterdir()) == sorted([name, "out"])
    found = contents(place / "out")
    assert len(found) == count
    return found


def refused(data: bytes, place: Path, said: str, limits: ArchiveLimits = FEW) -> None:
    (place / "a.zip").write_bytes(data)
    with pytest.raises(InputError, match=said) as caught:
        unpack(place / "a.zip", place / "out", limits=limits)
    assert len(str(caught.value).splitlines()) == 1
    assert [p.name for p in place.iterdir()] == ["a.zip"]


MEMBERS = [("set/one.bvh", CLIP), ("set/deep/two.AMC", b"x"), ("set/read me.txt", b"hello")]


@pytest.mark.parametrize(
    "data",
    [
        zipped(*MEMBERS),
        zipped(*MEMBERS, method=0),
        tarred(*MEMBERS),
        gzip.compress(tarred(*MEMBERS)),
        bz2.compress(tarred(*MEMBERS)),
    ],
    ids=["zip", "stored", "tar", "gz", "bz2"],
)
def test_clips_come_out_and_nothing_else(data: bytes, tmp_path: Path) -> None:
    assert unpacked(data, tmp_path) == {"set/one.bvh": CLIP, "set/deep/two.AMC": b"x"}


def test_a_single_clip_is_taken_as_it_is(tmp_path: Path) -> None:
    assert unpacked(CLIP, tmp_path, "walk.bvh") == {"walk.bvh": CLIP}


OUTWARD = [
    "../out.bvh", "a/../../out.bvh", "/etc/out.bvh", "\\\\host\\share\\out.bvh", "..\\out.bvh",
    "C:\\out.bvh", "c:out.bvh", "a/..", "../read me.txt",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTWARD)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_path_that_leads_out_ends_it(pack, name: str, tmp_path: Path) -> None:
    refused(pack(("good.bvh", CLIP), (name, CLIP)), tmp_path, "leads out of it")


@pytest.mark.parametrize(
    "name", ["/".join("a" * 40) + "/x.bvh", "n" * 250 + ".bvh", "ü" * 120 + ".bvh"]
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_paths_without_end_are_refused(pack, name: str, tmp_path: Path) -> None:
    refused(pack((name, CLIP)), tmp_path, "too long")


def test_links_and_devices_are_passed_over(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    place = tmp_path / "place"
    place.mkdir()
    data = tarred(
        (special("link.bvh", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (special("hard.bvh", tarfile.LNKTYPE, "good.bvh"), b""),
        (special("pipe.bvh", tarfile.FIFOTYPE), b""),
        (special("device.bvh", tarfile.CHRTYPE), b""),
        (special("folder", tarfile.SYMTYPE, str(secret)), b""),
        ("folder/stolen.bvh", CLIP),
        ("good.bvh", CLIP),
    )
    assert unpacked(data, place) == {"folder/stolen.bvh": CLIP, "good.bvh": CLIP}
    assert not any(secret.iterdir())


def test_links_in_a_zip_are_passed_over(tmp_path: Path) -> None:
    data = zipped(
        (linked("link.bvh"), b"/etc/passwd"),
        (linked("pipe.bvh", stat.S_IFIFO), b""),
        (linked("folder"), b"/"),
        ("folder/one.bvh", CLIP),
    )
    assert unpacked(data, tmp_path) == {"folder/one.bvh": CLIP}


def test_hidden_files_and_archives_within_are_passed_over(tmp_path: Path) -> None:
    inner = zipped(("inner.bvh", CLIP))
    data = zipped(
        ("__MACOSX/one.bvh", b"x"), (".git/one.bvh", b"x"), ("._one.bvh", b"x"),
        ("inner.zip", inner), ("one.bvh", CLIP),
    )  # fmt: skip
    assert unpacked(data, tmp_path) == {"one.bvh": CLIP}


@pytest.mark.parametrize(
    ("name", "becomes"),
    [("take:1?.bvh", "take_1_.bvh"), ("con.bvh", "_con.bvh"), ("a. /x\n.bvh", "a/x_.bvh")],
)
def test_names_become_such_as_every_system_takes(name: str, becomes: str, tmp_path: Path) -> None:
    assert unpacked(tarred((name, CLIP)), tmp_path) == {becomes: CLIP}


@pytest.mark.parametrize(
    "pack", [zipped, lambda *m: gzip.compress(tarred(*m)), lambda *m: bz2.compress(tarred(*m))]
)
def test_a_bomb_ends_before_it_goes_off(pack, tmp_path: Path) -> None:
    refused(pack(("bomb.bvh", bytes(20 << 20))), tmp_path, "far more than it could hold")
    refused(pack(*((f"{k}.bvh", bytes(400_000)) for k in range(40))), tmp_path, "far more")


def test_a_bomb_of_another_kind_of_file_is_not_unpacked_at_all(tmp_path: Path) -> None:
    data = zipped(("bomb.bin", bytes(20 << 20)), ("one.bvh", CLIP))
    assert unpacked(data, tmp_path) == {"one.bvh": CLIP}


def test_a_zip_that_lies_about_sizes_is_counted_as_it_comes(tmp_path: Path) -> None:
    data = bytearray(zipped(("bomb.bvh", bytes(20 << 20))))
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, at + 24, 100)
    struct.pack_into("<L", data, 22, 100)
    refused(bytes(data), tmp_path, "far more|damaged")


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    many = [(f"{k}.txt", b"") for k in range(60)]
    refused(zipped(*many), tmp_path, "it holds 60 files")
    refused(tarred(*many), tmp_path, "more than 50 files")


def test_a_list_of_contents_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    data = zipped(*((f"{k:0100}.txt", b"") for k in range(400)))
    refused(data, tmp_path, "list of contents", ArchiveLimits(directory_bytes=10_000))
    sizes = bytearray(data)
    end = sizes.rfind(b"PK\x05\x06")
    record = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 400, 400, 10**12, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    struct.pack_into("<HHLL", sizes, end + 8, 0xFFFF, 0xFFFF, 100, 0xFFFFFFFF)
    refused(bytes(sizes[:end]) + record + locator + bytes(sizes[end:]), tmp_path, "list of")


def test_headers_that_claim_gigabytes_take_no_memory(tmp_path: Path) -> None:
    info = special("./PaxHeaders/x", tarfile.XHDTYPE)
    info.size = 7 << 30
    data = gzip.compress(info.tobuf(tarfile.USTAR_FORMAT) + bytes(30 << 20))
    tracemalloc.start()
    refused(data, tmp_path, "claims to be huge|damaged")
    assert tracemalloc.get_traced_memory()[1] < 20 << 20
    tracemalloc.stop()


def test_a_password_is_said(tmp_path: Path) -> None:
    data = bytearray(zipped(("one.bvh", CLIP)))
    for at in (6, data.rfind(b"PK\x01\x02") + 8):
        struct.pack_into("<H", data, at, struct.unpack_from("<H", data, at)[0] | 1)
    refused(bytes(data), tmp_path, "locked with a password")


def test_twice_the_same_file_is_refused(tmp_path: Path) -> None:
    data = tarred(("one.bvh", CLIP), ("./one.bvh", b"other"))
    refused(data, tmp_path, "two files called")


def test_a_file_below_a_file_is_refused(tmp_path: Path) -> None:
    refused(tarred(("one.bvh", CLIP), ("one.bvh/two.bvh", CLIP)), tmp_path, "unpacked|damaged")


@pytest.mark.parametrize("data", [b"", b"<html>log in</html>", os.urandom(5000), b"PK\x03\x04"])
def test_what_is_no_archive_is_said(data: bytes, tmp_path: Path) -> None:
    refused(data, tmp_path, "is no archive|cut off or damaged")


def test_an_archive_without_clips_is_said(tmp_path: Path) -> None:
    refused(zipped(("read me.txt", b"x")), tmp_path, "holds no clips")


@pytest.mark.parametrize("pack", ["zip", "tar", "gz", "bz2"])
def test_an_archive_that_is_cut_off_leaves_nothing(pack: str, tmp_path: Path) -> None:
    content = [(f"{k}.bvh", os.urandom(3000)) for k in range(8)]
    whole = {
        "zip": zipped(*content),
        "tar": tarred(*content),
        "gz": gzip.compress(tarred(*content)),
        "bz2": bz2.compress(tarred(*content)),
    }[pack]
    refused(whole[: len(whole) // 2 + 100], tmp_path, "cut off or damaged")


@given(
    kind=st.sampled_from(["zip", "tar", "gz"]),
    at=st.integers(0, 10_000),
    value=st.binary(min_size=1, max_size=8),
)
def test_damage_anywhere_is_one_sentence_or_harmless(
    kind: str, at: int, value: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("damage")
    members = [("a/one.bvh", CLIP * 9), ("two.bvh", os.urandom(600))]
    data = bytearray(zipped(*members) if kind == "zip" else tarred(*members))
    data = bytearray(gzip.compress(bytes(data))) if kind == "gz" else data
    at %= len(data)
    data[at : at + len(value)] = value
    (place / "a.zip").write_bytes(data)
    said = ""
    try:
        unpack(place / "a.zip", place / "out", limits=FEW)
    except InputError as error:
        said = str(error)
    if said:
        assert len(said.splitlines()) == 1
        assert [p.name for p in place.iterdir()] == ["a.zip"]
    else:
        contents(place / "out")


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_too_many_clips_are_refused_with_the_limit(pack: Any, tmp_path: Path) -> None:
    limits = replace(FEW, clips=5)
    archive = pack(*((f"{n}.bvh", b"x") for n in range(6)))
    refused(archive, tmp_path, "more than 5 motion files", limits)


def test_a_zip_of_60_000_clips_is_refused() -> None:
    assert ArchiveLimits().clips < 60_000
