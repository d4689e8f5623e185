"""`footfall warmup`: compile the kernels once, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterable

from footfall.cli.options import command
from footfall.cli.output import Output


@command
def warmup(output: Output) -> None:
    """Compile the numerical kernels once, so that no later command waits for them.

    Takes about a minute after an installation, on all cores, and a few seconds when there is
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
    output.result(
        {
            "steps": {job.name: job.seconds for job in done.jobs},
            "compiled": done.compiled,
            "loaded": done.loaded,
            "modules": done.modules,
            "processes": done.processes,
            "seconds": done.seconds,
        }
    )


def compile_first(output: Output, jobs: Iterable[str]) -> None:
    """Compile what a command needs on all cores, with a bar, if that was not done before."""
    from footfall.folders import is_private, kernels_root
    from footfall.verbs.warmup import compile_kernels

    with output.progress("compiling, this once") as progress:
        compile_kernels(jobs, progress)
    if kernels_root().is_dir() and not is_private(kernels_root()):
        output.note(
            f"compiled code is not kept, since other users may write to {kernels_root()}; "
            "close it to them (chmod 700), or set FOOTFALL_KERNELS to a folder of your own"
        )
