"""`ogai lab shell` and `exec`: commands inside hosts."""

import os

import click

from l0_infra.core.errors import OgaiError, RemoteError
from ogai.commands.epilog import examples

__all__ = ["exec_", "shell"]


@click.command(epilog=examples("ogai lab shell lab-1", "ogai lab shell lab-1 --console"))
@click.argument("node")
@click.option("--console", is_flag=True, help="As root at its console: needs no network and no sshd.")
def shell(node: str, console: bool) -> None:
    """Give a shell on a host, over ssh as the user `ogai`."""
    from ogai.flows import lab as flow

    command = flow.shell_command(node, console=console)
    os.execvp(command[0], command)


@click.command(
    "exec",
    epilog=examples("ogai lab exec lab-[1-4] -- hostname", "ogai lab exec lab-2 -- sh -c 'uptime; free'"),
    context_settings={"ignore_unknown_options": True},
)
@click.argument("nodes", metavar="NODESET")
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
def exec_(nodes: str, argv: tuple[str, ...]) -> None:
    """Run a command as root on hosts, at their consoles: no network and no sshd is needed.

    With several hosts each line begins with the host's name. Exit code 5: it failed on one of them.
    """
    from ogai.flows import lab as flow

    results = flow.exec_(nodes, argv)
    for result in results:
        prefix = f"{result.item}: " if len(results) > 1 else ""
        if result.value is not None:
            for line in result.value.stdout.splitlines():
                click.echo(f"{prefix}{line}")
            for line in result.value.stderr.splitlines():
                click.echo(f"{prefix}{line}", err=True)
    _raise_for(results)


def _raise_for(results: object) -> None:
    failed = []
    for result in results:  # type: ignore[attr-defined]
        if isinstance(result.error, OgaiError):
            failed.append(str(result.error))
        elif result.error is not None:
            raise result.error
        elif not result.value.ok:
            failed.append(f"{result.item}: {result.value.describe_end()}")
    if failed:
        raise RemoteError("ogai lab exec", found="\n  ".join(failed), expected="exit code 0 everywhere")
