"""`ogai agent`: the process that runs the queue; it starts when there is work and leaves when there is none."""

import click

from ogai.commands.epilog import examples
from ogai.render import Output, emit, output_option

__all__ = ["agent"]

EPILOG = """\b
Examples:
  ogai agent status
  ogai agent stop

The first job starts it; after a minute without open jobs it leaves. Killing it harms no job.
"""


@click.group(epilog=EPILOG)
def agent() -> None:
    """The process that runs the queue of this machine."""


@agent.command(epilog=examples("ogai agent status"))
@output_option
def status(output: Output) -> None:
    """Show whether it lives, since when, and what it has to do."""
    from ogai.flows import agent as flow
    from ogai.render.agent import print_agent

    emit(flow.probe(), output, print_agent)


@agent.command(epilog=examples("ogai agent stop"))
def stop() -> None:
    """Tell it to leave. Running jobs go on, waiting ones wait for the next agent."""
    from ogai.flows import agent as flow

    if not flow.stop():
        click.echo("no agent was there", err=True)
        return
    report = flow.probe()
    click.echo("the agent has left", err=True)
    if report.open_jobs:
        click.echo(
            f"jobs as they were: {report.running_jobs} running, {report.open_jobs - report.running_jobs} waiting; "
            "the next `ogai job` command that changes something starts it again",
            err=True,
        )
