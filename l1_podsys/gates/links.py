"""What the network carries between nodes: measured in pairs, each node with several others.

A pair is as slow as the slower of its two nodes. So a node counts with the best of its pairs, and only one that is slow
with everybody is slow itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from math import ceil
from random import Random
from secrets import token_hex

from l0_infra.core.errors import OgaiError
from l0_infra.core.exec import Command, Runner
from l0_infra.core.units import format_count
from l1_podsys.gates.addresses import carrier_of
from l1_podsys.gates.bursts import ALONE_BELOW, RUN, SHARES, Measured
from l1_podsys.gates.reach import Reach
from l1_podsys.gates.speed import Baseline, Speeds, find_suspects
from l1_podsys.gates.told import GARBLED, Told, read_told, speed_of
from l1_podsys.gates.view import NodeView
from l1_podsys.schemas import Cluster

__all__ = ["NETWORK", "measure_links", "pair_rounds"]

NETWORK = "network"
"""Name of the measure."""
ROUNDS = 3
WITNESSES = 3
BURSTS = 3
MOST_PAIRS = 32
"""At work at a time, however many there are."""
PORT = 29750
LIMIT_S = 15
"""How long one end waits for the other."""
DEADLINE_S = 45
"""What a pair with a slow link needs: each burst begins with a connection."""

Pair = tuple[str, str]


def pair_rounds(names: Sequence[str], rounds: int) -> Iterator[tuple[Pair, ...]]:
    """Yield rounds in which each name has a partner, another one each time; of an odd number one has none.

    The circle method of tournaments: the first stays, the others go round.
    """
    ring = [*names, *([""] if len(names) % 2 else [])]
    half = len(ring) // 2
    for _ in range(min(rounds, len(ring) - 1)):
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        if pairs := tuple((one, other) for one, other in facing if one and other):
            yield pairs
        ring = [ring[0], ring[-1], *ring[1:-1]]


def measure_links(
    cluster: Cluster,
    views: Sequence[NodeView],
    others: Sequence[NodeView],
    reach: Reach,
    baseline: Baseline,
    *,
    seed: int,
    on_round: Callable[[str], None] = lambda _: None,
) -> Measured:
    """Measure the nodes of one class, with `others` as partners too; who looks slow once more, with who does not."""
    links = _Links(cluster, (*views, *others), reach)
    own, lot = [view.name for view in views], Random(seed)
    everybody = lot.sample(list(links.views), len(links.views))
    for turn, pairs in enumerate(pair_rounds(everybody, ROUNDS)):
        on_round(f"network, round {turn + 1}, {format_count(len(pairs), 'pair')}")
        links.measure(pairs)
    suspects = find_suspects(links.speeds(own), baseline)
    sound = [name for name in everybody if name not in suspects and links.best.get(name)]
    for name in suspects:
        on_round(f"network, {name} once more")
        links.measure([(name, other) for other in lot.sample(sound, min(WITNESSES, len(sound)))], at_once=1)
    return Measured(speeds={NETWORK: links.speeds(own)}, errors=links.errors, held={})


class _Links:
    """The best pair of each node so far, and why pairs failed."""

    def __init__(self, cluster: Cluster, views: Sequence[NodeView], reach: Reach) -> None:
        self.views = {view.name: view for view in views}
        self.address = {view.name: carrier_of(cluster, view)[0] for view in views}
        self.reach = reach
        self.best: dict[str, tuple[float, ...]] = {}
        self.errors: dict[str, str] = {}

    def speeds(self, names: Sequence[str]) -> tuple[Speeds, ...]:
        return tuple(Speeds(node=name, rounds=self.best.get(name, ())) for name in names)

    def measure(self, pairs: Sequence[Pair], *, at_once: int | None = None) -> None:
        few = 2 * len(pairs) < ALONE_BELOW
        size = at_once or (1 if few else min(MOST_PAIRS, ceil(len(pairs) / SHARES)))
        for start in range(0, len(pairs), size):
            self._at_once(pairs[start : start + size])

    def _at_once(self, pairs: Sequence[Pair]) -> None:
        """Measure pairs of which no node is in two."""
        text = files(__package__).joinpath("on_node_link.py").read_bytes()
        words: dict[str, tuple[str, ...]] = {}
        for index, (one, other) in enumerate(pairs):
            where = (f"address={self.address[one]}", f"port={PORT + index}", f"token={token_hex(8)}")
            shared = (*where, f"bursts={BURSTS}", f"limit={LIMIT_S}")
            words[one], words[other] = ("end=listen", *shared), ("end=call", *shared)

        def ask(name: str, runner: Runner) -> Told:
            argv = ("sh", "-c", RUN, "sh", "python3", *words[name])
            outcome = runner.run(Command(argv=argv, stdin=text, deadline_s=DEADLINE_S))
            return read_told(outcome.check(hint="measuring needs python3 on the node"))

        told = self.reach(list(words), ask, limit_s=DEADLINE_S + 5, at_once=len(words))
        for pair in pairs:
            self._enter(pair, told)

    def _enter(self, pair: Pair, told: Mapping[str, Told | OgaiError]) -> None:
        received = [_received(told[name]) for name in pair]
        wrong = next((one for one in received if isinstance(one, str)), "")
        if wrong:
            self.errors |= {name: f"with {_other(pair, name)}: {wrong}" for name in pair}
            return
        there, back = (one for one in received if not isinstance(one, str))
        rates = tuple(map(min, there, back))
        for name in pair:
            if max(rates) > max(self.best.get(name, (0.0,))):
                self.best[name] = rates


def _other(pair: Pair, name: str) -> str:
    return pair[1] if pair[0] == name else pair[0]


def _received(told: Told | OgaiError) -> tuple[float, ...] | str:
    """Return what an end received, burst by burst, or what is wrong with its answer."""
    if isinstance(told, OgaiError):
        return told.found
    if isinstance(error := told.get("error"), str):
        return error
    values = told.get("in")
    rates = [rate for value in values if (rate := speed_of(value))] if isinstance(values, tuple) else []
    return tuple(rates) if len(rates) == BURSTS else f"{GARBLED}: {dict(told)}"
