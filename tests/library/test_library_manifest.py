"""`library.toml`: what a person writes stays; what is wrong is one sentence."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.library.build.settings import LibrarySettings
from footfall.library.build.sources import clip_names
from footfall.library.store import manifest as toml
from footfall.library.store.manifest import SourceLine
from tests.sweeps import examples

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
found_clips = st.dictionaries(texts, st.tuples(texts, st.lists(texts, max_size=3).map(tuple)))
NEW = toml.new_text(LibrarySettings(), (SourceLine("takes"),))


@given(found_clips)
def test_any_names_tags_and_paths_come_back_as_they_were(
    found: dict[str, tuple[str, tuple[str, ...]]],
) -> None:
    text = toml.with_clips(NEW, found)
    says = toml.parse(text)
    assert says.files == {name: source for name, (source, _) in found.items()}
    told = tomllib.loads(text).get("clips", {})
    assert {n: tuple(t["found_tags"]) for n, t in told.items()} == {
        name: tags for name, (_, tags) in found.items()
    }
    assert toml.with_clips(text, found) == text


@examples(40)
@given(found_clips, st.data())
def test_what_a_person_wrote_survives_any_build(
    found: dict[str, tuple[str, tuple[str, ...]]], data: st.DataObject
) -> None:
    lines = toml.with_clips(NEW, found).split("\n")
    remarks = []
    for number in sorted(range(1, len(lines) + 1), reverse=True):
        if data.draw(st.booleans()):
            remark = f"# remark {number} [clips.x] found_tags = 3"
            remarks.append(remark)
            lines.insert(number, remark)
        if lines[number - 1].startswith("[clips.") and data.draw(st.booleans()):
            lines.insert(number, 'tags = ["by hand"]  # mine\ncontacts.left_toe = [[0, 0.5]]')
    text = "\n".join(lines) + "\n"
    before = toml.parse(text)
    later = {name: (source + "x", ("other",)) for name, (source, _) in found.items()}
    new = toml.with_clips(text, {**later, "one more": ("file", ())})
    after = toml.parse(new)
    assert all(remark in new for remark in remarks)
    assert new.count("# mine") == text.count("# mine")
    assert {n: after.clips[n] for n in before.clips} == dict(before.clips)
    assert after.files == {n: s for n, (s, _) in later.items()} | {"one more": "file"}


def test_windows_line_ends_stay() -> None:
    text = toml.with_clips(NEW, {"a": ("a.bvh", ("walk",))}).replace("\n", "\r\n")
    assert toml.with_clips(text, {"a": ("a.bvh", ("walk",))}) == text
    new = toml.with_clips(text, {"a": ("b.bvh", ()), "c": ("c.bvh", ())})
    assert toml.parse(new).files == {"a": "b.bvh", "c": "c.bvh"}


@pytest.mark.parametrize(
    "odd",
    [
        'clips = { a = { source = "a.bvh", tags = ["x"] } }\n',
        'clips.a.source = "a.bvh"\nclips.a.tags = ["x"]\n',
    ],
)
def test_a_file_written_in_another_manner_is_edited_in_that_manner(odd: str) -> None:
    text = (
        odd + NEW if odd.startswith("clips =") else NEW.replace("\n[[sources", f"\n{odd}[[sources")
    )
    new = toml.with_clips(text, {"a": ("b.bvh", ("walk",))})
    says = toml.parse(new)
    assert says.clips["a"].tags == ("x",)
    assert says.files == {"a": "b.bvh"}
    assert "[clips" not in new
    assert says.settings == toml.parse(text).settings


def test_a_file_that_cannot_be_edited_is_left_alone_rather_than_spoilt() -> None:
    text = 'clips = { a = { source = "a.bvh", tags = ["x"] } }\n' + NEW
    assert toml.with_clips(text, {"new": ("b.bvh", ("walk",))}) == text


def test_remarks_on_settings_and_sources_stay_where_they_are() -> None:
    text = (
        "# mine\nformat = 1  # one\nfps = 30 # slow\n# before mirror\nmirror = false\n"
        'character = "default"\n\n'
        '# about x\n[[sources]]\npath = "x"  # here\nlicence = "CC0"\n\n'
        '[[sources]]\npath = "y" # there\n\n# about a\n[clips.a]\nsource = "x/a.bvh"\n'
        'found_tags = []\ntags = ["t"] # all\n'
    )
    new = toml.with_settings(
        text, LibrarySettings(fps=60.0, character="hero.glb"),
        (SourceLine("x", "CC BY 4.0"), SourceLine("y")),
    )  # fmt: skip
    for line in (
        "# mine\nformat = 1  # one\n", "fps = 60 # slow\n# before mirror\nmirror = false\n",
        '# about x\n[[sources]]\npath = "x"  # here\nlicence = "CC BY 4.0"\n',
        '[[sources]]\npath = "y" # there\n', '# about a\n[clips.a]\nsource = "x/a.bvh"\n',
        'tags = ["t"] # all\n',
    ):  # fmt: skip
        assert line in new, line
    other = toml.with_settings(new, LibrarySettings(clean=False), (SourceLine("z"),))
    assert toml.parse(other).sources == (SourceLine("z"),)
    assert "# mine\nformat = 1  # one\n" in other
    assert 'tags = ["t"] # all\n' in other


def test_other_settings_leave_the_clips_as_they_are() -> None:
    text = toml.with_clips(NEW, {"a": ("a.bvh", ("walk",))})
    text = text.replace('[clips."a"]', '# about a\n[clips."a"]\ntags = ["mine"] # yes')
    other = LibrarySettings(fps=60.0, mirror=True, read={"unit_m": 0.01, "up": "z"})
    new = toml.with_settings(text, other, (SourceLine("x", "CC0"), SourceLine("y")))
    says = toml.parse(new)
    assert says.settings == other
    assert says.sources == (SourceLine("x", "CC0"), SourceLine("y"))
    assert says.clips["a"].tags == ("mine",)
    assert "# about a" not in new or new.index("# about a") < new.index('[clips."a"]')
    assert "# yes" in new


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("format = 2", "this version reads format = 1"),
        ("format = 1\nfsp = 30", "did you mean fps"),
        ("format = 1\nfigure = 'default'", "it is called character now"),
        ("format = 1\nfps = true", "a number from 1 to 1000"),
        ("format = 1\nmirror = 1", "true or false"),
        ("format = 1\nsources = 3", "sources is no list"),
        ("format = 1\n[[sources]]\nlicence = 'x'", "a source has no path"),
        ("format = 1\n[clips.a]\ntag = ['x']", "clip a: there is no key 'tag'; did you mean tags"),
        ("format = 1\n[clips.a]\ntags = 'x'", "a list of texts"),
        ("format = 1\n[clips.a]\ncontacts.heel = []", "contacts names 'heel'"),
        ("format = 1\n[clips.a]\ncontacts.left_toe = [[1, 0]]", "no list of times"),
        ("format = 1\n[clips.a]\ncontacts.left_toe = [[nan, 1]]", "no list of times"),
        ("format = 1\n[clips.a]\nread = { rate = 3 }", "read names 'rate'"),
        ("format = 1\n[clips]\na = 3", "clip a: it is no table"),
        ("format = ", "not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_place(wrong: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        toml.parse(wrong)
    assert said in str(raised.value)
    assert str(raised.value).startswith("library.toml")
    assert len(str(raised.value).splitlines()) == 1


@given(
    st.lists(st.sampled_from(["a/w.bvh", "b/w.bvh", "w.bvh", "a/w.glb", "c/a_w.bvh"]), unique=True)
)
def test_names_are_all_different_and_stay_when_files_come_and_go(paths: list[str]) -> None:
    names = clip_names(paths, {})
    assert len(set(names.values())) == len(paths)
    more = clip_names([*reversed(paths), "d/w.bvh"], names)
    assert {path: more[path] for path in paths} == names
    assert len(set(more.values())) == len(paths) + 1
