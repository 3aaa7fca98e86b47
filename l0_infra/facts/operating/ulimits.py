"""Limits of processes: of what looked, logged in, and of a service of systemd."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.operating.services import LIMITS, SYSTEMCTL, LimitName, service_limits
from l0_infra.facts.tree import integer
from l0_infra.schemas import ResourceLimit

__all__ = ["ULIMITS", "parse_ulimits"]

ULIMITS = Source(
    name="proc-self-limits.txt",
    also=("limits.txt", "ulimit*"),
    marks=("Max locked memory ",),
    program="cat",
    command="cat /proc/self/limits",
    quick=True,
)

KERNEL_NAMES: Mapping[str, LimitName] = {
    "locked memory": "memlock",
    "open files": "nofile",
    "processes": "nproc",
    "stack size": "stack",
    "core file size": "core",
}
UNLIMITED = frozenset({"unlimited", "infinity", str(2**64 - 1)})
"""How the kernel, systemd, and systemd before version 229 say that there is no limit."""


def parse_ulimits(answers: Answers) -> tuple[ResourceLimit, ...]:
    """List the limits that could be read."""
    return (*_of_login(answers[ULIMITS.name].out), *_of_services(answers))


def _of_login(text: str) -> Iterator[ResourceLimit]:
    for line in text.split("\n"):
        match = re.match(r"Max ([a-z ]{1,30}?) {2,}(\S+) +(\S+) ", line)
        name = KERNEL_NAMES.get(match[1]) if match else None
        if match and name:
            yield from _limit(name, None, "login", match[2], match[3])


def _of_services(answers: Answers) -> Iterator[ResourceLimit]:
    for service, told in service_limits(answers[SYSTEMCTL.name]).items():
        for name, key in LIMITS.items():
            yield from _limit(
                name, service, "service", told.get(f"Limit{key}Soft", ""), told.get(f"Limit{key}", "")
            )


def _limit(
    name: LimitName, service: str | None, scope: Literal["login", "service"], soft: str, hard: str
) -> Iterator[ResourceLimit]:
    limit = ResourceLimit(
        name=name,
        scope=scope,
        service=service,
        soft=_amount(soft),
        soft_unlimited=_unlimited(soft),
        hard=_amount(hard),
        hard_unlimited=_unlimited(hard),
    )
    if (limit.soft_unlimited, limit.hard_unlimited) != (None, None):
        yield limit


def _amount(word: str) -> int | None:
    return None if word in UNLIMITED else integer(word)


def _unlimited(word: str) -> bool | None:
    if word in UNLIMITED:
        return True
    return None if integer(word) is None else False
