"""`footfall doctor`: the state of the installation, with advice."""

from __future__ import annotations

from footfall.cli.options import command
from footfall.cli.output import Output


@command
def doctor(output: Output) -> None:
    """Report versions, cache, compiled kernels and extras of this installation, with advice.

    Include the output when you report a problem. Nothing is changed and nothing is sent.

    Examples:
      footfall doctor
      footfall doctor --json
    """
    from dataclasses import asdict

    from footfall.verbs.doctor import doctor as examine

    found = examine()
    output.say("versions")
    output.table(list(found.versions.items()))
    output.say("system")
    output.table(list(found.system.items()))
    output.say(f"cache: {found.cache['location']}")
    sizes = found.cache["megabytes"]
    assert isinstance(sizes, dict)
    output.table([(name, f"{size:.1f} MB") for name, size in sizes.items()])
    output.say(f"kernels: {found.kernels['location']}")
    output.table([("compiled", f"{found.kernels['compiled']} of {found.kernels['groups']} groups")])
    output.say("extras")
    output.table([(name, "yes" if there else "no") for name, there in found.extras.items()])
    output.say("advice" if found.advice else "advice: none, all is well")
    for sentence in found.advice:
        output.say(f"  {sentence}")
    output.result(asdict(found))
