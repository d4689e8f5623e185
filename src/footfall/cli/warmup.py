"""`footfall warmup`: compile the kernels once, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterable

from footfall.cli.options import command
from footfall.cli.output import Output


@command
def warmup(output: Output) -> None:
    """Compile the numerical kernels once, so that no later command waits for them.

    Takes about two minutes on two cores after an installation, and a few seconds when there is
    nothing to do.

    Example:
      footfall warmup
    """
    from footfall.verbs.warmup import warmup as warm

    with output.progress("compiling") as progress:
        done = warm(progress)
    output.table([(job.name, f"{job.seconds:.1f} s") for job in done.jobs])
    output.say(
        f"{done.modules} modules of kernels are ready: {done.compiled} kernels compiled and "
        f"{done.loaded} found compiled, by {done.processes} processes in {done.seconds:.1f} s"
    )
    steps = {job.name: job.seconds for job in done.jobs}
    counts = {"compiled": done.compiled, "loaded": done.loaded, "modules": done.modules}
    output.result({"steps": steps, **counts, "processes": done.processes, "seconds": done.seconds})


def compile_first(output: Output, jobs: Iterable[str]) -> None:
    """Compile the kernels that a command needs, on all cores, unless they are in the cache."""
    from footfall.cache_paths import is_private, kernels_root
    from footfall.processes import usable_cores
    from footfall.verbs.warmup import compile_kernels, is_done
    from footfall.verbs.warmup_jobs import compiling_seconds

    jobs = list(jobs)
    seconds = compiling_seconds(name for name in jobs if not is_done(name))
    if seconds >= 5.0:
        output.note(
            f"the first run compiles numerical kernels, which takes about {seconds:.0f} s on "
            f"{usable_cores()} cores; later runs start at once"
        )
    with output.progress("compiling, this once") as progress:
        compile_kernels(jobs, progress)
    if kernels_root().is_dir() and not is_private(kernels_root()):
        output.note(
            f"compiled code is not kept, since other users may write to {kernels_root()}; "
            "close it to them (chmod 700), or set FOOTFALL_KERNELS to a folder of your own"
        )
