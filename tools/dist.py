"""Build the source distribution and the wheel, and try the wheel in a clean environment.

    python -m tools.dist                 # into dist/, then the smoke test
    python -m tools.dist --no-smoke      # build and check the contents only

The wheel is built from the source distribution, so a file that is missing there is noticed. The
web pages are built where Node.js is installed; without it the wheel lacks them and the smoke test
leaves them out, unless --need-pages is given.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PLAYER = "footfall/render/player/static/player.js"
IN_WHEEL = ("footfall/py.typed", "footfall/scenes/room.toml", "footfall/papers/choi.toml")
IN_SDIST = (
    "LICENSE",
    "NOTICE",
    "CHANGELOG.md",
    "CITATION.cff",
    "hatch_build.py",
    "web/package.json",
)
CLIP_SUFFIXES = (".bvh", ".amc", ".asf", ".fbx", ".c3d")
"""Motion-capture files never enter a distribution."""


def main() -> int:
    """Build, check and try the distributions; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.dist", description="Build and try them.")
    parser.add_argument("--output", type=Path, default=PROJECT / "dist", help="where they go")
    parser.add_argument("--no-smoke", action="store_true", help="do not install the wheel")
    parser.add_argument("--need-pages", action="store_true", help="fail without the web pages")
    given = parser.parse_args()
    sdist, wheel = build(given.output)
    problems = [*check_sdist(sdist), *check_wheel(wheel, given.need_pages)]
    for problem in problems:
        print(f"dist: {problem}", file=sys.stderr)
    if problems:
        return 1
    if not given.no_smoke:
        smoke(wheel)
    print(f"ready: {sdist.name}, {wheel.name}")
    return 0


def build(folder: Path) -> tuple[Path, Path]:
    """Build the source distribution, and from it the wheel; return both files."""
    for old in (*folder.glob("footfall-*.tar.gz"), *folder.glob("footfall-*.whl")):
        old.unlink()
    _run([sys.executable, "-m", "build", "--outdir", str(folder), str(PROJECT)])
    (sdist,), (wheel,) = folder.glob("footfall-*.tar.gz"), folder.glob("footfall-*.whl")
    return sdist, wheel


def check_sdist(sdist: Path) -> list[str]:
    """Return what is wrong with the files of the source distribution."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    return _check(sdist, names, IN_SDIST)


def check_wheel(wheel: Path, need_pages: bool) -> list[str]:
    """Return what is wrong with the files of the wheel."""
    names = set(zipfile.ZipFile(wheel).namelist())
    strange = sorted(n for n in names if not n.startswith(("footfall/", "footfall-")))
    problems = [f"{wheel.name} holds {name}, which is not of the package" for name in strange]
    return problems + _check(wheel, names, (*IN_WHEEL, *([PLAYER] if need_pages else [])))


def _check(file: Path, names: set[str], needed: tuple[str, ...]) -> list[str]:
    problems = [f"{file.name} lacks {name}" for name in needed if name not in names]
    clips = sorted(name for name in names if name.lower().endswith(CLIP_SUFFIXES))
    return problems + [f"{file.name} holds a motion clip, {name}" for name in clips]


def smoke(wheel: Path) -> None:
    """Install the wheel into an environment of its own and run `tools/smoke.py` with it."""
    with tempfile.TemporaryDirectory(prefix="footfall-dist-") as folder:
        venv.create(Path(folder, "env"), with_pip=True)
        scripts = Path(folder, "env", "Scripts" if os.name == "nt" else "bin")
        python = str(scripts / ("python.exe" if os.name == "nt" else "python"))
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        _run([python, "-m", "pip", "install", "--quiet", str(wheel)], env=clean)
        work = Path(folder, "work")
        work.mkdir()
        script = str(PROJECT / "tools" / "smoke.py")
        _run([python, "-I", script, str(scripts)], env=clean, cwd=work)


def _run(words: list[str], **how: object) -> None:
    subprocess.run(words, check=True, **how)  # type: ignore[call-overload]


if __name__ == "__main__":
    sys.exit(main())
