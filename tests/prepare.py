"""What many tests need, made before the first one runs: compiled kernels and default clips.

`python -m tests.prepare` makes it on all cores. It is kept in the user's cache, by the address of
what it is made of, and read by every worker and every process that a test starts.
"""

from __future__ import annotations


def prepare() -> None:
    """Compile kernels and generate the default clips that are not in the cache."""
    from footfall.library.library import open_library
    from footfall.verbs.warmup import compile_kernels
    from footfall.verbs.warmup_jobs import JOBS

    compile_kernels(JOBS)
    open_library("default")


if __name__ == "__main__":
    prepare()
