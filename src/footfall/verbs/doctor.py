"""`doctor`: report the installation's versions, cache, compiled kernels and extras, with advice."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from footfall.cache_paths import cache_root, is_private, kernels_root
from footfall.processes import usable_cores
from footfall.verbs.warmup import is_done
from footfall.verbs.warmup_jobs import JOBS, compiling_seconds

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "usd": ("pxr",),
    "studio": ("starlette", "uvicorn", "websockets"),
    "dataset": ("pyarrow",),
    "cluster": ("dask", "distributed", "fsspec"),
}
"""The modules that each extra installs."""
_LARGE_MB = 10_000.0


@dataclass(frozen=True)
class Diagnosis:
    """The state of an installation.

    versions      of Footfall, Python and each package that Footfall requires; "missing" if absent
    system        operating system, processor and usable cores
    cache         the cache's location and the megabytes of each of its parts
    kernels       the location, how many groups of kernels are compiled, and how many there are
    extras        whether each extra is installed, and whether the web pages were built
    advice        one sentence for each thing that could be better
    """

    versions: Mapping[str, str]
    system: Mapping[str, object]
    cache: Mapping[str, object]
    kernels: Mapping[str, object]
    extras: Mapping[str, bool]
    advice: tuple[str, ...]


def doctor() -> Diagnosis:
    """Return the state of this installation, with advice."""
    from footfall import __version__

    names = required_packages()
    versions = {"footfall": __version__, "python": platform.python_version()}
    versions |= {name: _version_of(name) for name in names}
    system = {
        "system": f"{platform.system()} {platform.release()}", "processor": platform.machine(),
        "cores": usable_cores(), "executable": sys.executable,
    }  # fmt: skip
    compiled = [name for name in JOBS if is_done(name)]
    kernels = {
        "location": str(kernels_root()), "compiled": len(compiled), "groups": len(JOBS),
        "seconds_left": round(compiling_seconds(set(JOBS) - set(compiled))),
    }  # fmt: skip
    cache = {"location": str(cache_root()), "megabytes": folder_sizes(cache_root())}
    extras = {name: all(map(_is_installed, needed)) for name, needed in EXTRAS.items()}
    extras |= {"player page": _is_player_built(), "studio page": _is_studio_built()}
    advice = tuple(_advice(versions, kernels, cache["megabytes"], extras))
    return Diagnosis(versions, system, cache, kernels, extras, advice)


def required_packages() -> list[str]:
    """Return the names of the packages that Footfall requires without an extra."""
    try:
        listed = requires("footfall") or []
    except PackageNotFoundError:  # sources that were not installed
        listed = ["numpy", "scipy", "numba"]
    bare = [text for text in listed if "extra ==" not in text]
    return [text.split(";")[0].split("[")[0].strip("<>=!~ .,0123456789") for text in bare]


def folder_sizes(root: Path) -> dict[str, float]:
    """Return the megabytes of each entry of a folder, largest first; empty without the folder."""
    if not root.is_dir():
        return {}
    sizes = {entry.name: _size_mb(entry) for entry in root.iterdir()}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _size_mb(path: Path) -> float:
    files = [path] if path.is_file() else path.rglob("*")
    total = 0
    for file in files:
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # removed meanwhile by another process
            continue
    return round(total / 1e6, 1)


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _is_player_built() -> bool:
    from footfall.render.player.page import is_built

    return is_built()


def _is_studio_built() -> bool:
    import footfall

    return (Path(footfall.__path__[0]) / "studio" / "static" / "index.html").is_file()


def _advice(
    versions: Mapping[str, str],
    kernels: Mapping[str, object],
    megabytes: object,
    extras: Mapping[str, bool],
) -> Iterable[str]:
    missing = [name for name, found in versions.items() if found == "missing"]
    if missing:
        yield f"install what is missing: pip install {' '.join(missing)}"
    if kernels["compiled"] != kernels["groups"]:
        yield (
            f"run `footfall warmup` once: it compiles the remaining kernels "
            f"in about {kernels['seconds_left']} s"
        )
    for folder in (cache_root(), kernels_root()):
        if folder.exists() and not is_private(folder):
            yield f"close {folder} to other users (chmod 700): compiled kernels are not kept there"
        elif folder.exists() and not os.access(folder, os.W_OK):
            yield f"make {folder} writable, or set FOOTFALL_CACHE to another folder"
    if isinstance(megabytes, dict) and sum(megabytes.values()) > _LARGE_MB:
        yield f"the cache may be removed at any time; it is made again: {cache_root()}"
    if not extras["player page"]:
        node = "" if shutil.which("npm") else "install Node.js 20 or newer, then "
        yield f"pages that play motions are not built: {node}install Footfall again, or use a wheel"
    lacking = [name for name in EXTRAS if not extras[name]]
    if lacking:
        yield f"for more, install extras: pip install 'footfall[{','.join(lacking)}]'"
