"""The part of the glTF 2.0 schema that motion needs, as checked models.

Whatever else a file holds (textures, cameras, unknown extensions) is passed over unread.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footfall.errors import FileFormatError

MAX_OBJECTS = 500_000
"""A description with more objects than this is refused before it is parsed."""
MAX_ITEMS = 8_000_000
"""The same for list items and fields of all kinds together."""

Index = Annotated[int, Field(ge=0, lt=1 << 31)]
Bytes = Annotated[int, Field(ge=0, lt=1 << 40)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Vec3 = tuple[Number, Number, Number]
Vec4 = tuple[Number, Number, Number, Number]
Mat4 = Annotated[list[Number], Field(min_length=16, max_length=16)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Asset(_Model):
    version: str


class Buffer(_Model):
    byteLength: Bytes
    uri: str | None = None


class BufferView(_Model):
    buffer: Index
    byteLength: Bytes
    byteOffset: Bytes = 0
    byteStride: Annotated[int, Field(ge=4, le=252)] | None = None
    extensions: dict[str, Any] = {}


class SparsePart(_Model):
    bufferView: Index
    byteOffset: Bytes = 0
    componentType: int = 5126


class Sparse(_Model):
    count: Index
    indices: SparsePart
    values: SparsePart


class Accessor(_Model):
    componentType: Literal[5120, 5121, 5122, 5123, 5125, 5126]
    count: Annotated[int, Field(ge=1, lt=1 << 40)]
    type: Literal["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"]
    bufferView: Index | None = None
    byteOffset: Bytes = 0
    normalized: bool = False
    sparse: Sparse | None = None


class Node(_Model):
    name: str = ""
    children: list[Index] = []
    translation: Vec3 | None = None
    rotation: Vec4 | None = None
    scale: Vec3 | None = None
    matrix: Mat4 | None = None
    mesh: Index | None = None
    skin: Index | None = None


class Skin(_Model):
    joints: Annotated[list[Index], Field(min_length=1)]
    inverseBindMatrices: Index | None = None
    extras: Any = None


class Target(_Model):
    path: str
    node: Index | None = None


class Channel(_Model):
    sampler: Index
    target: Target


class Sampler(_Model):
    input: Index
    output: Index
    interpolation: Literal["LINEAR", "STEP", "CUBICSPLINE"] = "LINEAR"


class Animation(_Model):
    channels: list[Channel]
    samplers: list[Sampler]
    name: str = ""
    extras: Any = None


class Gltf(_Model):
    asset: Asset
    buffers: list[Buffer] = []
    bufferViews: list[BufferView] = []
    accessors: list[Accessor] = []
    nodes: list[Node] = []
    skins: list[Skin] = []
    animations: list[Animation] = []


def parse(text: bytes) -> Gltf:
    """Return the checked description of a glTF file; the first thing wrong becomes the error."""
    if text.count(b"{") > MAX_OBJECTS or text.count(b",") + text.count(b"[") > MAX_ITEMS:
        raise FileFormatError(
            f"its description holds more than {MAX_OBJECTS} objects or {MAX_ITEMS} values",
            remedy="export the character and its animation alone",
        )
    try:
        gltf = Gltf.model_validate_json(text)
    except ValidationError as error:
        raise _error_with_place(error) from None
    if gltf.asset.version.split(".")[0] != "2":
        raise FileFormatError(
            f"the glTF version is {gltf.asset.version[:20]!r}", remedy="Footfall reads glTF 2"
        )
    return gltf


def _error_with_place(error: ValidationError) -> FileFormatError:
    """Return the first of pydantic's findings as one sentence: `nodes[3].translation: …`."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ""
    for step in first["loc"]:
        where += f"[{step}]" if isinstance(step, int) else f".{str(step)[:40]}"
    said = " ".join(str(first["msg"]).split())[:160]
    if first["type"] == "json_invalid":
        return FileFormatError(f"its JSON description cannot be read ({said})")
    return FileFormatError(said[:1].lower() + said[1:], where=where.lstrip(".")[:120])
