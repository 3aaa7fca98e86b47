"""Measure nodes in turns: short bursts, round by round, few at a time, and more of them where one looks slow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import ceil
from random import Random

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Command, Runner
from l0_infra.core.units import format_count
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.speed import Baseline, Speeds, find_suspects
from l1_podsys.gates.told import GARBLED, Told, read_told, speed_of

__all__ = ["Asked", "Measured", "measure_class"]

ROUNDS = 5
STAGES = 4
"""The first for all; each further one for those who look slow, and for some who do not."""
WITNESSES = 4
ALONE_BELOW = 8
SHARES = 8
BURST_S = 0.4
"""Longer than three periods of a CPU quota, whose beginning looks fast."""
LIMIT_S = 60.0

RUN = 'p=$1; shift; [ -x "$p" ] || p=python3; exec "$p" -I - "$@"'
"""The interpreter of the runtime where there is one, for torch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is measured in one go, as the program on the node takes it, and where its Python may be."""

    words: tuple[str, ...]
    rounds: int = ROUNDS
    python: str = "python3"

    @property
    def names(self) -> frozenset[str]:
        """The names under which speeds may come back, and shares of the processors."""
        pairs = [word.partition("=") for word in self.words]
        measures = [
            name
            for what, _, of in pairs
            for name in ((f"write {of}", f"read {of}") if what == "storage" else (what,))
        ]
        return frozenset((*measures, *(f"held {name}" for name in measures)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What came of the bursts on the nodes of one class."""

    speeds: Mapping[str, tuple[Speeds, ...]]
    """Of each measure, one entry a node, in the order of the nodes."""
    errors: Mapping[str, str]
    """Why a node could not be measured, the last reason."""
    held: Mapping[str, Mapping[str, float]]
    """Of measures that run on all processors, the largest share of time in which a node had them."""


@dataclass(slots=True)
class _Book:
    nodes: tuple[str, ...]
    names: frozenset[str]
    bursts: dict[str, dict[str, list[float]]]
    errors: dict[str, str]

    def enter(self, node: str, answer: Told | OgaiError) -> None:
        if isinstance(answer, OgaiError):
            self.errors[node] = answer.found
            return
        for name, value in answer.items():
            if name.startswith("error-"):
                self.errors[node] = f"{name.removeprefix('error-')}: {value}"
            elif name in self.names:
                self.take(node, name, value if isinstance(value, tuple) else (value,))

    def take(self, node: str, name: str, values: Sequence[object]) -> None:
        """Take speeds in; one that is none spoils what was told with it."""
        nothing = 0.0 if name.startswith("held ") else None
        speeds = [speed for value in values if (speed := speed_of(value) or nothing) is not None]
        if len(speeds) < len(values) or not speeds:
            self.errors[node] = f"{GARBLED}: {name} {list(values)}"
        else:
            self.bursts.setdefault(name, {}).setdefault(node, []).extend(speeds)

    def speeds(self, measure: str) -> tuple[Speeds, ...]:
        found = self.bursts.get(measure, {})
        return tuple(Speeds(node=node, rounds=tuple(found.get(node, ()))) for node in self.nodes)

    def best(self, name: str) -> Mapping[str, float]:
        return {node: max(values) for node, values in self.bursts.get(name, {}).items()}


def measure_class(
    nodes: Sequence[str],
    asked: Asked,
    reach: Reach,
    baseline: Callable[[str], Baseline],
    *,
    seed: int,
    on_round: Callable[[str], None] = lambda _: None,
) -> Measured:
    """Measure the nodes of one class; virtual ones may share a machine, so that few work at a time."""
    book = _Book(nodes=tuple(nodes), names=asked.names, bursts={}, errors={})
    lot = Random(seed)
    whom: Sequence[str] = nodes
    for stage in range(STAGES):
        for turn in range(asked.rounds):
            count = format_count(len(whom), "node")
            on_round(f"{' and '.join(asked.words)}, round {stage * asked.rounds + turn + 1}, {count}")
            _one_round(whom, asked, reach, book, lot)
        whom = _next(book, baseline, lot)
        if not whom:
            break
    measures = [name for name in book.bursts if not name.startswith("held ")]
    return Measured(
        speeds={name: book.speeds(name) for name in measures},
        errors=book.errors,
        held={name: book.best(f"held {name}") for name in measures},
    )


def _one_round(nodes: Sequence[str], asked: Asked, reach: Reach, book: _Book, lot: Random) -> None:
    order = lot.sample(list(nodes), len(nodes))
    at_once = 1 if len(nodes) < ALONE_BELOW else ceil(len(nodes) / SHARES)
    answers = reach(order, lambda _, runner: _burst(runner, asked), limit_s=LIMIT_S + 5, at_once=at_once)
    for node, answer in answers.items():
        book.enter(node, answer)


def _burst(runner: Runner, asked: Asked) -> Told:
    text = files(__package__).joinpath("on_node.py").read_bytes()
    argv = ("sh", "-c", RUN, "sh", asked.python, f"seconds={BURST_S}", *asked.words)
    told = runner.run(Command(argv=argv, stdin=text, deadline_s=LIMIT_S)).check(
        hint="measuring needs python3 on the node: apt install python3-minimal"
    )
    return read_told(told)


def _next(book: _Book, baseline: Callable[[str], Baseline], lot: Random) -> tuple[str, ...]:
    """Choose who is measured again: whoever looks slow in any measure, and some who do not."""
    suspects = set(_suspects(book, baseline))
    others = [node for node in book.nodes if node not in suspects and node not in book.errors]
    return (*suspects, *lot.sample(others, min(WITNESSES, len(others)))) if suspects else ()


def _suspects(book: _Book, baseline: Callable[[str], Baseline]) -> Iterator[str]:
    for measure in book.bursts:
        if not measure.startswith("held "):
            yield from find_suspects(book.speeds(measure), baseline(measure), settled_at=2 * ROUNDS)
