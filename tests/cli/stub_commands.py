"""Commands that end in every way a command can end."""

import click

from l0_infra.core.errors import DocumentError, EngineError, Fault, InterruptedByUser, UnhealthyError
from ogai.lazy import Entry
from ogai.render import confirm


@click.command()
@click.argument("way")
@click.option("--yes", is_flag=True)
def end(way: str, yes: bool) -> None:
    """End in the way that is asked for."""
    if way == "engine":
        raise EngineError(
            "queue.db", found="a locked file", expected="the lock", hint="try again", retry=True
        )
    if way == "document":
        faults = [
            Fault(path=("a",), found="`x`", expected="a number", where="pod.yaml:3:4", hint="write 3"),
            Fault(path=("b", 1), found="nothing", expected="a name"),
        ]
        raise DocumentError("pod.yaml", faults)
    if way == "unhealthy":
        raise UnhealthyError("node n1", found="7 accelerators", expected="8", hint="reseat it")
    if way == "stopped":
        raise InterruptedByUser("ogai end", found="Ctrl-C", expected="an end", hint="job 7 goes on")
    if way == "ctrl-c":
        raise KeyboardInterrupt
    if way == "defect":
        raise ZeroDivisionError("by nought")
    if way == "confirm":
        confirm("would format everything", yes=yes)
        click.echo("formatted")
    if way == "flood":
        for number in range(200_000):
            click.echo(number)


STUBS = {
    "end": Entry(target="tests.cli.stub_commands:end", help="Ends."),
    "absent": Entry(target="tests.cli.no_such_module:absent", help="Is not there."),
}
