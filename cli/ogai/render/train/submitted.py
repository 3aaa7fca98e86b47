"""What a person reads after `ogai train submit`: the run's id, where it goes, what to type next."""

import click

from l3_modeltools.schemas import Run

__all__ = ["print_submitted"]


def print_submitted(run: Run, *, attended: bool = False) -> None:
    """Print the id on stdout, the rest on stderr; whoever stays with the run (`attended`) needs no next command."""
    click.echo(run.run_id)
    where = f"on {run.cluster}" if run.cluster else "on this machine"
    click.echo(f"run {run.run_id} is queued {where} as job {run.job_ids[-1]}", err=True)
    if not attended:
        click.echo(f"next: ogai train watch {run.run_id}", err=True)
