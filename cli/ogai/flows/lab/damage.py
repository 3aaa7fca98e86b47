"""Hosts broken on purpose, and mended."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from l0_infra.core.errors import UsageError
from l0_infra.core.exec import Result, fan_out
from l1_podsys import BREAKS, Break, HostHandle, heal_host, load_labs
from ogai.flows.lab.hosts import find_hosts, hosts_of
from ogai.flows.lab.labs import here

__all__ = ["break_", "heal", "heal_all"]

Value = TypeVar("Value")


def break_(kind: str, nodes: str) -> None:
    """Break hosts in one way; one that is broken so already stays as it is."""
    if nodes in BREAKS and kind not in BREAKS:
        hint = f"did you mean: ogai lab break {nodes} {kind}"
        raise UsageError("kind of break", found=f"`{kind}`", expected="the kind, then the hosts", hint=hint)
    wanted = _kind(kind)
    _each(fan_out(find_hosts(here(), nodes), wanted.breaks))


def heal(nodes: str, kind: str | None = None) -> Mapping[str, tuple[str, ...]]:
    """Mend hosts, of one kind of break or of all; return what each was broken by."""
    return _healed(find_hosts(here(), nodes), kind)


def heal_all(kind: str | None = None) -> Mapping[str, tuple[str, ...]]:
    """Mend every host of every lab."""
    place = here()
    return _healed(tuple(at for lab in load_labs(place.home) for at in hosts_of(place, lab)), kind)


def _healed(hosts: tuple[HostHandle, ...], kind: str | None) -> Mapping[str, tuple[str, ...]]:
    wanted = None if kind is None else _kind(kind)

    def mend(at: HostHandle) -> tuple[str, ...]:
        if wanted is None:
            return heal_host(at)
        if not wanted.shows(at):
            return ()
        wanted.heal(at)
        return (wanted.name,)

    return {str(result.item): result.value or () for result in _each(fan_out(hosts, mend))}


def _each(results: tuple[Result[HostHandle, Value], ...]) -> tuple[Result[HostHandle, Value], ...]:
    """Return results of which none failed; raise the first failure else, when all hosts are done."""
    for result in results:
        if result.error is not None:
            raise result.error
    return results


def _kind(name: str) -> Break:
    if name not in BREAKS:
        expected = f"one of {', '.join(BREAKS)}"
        close = get_close_matches(name, BREAKS, n=1)
        hint = f"did you mean: {close[0]}" if close else ""
        raise UsageError("kind of break", found=f"`{name}`", expected=expected, hint=hint)
    return BREAKS[name]
