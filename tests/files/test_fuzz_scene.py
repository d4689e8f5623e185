"""Mutated scene files: a scene or one sentence, never anything else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InputError
from footfall.files.scene.read import builtin_scenes, parse_scene
from tests.sweeps import examples

TEXTS = {
    n: p.read_text("utf-8") for n, p in builtin_scenes().items() if n not in ("plaza", "rivers")
}
VALUES = ["nan", "-inf", "1e300", "-1", "0", "[]", "{}", '""', "true", "[[[]]]", '"box"', "1e-320",
          "99999999999999999999", "[1, 2]", "[[0,0],[1,1],[1,0],[0,1]]", "1979-05-27"]  # fmt: skip


def outcome(text: str) -> None:
    sentence = refusal(text)
    assert "\n" not in sentence
    assert not sentence or sentence.startswith("fuzz.toml: ")


def refusal(text: str) -> str:
    """What is wrong with a scene file; empty for a scene."""
    try:
        parse_scene(text, file="fuzz.toml")
    except InputError as error:
        return str(error)
    return ""


@examples(250)
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_changed_values_and_lines_give_a_scene_or_a_sentence(name, data):
    lines = TEXTS[name].splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        n = data.draw(st.integers(0, len(lines) - 1))
        what = data.draw(st.sampled_from(["value", "drop", "double", "move", "key", "swap"]))
        other = data.draw(st.integers(0, len(lines) - 1))
        if what == "value" and "=" in lines[n]:
            lines[n] = lines[n].split("=")[0] + "= " + data.draw(st.sampled_from(VALUES))
        elif what == "drop":
            lines[n] = ""
        elif what == "double":
            lines.insert(n, lines[n])
        elif what == "move":
            lines.insert(other, lines.pop(n))
        elif what == "key":
            lines[n] = "x" + lines[n]
        else:
            lines[n], lines[other] = lines[other], lines[n]
    outcome("\n".join(lines))


@examples(150)
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_changed_characters_give_a_scene_or_a_sentence(name, data):
    text = TEXTS[name]
    for _ in range(data.draw(st.integers(1, 4))):
        n = data.draw(st.integers(0, len(text) - 1))
        cut = data.draw(st.integers(0, 6))
        text = text[:n] + data.draw(st.text(max_size=3)) + text[n + cut :]
        text = text or " "
    outcome(text)


@given(st.text(max_size=200))
def test_any_text_gives_a_sentence(text):
    outcome(text)
