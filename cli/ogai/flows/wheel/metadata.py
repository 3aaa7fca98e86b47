"""What pip is told of ogai: as a project file declares it, or as the installed distribution says.

Format: the core metadata specification of the Python Packaging User Guide, version 2.4.
"""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from l0_infra.core.errors import MachineError

__all__ = ["About", "about_checkout", "about_installed"]

NAME = "ogai"
LICENSE = "licenses/LICENSE"

About = Mapping[str, bytes]
"""Files of the folder `dist-info` by their names in it."""


def about_checkout(root: Path, version: str) -> About | None:
    """Read the project file that lies beside the packages; None where there is none of ogai's."""
    file = root / "pyproject.toml"
    if not file.is_file():
        return None
    project = tomllib.loads(file.read_text("utf-8")).get("project", {})
    if project.get("name") != NAME:
        return None
    texts = {
        "METADATA": "".join(f"{line}\n" for line in _metadata(project, version)),
        "entry_points.txt": "".join(f"{line}\n" for line in _entry_points(project)),
    }
    license_ = root / "LICENSE"
    return {
        **{name: text.encode() for name, text in texts.items()},
        **({LICENSE: license_.read_bytes()} if license_.is_file() else {}),
    }


def about_installed() -> tuple[str, About]:
    """Return the version and what is kept of the installed distribution. Raises MachineError when there is none."""
    try:
        found: Distribution = distribution(NAME)
    except PackageNotFoundError as error:
        raise MachineError(
            "the wheel of ogai",
            found="neither a project file beside its packages nor an installed distribution",
            expected="one of them, to pack ogai for the nodes",
            hint="install ogai with pip, or set `runtime: {install: false}`",
        ) from error
    texts = {name: found.read_text(name) for name in ("METADATA", "entry_points.txt", LICENSE)}
    return found.version, {name: text.encode() for name, text in texts.items() if text is not None}


def _metadata(project: Mapping[str, Any], version: str) -> Iterator[str]:
    yield "Metadata-Version: 2.4"
    yield f"Name: {NAME}"
    yield f"Version: {version}"
    yield f"Summary: {project['description']}"
    yield f"License-Expression: {project['license']}"
    yield f"Requires-Python: {project['requires-python']}"
    yield from (f"Requires-Dist: {one}" for one in project["dependencies"])
    for extra, wanted in project["optional-dependencies"].items():
        yield f"Provides-Extra: {extra}"
        yield from (f"Requires-Dist: {_only_with(one, extra)}" for one in wanted)


def _only_with(requirement: str, extra: str) -> str:
    """Ask for something only where an extra is wished, beside what it is bound to already."""
    what, _, where = (part.strip() for part in requirement.partition(";"))
    bound = f"({where}) and " if where else ""
    return f"{what} ; {bound}extra == '{extra}'"


def _entry_points(project: Mapping[str, Any]) -> Iterator[str]:
    yield "[console_scripts]"
    yield from (f"{name} = {target}" for name, target in project["scripts"].items())
