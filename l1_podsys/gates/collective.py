"""Sums over the nodes of a class: all together, and in pairs when that fails, so that the one to blame is named."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Command, Runner
from l0_infra.core.units import format_bytes
from l0_infra.schemas import Vendor
from l1_podsys.gates.addresses import carrier_of
from l1_podsys.gates.bursts import RUN
from l1_podsys.gates.catalogue import verdict
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.told import ADD_TORCH, GARBLED, NO_TORCH, Told, lacks_torch, read_told, speed_of
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster, Verdict

__all__ = ["CODE", "UNBEGUN", "Add", "Sum", "add_by_torch", "judge_sums", "probe_sums"]

BACKENDS: Mapping[Vendor, str] = {"nvidia": "nccl", "amd": "nccl", "ascend": "hccl"}
LIMIT_S = 60
PORT = 29650
CODE = "collective.all-reduce"
CORRECT = "collective.correct"
UNBEGUN = "not begun: "
WRONG = "wrong "
"""How it begins when a sum came, and is not what it should be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sum:
    """What came of one sum on each of the nodes that took part: bytes a second, or why not."""

    told: Mapping[str, float | str]

    @property
    def good(self) -> bool:
        """Whether all have the right sum."""
        return all(isinstance(value, float) for value in self.told.values())

    @property
    def unbegun(self) -> str:
        """Why nobody began to sum, which says nothing of the nodes; empty when they did."""
        said = [one for one in self.told.values() if isinstance(one, str)]
        return next((one for one in said if lacks_torch(one) or one.startswith(UNBEGUN)), "")


Add = Callable[[Sequence[NodeView], int], Sum]
"""Sums over nodes; the number tells sums apart that begin soon after each other."""


def probe_sums(views: Sequence[NodeView], add: Add) -> tuple[Sum, tuple[Sum, ...]]:
    """Sum over all nodes; when that fails, and not for want of a program, over pairs of neighbours in a ring too."""
    whole = add(views, 0)
    if whole.good or len(views) < 3 or whole.unbegun:
        return whole, ()
    pairs = [(view, views[(index + 1) % len(views)]) for index, view in enumerate(views)]
    return whole, tuple(add(pair, 1 + index % 64) for index, pair in enumerate(pairs))


def add_by_torch(cluster: Cluster, python: str, reach: Reach) -> Add:
    """Sum with torch, by NCCL, HCCL or gloo."""
    return lambda views, number: _sum(cluster, views, python, reach, PORT + number)


def judge_sums(whole: Sum, pairs: Sequence[Sum], *, by: str = "torch") -> Iterator[Verdict]:
    """Judge each node; one in whose pairs every sum failed, while others' came right, is to blame."""
    blamed = (
        {node for node in whole.told if _always_fails(node, pairs)} if any(p.good for p in pairs) else set()
    )
    for node, told in whole.told.items():
        if isinstance(told, float):
            words = f"a right sum of {len(whole.told)} nodes ({by}), {format_bytes(round(told))}/s on the bus"
            yield verdict(node, CODE, "ok", words)
            yield verdict(node, CORRECT, "ok", f"of {len(whole.told)} nodes ({by})")
        elif lacks_torch(told):
            yield verdict(node, CODE, "unknown", NO_TORCH, hint=ADD_TORCH)
        elif told.startswith(GARBLED):
            yield verdict(node, CODE, "unknown", told)
        elif blamed and node not in blamed:
            yield verdict(
                node, CODE, "ok", f"a right sum with a neighbour; {', '.join(sorted(blamed))} to blame"
            )
        else:
            tried = " and with both neighbours" if node in blamed else ""
            code = CORRECT if told.startswith(WRONG) else CODE
            yield verdict(node, code, "critical", f"no right sum with the others{tried} ({by}): {told}")


def _always_fails(node: str, pairs: Sequence[Sum]) -> bool:
    own = [pair for pair in pairs if node in pair.told]
    return bool(own) and not any(pair.good for pair in own)


def _sum(cluster: Cluster, views: Sequence[NodeView], python: str, reach: Reach, port: int) -> Sum:
    leader, local, backend = _ways(cluster, views)
    text = files(__package__).joinpath("on_node_sum.py").read_bytes()
    index = {view.name: number for number, view in enumerate(views)}
    interface = {view.name: carrier_of(cluster, view)[1] for view in views}

    def ask(name: str, runner: Runner) -> float | str:
        words = {
            **{"node": index[name], "nodes": len(views), "local": local, "backend": backend},
            **{"address": leader, "port": port, "limit": LIMIT_S - 20, "interface": interface[name]},
        }
        argv = ("sh", "-c", RUN, "sh", python, *(f"{key}={value}" for key, value in words.items()))
        outcome = runner.run(Command(argv=argv, stdin=text, deadline_s=LIMIT_S))
        if not outcome.ok:
            return (outcome.stderr.strip().splitlines() or [outcome.describe_end()])[-1]
        return _speed(read_told(outcome))

    found = reach(list(index), ask, limit_s=LIMIT_S + 10, at_once=len(index))
    return Sum(told={name: one.found if isinstance(one, OgaiError) else one for name, one in found.items()})


def _speed(told: Told) -> float | str:
    """Return the speed that was told, else why there is none."""
    speed, error = speed_of(told.get("bytes_per_s")), told.get("error")
    if speed is not None:
        return speed
    return error if isinstance(error, str) and error else f"{GARBLED}: {dict(told)}"


def _ways(cluster: Cluster, views: Sequence[NodeView]) -> tuple[str, int, str]:
    """Return where the first node is reached by the others, how many processes a node starts, and over what."""
    facts = views[0].facts
    accelerators = () if facts is None else facts.accelerators
    backend = BACKENDS.get(accelerators[0].vendor, "gloo") if accelerators else "gloo"
    return carrier_of(cluster, views[0])[0], max(1, len(accelerators)), backend
