"""Limits of processes: of what looked, logged in, of a service of systemd, and of all that a container may have."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.operating.services import LIMITS, SYSTEMCTL, LimitName, service_limits
from l0_infra.facts.tree import integer
from l0_infra.schemas import ResourceLimit

__all__ = ["BOUNDS", "ULIMITS", "parse_ulimits"]

ULIMITS = Source(
    name="proc-self-limits.txt",
    also=("limits.txt", "ulimit*"),
    marks=("Max locked memory ",),
    program="cat",
    command="cat /proc/self/limits",
    quick=True,
)
BOUNDS = Source(
    name="proc-1-limits.txt",
    program="cat",
    command="cat /proc/1/limits /proc/1/status /proc/1/uid_map",
    quick=True,
)

CAP_SYS_RESOURCE = 1 << 24
"""What may raise hard limits, in the initial user namespace: capabilities(7), user_namespaces(7)."""
ALL_USERS = re.compile(r"^ *0 +0 +4294967295$", re.MULTILINE)
"""How the initial user namespace maps its users."""

Scope = Literal["login", "service", "node"]
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
    return (
        *_of_process(answers[ULIMITS.name].out, "login"),
        *_of_services(answers),
        *_of_node(answers[BOUNDS.name].out),
    )


def _of_process(text: str, scope: Scope) -> Iterator[ResourceLimit]:
    for line in text.split("\n"):
        match = re.match(r"Max ([a-z ]{1,30}?) {2,}(\S+) +(\S+) ", line)
        name = KERNEL_NAMES.get(match[1]) if match else None
        if match and name:
            yield from _limit(name, None, scope, match[2], match[3])


def _of_node(text: str) -> Iterator[ResourceLimit]:
    """Yield the hard limits of the first process where nothing that it starts can raise them."""
    may = re.search(r"^CapBnd:\s*([0-9a-f]{1,16})$", text, re.MULTILINE)
    if may and not (int(may[1], 16) & CAP_SYS_RESOURCE and ALL_USERS.search(text)):
        for one in _of_process(text, "node"):
            if not one.hard_unlimited:
                yield msgspec.structs.replace(one, soft=None, soft_unlimited=None)


def _of_services(answers: Answers) -> Iterator[ResourceLimit]:
    for service, told in service_limits(answers[SYSTEMCTL.name]).items():
        for name, key in LIMITS.items():
            yield from _limit(
                name, service, "service", told.get(f"Limit{key}Soft", ""), told.get(f"Limit{key}", "")
            )


def _limit(
    name: LimitName, service: str | None, scope: Scope, soft: str, hard: str
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
