"""Fuzzing by hand: `python -m tests.fuzz bvh --minutes 10`.

Targets are found in `tests/**/fuzz_*.py`; each such module has `TARGETS`, a table from name to a
function `target(rng, folder)` that makes a damaged file in `folder`, reads it, and raises if the
outcome is neither a value nor one clear sentence. `check_outcome` does the latter for readers.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from footfall.errors import FootfallError

TESTS = Path(__file__).resolve().parent
Target = Callable[[random.Random, Path], None]
SECONDS_PER_CASE = 10.0
BYTES_IN_ALL = 6 << 30


def check_outcome(read: Callable[[], object], check: Callable[[object], None]) -> str:
    """Run `read`: what it gives must pass `check`, what it raises must be one short sentence."""
    started = time.process_time()  # a busy machine is not the reader's fault
    try:
        value = read()
    except FootfallError as error:
        message = str(error)
        assert message, "the error says nothing"
        assert len(message) < 400, f"the message has {len(message)} characters: {message}"
        assert "\n" not in message, f"the message has more than one line: {message!r}"
        outcome = message
    else:
        check(value)
        outcome = ""
    seconds = time.process_time() - started
    assert seconds < SECONDS_PER_CASE, f"took {seconds:.1f} s"
    return outcome


def damaged(data: bytes, rng: random.Random) -> bytes:
    """`data` with a few bytes changed, cut, doubled or moved; fits any format."""
    result = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        size = len(result)
        a, b = sorted((rng.randrange(size + 1), rng.randrange(size + 1)))
        b = min(b, a + rng.choice((1, 4, 64, 4096)))
        kind = rng.randrange(7)
        if kind == 0 and size:
            result[rng.randrange(size)] ^= 1 << rng.randrange(8)
        elif kind == 1 and size:
            result[rng.randrange(size)] = rng.choice((0, 1, 9, 10, 13, 32, 45, 127, 128, 255))
        elif kind == 2:
            del result[rng.randrange(size + 1) :]
        elif kind == 3:
            del result[a:b]
        elif kind == 4:
            result[a:a] = result[a:b]
        elif kind == 5:
            result[a:b] = rng.randbytes(b - a)
        else:
            result[a:a] = rng.randbytes(rng.choice((1, 2, 8)))
    return bytes(result)


def find_targets() -> dict[str, Target]:
    """All targets of all `fuzz_*.py` modules under tests/."""
    targets: dict[str, Target] = {}
    for path in sorted(TESTS.glob("**/fuzz_*.py")):
        dotted = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
        targets.update(importlib.import_module(dotted).TARGETS)
    return targets


def run_case(name: str, target: Target, seed: int, case: int, folder: Path) -> bool:
    """Run one case; on failure say how to run it again and keep its files."""
    case_folder = folder / f"{name}-{seed}-{case}"
    case_folder.mkdir(parents=True)
    try:
        target(random.Random(f"{seed}:{case}"), case_folder)
    except Exception:
        traceback.print_exc()
        print(f"FAILED: python -m tests.fuzz {name} --seed {seed} --case {case}")
        print(f"its files are in {case_folder}")
        return False
    for file in case_folder.iterdir():
        file.unlink()
    case_folder.rmdir()
    return True


def bound_memory() -> None:
    """Let a reader that asks for too much memory fail instead of the machine."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_IN_ALL, BYTES_IN_ALL))


def main() -> int:
    targets = find_targets()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("target", nargs="?", default="all", choices=[*targets, "all"])
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--case", type=int, help="run this case alone")
    options = parser.parse_args()
    chosen = targets if options.target == "all" else {options.target: targets[options.target]}
    bound_memory()
    folder = Path(tempfile.mkdtemp(prefix="footfall-fuzz-"))
    if options.case is not None:
        done = [run_case(n, t, options.seed, options.case, folder) for n, t in chosen.items()]
        return 0 if all(done) else 1
    until = time.monotonic() + 60.0 * options.minutes * len(chosen)
    case = failures = 0
    while time.monotonic() < until and failures < 10:
        for name, target in chosen.items():
            failures += not run_case(name, target, options.seed, case, folder)
        case += 1
    print(f"{options.target}: seed {options.seed}, {case} cases each, {failures} failures")
    if not failures:
        folder.rmdir()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
