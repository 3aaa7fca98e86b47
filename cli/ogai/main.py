"""The command `ogai`, and the one place where a failure becomes a sentence, a hint and an exit code."""

import contextlib
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

import click

from l0_infra.core.errors import InterruptedByUser, OgaiError, UsageError
from ogai.lazy import Entry, LazyGroup
from ogai.streams import mend_streams

__all__ = ["COMMANDS", "build", "main"]

COMMANDS: Mapping[str, Entry] = {
    "data": Entry(target="ogai.commands.data:data", help="Turn text into data sets; look at them."),
    "train": Entry(target="ogai.commands.train:train", help="Train a language model to the end."),
    "strategy": Entry(
        target="ogai.commands.strategy:strategy", help="How a model is cut over devices, and what that costs."
    ),
    "checkpoint": Entry(
        target="ogai.commands.checkpoint:checkpoint", help="Checkpoints: list, verify, compare."
    ),
    "job": Entry(target="ogai.commands.job:job", help="Submit jobs, watch them, end them."),
    "agent": Entry(
        target="ogai.commands.agent:agent", help="The process that runs the queue of this machine."
    ),
    "cluster": Entry(target="ogai.commands.cluster:cluster", help="Clusters: bring them up, keep them well."),
    "node": Entry(
        target="ogai.commands.node:node", help="Nodes: what they are made of, what is wrong with them."
    ),
    "lab": Entry(target="ogai.commands.lab:lab", help="Real Debian hosts on this machine, to try things on."),
    "device": Entry(
        target="ogai.commands.device:device", help="Data sheets of accelerators, each number with its source."
    ),
    "schema": Entry(target="ogai.commands.schema:schema", help="The documents: list, show, example, check."),
    "doctor": Entry(
        target="ogai.commands.doctor:doctor", help="What this machine has, and what each extra needs."
    ),
    "completion": Entry(target="ogai.commands.completion:completion", help="Tab completion for your shell."),
}

EPILOG = """\b
Examples:
  ogai data prepare corpus.yaml         turn text into a data set
  ogai train submit train.yaml -f       train a language model and watch it
  ogai job submit -- python work.py     put any command into the queue
  ogai job list                         see the queue
  ogai cluster up pod.yaml              make hosts a Slurm cluster
  ogai doctor                           see what is here and what is missing
"""

BROKEN_PIPE = 141
"""128 + SIGPIPE: what any program of a pipeline ends with when its reader has gone."""


def build(table: Mapping[str, Entry] = COMMANDS) -> click.Group:
    """Make the root command over a table of commands."""
    root = LazyGroup(
        "ogai", table, help="From bare accelerator servers to a trained and served model.", epilog=EPILOG
    )
    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_version,
        help="Show the version.",
    )
    root.params.append(version)
    return root


def main(argv: Sequence[str] | None = None, *, table: Mapping[str, Entry] = COMMANDS) -> int:
    """Run one command line (default: that of this process) and return its exit code."""
    mend_streams()
    words = tuple(sys.argv[1:] if argv is None else argv)
    root = build(table)
    try:
        _refuse_bytes(words)
        return _run(root, words)
    except BrokenPipeError:
        _silence(sys.stdout)
        return BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return _tell(_interrupted(words), words, root)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.UsageError as error:
        return _tell(_usage_error(error, words, root), words, root)
    except OgaiError as error:
        return _tell(error, words, root)
    except MemoryError:
        return _machine(OSError(errno.ENOMEM, "no memory left"), words, root)
    except OSError as error:
        return _machine(error, words, root)
    except Exception as error:  # noqa: BLE001  the boundary: whatever is left is a defect of ours
        return _defect(error)


def _defect(error: Exception) -> int:
    from ogai.defect import report

    return report(error, os.environ)


def _refuse_bytes(words: tuple[str, ...]) -> None:
    """Raise UsageError for a word that no document and no id can hold."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(
                "ogai", found=f"{os.fsencode(word)!r}, which is not UTF-8", expected="words in UTF-8"
            ) from None


def _machine(error: OSError, words: tuple[str, ...], root: click.Group) -> int:
    """Tell what the machine refused; any other answer of it should have been foreseen where the call is made."""
    from ogai.refusal import MACHINE_ERRORS, describe_refusal

    if error.errno not in MACHINE_ERRORS:
        return _defect(error)
    told = describe_refusal(error, os.environ)
    _silence(sys.stdout)
    return _tell(told, words, root)


def _run(root: click.Group, words: tuple[str, ...]) -> int:
    if instruction := os.environ.get("_OGAI_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(root, {}, "ogai", "_OGAI_COMPLETE", instruction)
    try:
        with root.make_context("ogai", list(words)) as context:
            root.invoke(context)
        code = 0
    except click.exceptions.Exit as end:
        code = end.exit_code
    sys.stdout.flush()
    return code


def _tell(error: OgaiError, words: tuple[str, ...], root: click.Group) -> int:
    """Print a failure on stderr: the sentence, all faults of a document, the hint."""
    from ogai.failure import describe_failure

    try:
        for line in describe_failure(error, words, root):
            click.echo(line, err=True)
    except OSError:  # a full disk behind stderr changes nothing of the exit code
        _silence(sys.stderr)
    return error.exit_code


def _usage_error(error: click.UsageError, words: tuple[str, ...], root: click.Group) -> UsageError:
    """Say click's complaint in our words: expected is a name below a group, else the command's usage."""
    message = error.format_message() if isinstance(error, click.BadParameter) else error.message
    found = " ".join(message.removeprefix("Got ").rstrip(".").split())
    context = error.ctx or _context(words, root)
    command, path = context.command, context.command_path
    if isinstance(command, click.Group) and isinstance(error, click.exceptions.NoSuchCommand):
        expected = "one of " + ", ".join(command.list_commands(context))
    else:
        expected = " ".join([path, *command.collect_usage_pieces(context)])
    return UsageError(path, found=found[:1].lower() + found[1:], expected=expected)


def _context(words: tuple[str, ...], root: click.Group) -> click.Context:
    """Find the command that `words` name; for click's complaints about an option without its value."""
    context = click.Context(root, info_name="ogai")
    for word in words:
        command = context.command
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            break
        context = click.Context(found, info_name=word, parent=context)
    return context


def _interrupted(words: tuple[str, ...]) -> InterruptedByUser:
    return InterruptedByUser(
        " ".join(("ogai", *words[:2])),
        found="Ctrl-C",
        expected="to run to the end",
        hint="what was done so far stands; the same command goes on from there",
    )


def _silence(stream: TextIO) -> None:
    """Point a stream at nothing, so that the interpreter's own last flush cannot fail again."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from ogai.version import __version__

    click.echo(f"ogai {__version__}")
    context.exit()
