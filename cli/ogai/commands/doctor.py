"""`ogai doctor`: what is here, what is missing, and the command that brings it."""

import os

import click

from ogai.flows.requirements import judge_base, probe_extras
from ogai.render import Output, emit, output_option

__all__ = ["doctor"]

EPILOG = """\b
Examples:
  ogai doctor
  ogai doctor -o json | jq .extras

Exit code 6 when a package that every command needs is missing or too old.
"""


@click.command(epilog=EPILOG)
@output_option
def doctor(output: Output) -> None:
    """Show what this machine has, and what each extra of ogai would need."""
    extras = probe_extras()
    judge_base(extras)
    # Only now: what follows imports the packages just judged.
    from ogai.flows.doctor import probe
    from ogai.render.diagnosis import print_diagnosis

    emit(probe(os.environ, extras), output, print_diagnosis)
