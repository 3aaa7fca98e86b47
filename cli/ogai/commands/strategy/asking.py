"""Options that several commands share: which model, on which machine, for which framework, what is decided."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ogai.commands.strategy.frameworks import RUN_BY

__all__ = ["machine_options", "training_options"]

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)

MACHINE = (
    click.option("--machine", type=FILE, help="A `machine` document; else --devices and --device."),
    click.option("--device", help="Data sheet of the accelerators: `ogai device list`."),
    click.option("--devices-per-node", type=click.IntRange(1), default=8, show_default=True),
    click.option(
        "--port-gbit",
        "port_gbit_s",
        type=float,
        help="Gbit/s of each accelerator's port; else by its PCIe slot.",
    ),
    click.option(
        "--framework", type=click.Choice(RUN_BY), help="Keep to what it runs, and compute as it does."
    ),
    click.option("--calibration", type=FILE, help="Figures to use; without it the published ones."),
)

TRAINING = (
    click.option("--sequence-length", type=click.IntRange(1), required=True, help="Tokens of a sequence."),
    click.option(
        "--global-batch",
        "global_batch_size",
        type=click.IntRange(1),
        required=True,
        help="Sequences of a step.",
    ),
    click.option("--fix", "decided", multiple=True, help="What you have decided: tp=8,pp=16,recompute=full."),
    click.option(
        "--headroom",
        default="3%",
        show_default=True,
        help="Memory of each accelerator to keep free: a share, or 2GiB; 0% for none.",
    ),
    click.option("--price", type=float, help="Of an accelerator and hour."),
    click.option("--tokens", help="Of the whole training: 15T."),
)


def machine_options(command: Command) -> Command:
    """Add the options that say where it runs."""
    for option in reversed(MACHINE):
        command = option(command)
    return command


def training_options(command: Command) -> Command:
    """Add the options that say what is trained, and where."""
    command = machine_options(command)
    for option in reversed(TRAINING):
        command = option(command)
    return command
