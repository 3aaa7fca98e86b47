"""Read a framework's configuration as a strategy, and say what we think of it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import read_document, render_document
from l0_infra.core.errors import UsageError, describe_os_error
from l3_modeltools import Imported, Opinion, Site, give_opinion, import_strategy, load_calibration, preset
from l3_modeltools.schemas import Machine
from ogai.flows.device import show
from ogai.flows.named_file import save_named

__all__ = ["Understood", "import_"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Understood:
    """A configuration as a strategy, and the opinion of it where model and batch are known."""

    imported: Imported
    opinion: Opinion | None
    fits: bool | None
    """Whether it fits the machine's accelerators; None: no machine, or no opinion."""


def import_(
    given: Path | Sequence[str],
    *,
    framework: str | None = None,
    model: str | None = None,
    world_size: int | None = None,
    machine: Path | None = None,
    to: Path | None = None,
) -> Understood:
    """Read a file (`-`: stdin) or arguments, and write the strategy to `to` where that is given.

    Raises DocumentError with every fault, UsageError for nobody's configuration.
    """
    site = _site(machine) if machine else None
    ranks = world_size or (site.machine.devices if site else None)
    imported = import_strategy(
        _text(given) if isinstance(given, Path) else given,
        framework,
        source=str(given) if isinstance(given, Path) else "argument",
        architecture=preset(model) if model else None,
        world_size=ranks,
    )
    if to:
        save_named(to, render_document(imported.strategy))
    opinion = give_opinion(imported.strategy, imported.practice, site)
    fits = opinion.memory.missing == 0 if opinion and site else None
    return Understood(imported=imported, opinion=opinion, fits=fits)


def _site(file: Path) -> Site:
    machine = read_document(file, expect=Machine)
    return Site(machine=machine, device=show(machine.device), calibration=load_calibration())


def _text(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError(str(file), found="what is no text", expected="a configuration") from None
    except OSError as error:
        raise UsageError(str(file), found=describe_os_error(error), expected="a file to read") from error
