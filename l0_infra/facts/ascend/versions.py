"""Versions of driver, firmware and CANN, as their installers left them in files."""

import re
from collections.abc import Iterator

from l0_infra.facts.tree import parse_tree
from l0_infra.schemas import Software

__all__ = ["parse_versions"]

KINDS = (
    ("/driver/version.info", "ascend driver"),
    ("/firmware/version.info", "ascend firmware"),
    ("_install.info", "cann"),
    ("/version.cfg", "cann"),
)
PLAIN = re.compile(r"version\s{0,9}=\s{0,9}([^\s\[\]]{1,80})", re.I)
RUNNING = re.compile(
    r"(?:toolkit|runtime)_running_version\s{0,9}=\s{0,9}\[(?:[^\s\[\]:]{1,80}:)?([^\s\[\]:]{1,80})\]"
)


def parse_versions(text: str) -> tuple[Software, ...]:
    """Read the first version of each file; where two files tell of CANN, the first counts."""
    found: dict[str, Software] = {}
    for one in _versions(text):
        found.setdefault(one.name, one)
    return tuple(found.values())


def _versions(text: str) -> Iterator[Software]:
    for path, lines in parse_tree(text).items():
        name = next((name for end, name in KINDS if path.endswith(end)), None)
        pattern = RUNNING if path.endswith("/version.cfg") else PLAIN
        told = next((match[1] for line in lines if (match := pattern.fullmatch(line.strip()))), None)
        if name and told:
            yield Software(name=name, software_version=told, source=path)
