"""`ogai job prune`: forget jobs that ended long ago, after showing what that would remove."""

import click

from l0_infra.core.units import parse_duration
from ogai.flows import job as flow
from ogai.render import confirm
from ogai.render.job.pruned import describe_pruned

__all__ = ["prune"]

EPILOG = """\b
Examples:
  ogai job prune                          those that ended a week ago
  ogai job prune --older-than 0 --yes     all that have ended
"""


@click.command(epilog=EPILOG)
@click.option("--older-than", metavar="DURATION", default="7d", show_default=True, help="Ended longer ago.")
@click.option("--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def prune(older_than: str, dry_run: bool, yes: bool) -> None:
    """Forget ended jobs: their rows, their logs, their captured environment."""
    older_than_s = parse_duration(older_than, where="--older-than")
    plan = flow.prune(older_than_s=older_than_s, apply=False)
    if dry_run or not plan:
        click.echo(describe_pruned(plan), err=True)
        return
    confirm(describe_pruned(plan), yes=yes)
    done = flow.prune(older_than_s=older_than_s, apply=True)
    click.echo(f"forgotten: {len(done)}", err=True)
