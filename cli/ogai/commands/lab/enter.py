"""`ogai lab shell` and `exec`: commands inside hosts."""

import os

import click

from ogai.commands.epilog import examples
from ogai.commands.lab.arguments import HOST

__all__ = ["exec_", "shell"]


@click.command(epilog=examples("ogai lab shell lab-1", "ogai lab shell lab-1 --console"))
@click.argument("node", type=HOST)
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
@click.argument("nodes", metavar="NODESET", type=HOST)
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
def exec_(nodes: str, argv: tuple[str, ...]) -> None:
    """Run a command as root on hosts, at their consoles: no network and no sshd is needed.

    On one host it reads what is piped in and ends with the command's own exit code. On several each line begins with
    the host's name, and exit code 5 says that it failed on one of them.
    """
    from ogai.flows import lab as flow

    command = flow.exec_command(nodes, argv)
    if command is not None:
        os.execvp(command[0], command)
    results = flow.exec_(nodes, argv)
    for result in results:
        if result.value is not None:
            for text, err in ((result.value.stdout, False), (result.value.stderr, True)):
                for line in text.splitlines():
                    click.echo(f"{result.item}: {line}", err=err)
    flow.raise_for_failed(results)
