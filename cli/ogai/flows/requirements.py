"""Which Python packages ogai and each of its extras need, read from what pip installed, so declared once.

Imports the standard library only: it must be able to tell that one of the packages below it is missing.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version

from l0_infra.core.errors import FactsMissingError, UnhealthyError

__all__ = ["BASE", "Extra", "Package", "judge_base", "parse_requirements", "probe_extras"]

BASE = ""
"""Name of the extra that is no extra: what every installation needs."""

REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)\s*(?P<wanted>.*)")
EXTRA_MARKER = re.compile(r"""extra\s*==\s*['"]([^'"]+)""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    """One Python package: what is wanted (`>=3.4`), what is installed, and whether that is enough."""

    name: str
    wanted: str
    installed: str | None
    enough: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Extra:
    """One extra, its packages, and the command that brings them."""

    name: str
    packages: tuple[Package, ...]
    ready: bool
    command: str


def probe_extras() -> tuple[Extra, ...]:
    """Look at the installed distribution; the base comes first, then the extras by name.

    Raises FactsMissingError when ogai runs from its source without being installed.
    """
    try:
        lines = distribution("ogai").requires or []
    except PackageNotFoundError as error:
        raise FactsMissingError(
            "ogai doctor",
            found="no installed distribution `ogai`",
            expected="one, for it says what each extra needs",
            hint="install it: pip install -e . (or run any target of the Makefile)",
        ) from error
    return parse_requirements(lines, _installed)


def parse_requirements(lines: Iterable[str], installed: Callable[[str], str | None]) -> tuple[Extra, ...]:
    """Read requirement lines as they stand in a distribution's metadata."""
    packages: dict[str, list[Package]] = {BASE: []}
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = EXTRA_MARKER.search(marker)
        packages.setdefault(extra[1] if extra else BASE, []).append(_package(requirement, installed))
    return tuple(_extra(name, tuple(packages[name])) for name in sorted(packages))


def judge_base(extras: Iterable[Extra]) -> None:
    """Raise UnhealthyError when a package that every command needs is missing or too old."""
    base = next(extra for extra in extras if extra.name == BASE)
    if not base.ready:
        broken = [package for package in base.packages if not package.enough]
        raise UnhealthyError(
            "ogai",
            found=", ".join(f"{package.name} {package.installed or 'missing'}" for package in broken),
            expected=", ".join(f"{package.name}{package.wanted}" for package in broken),
            hint=base.command,
        )


def _package(requirement: str, installed: Callable[[str], str | None]) -> Package:
    match = REQUIREMENT.match(requirement.strip())
    if match is None:
        raise ValueError(f"not a requirement: {requirement!r}")
    found, wanted = installed(match["name"]), match["wanted"]
    enough = found is not None and _satisfies(found, wanted)
    return Package(name=match["name"], wanted=wanted, installed=found, enough=enough)


def _extra(name: str, packages: tuple[Package, ...]) -> Extra:
    wanted = f"'ogai[{name}]'" if name else "ogai"
    ready = all(package.enough for package in packages)
    return Extra(name=name, packages=packages, ready=ready, command=f"pip install --upgrade {wanted}")


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _satisfies(found: str, wanted: str) -> bool:
    """Compare with the lower bound, the only kind our project file states."""
    _, bound, minimum = wanted.partition(">=")
    return not bound or _release(found) >= _release(minimum)


def _release(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version: `4.26.0.20261006` or `2.1rc1` → comparable tuple."""
    match = re.match(r"\d+(\.\d+)*", text.strip())
    return tuple(map(int, match[0].split("."))) if match else ()
