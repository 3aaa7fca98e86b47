"""What a step's slowest stage, or its fullest one, holds at least, however layers are dealt: seconds and bytes of it.

Once a step copies exchange gradients and weights, and the optimizer passes over its share. With experts, of which each
rank may hold billions of parameters, that is as long as the work itself, and weights alone overflow most cuts.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes.parameters import Parameters, cut_parameters
from l3_modeltools.planning.cost.bytes.states import gradient_bytes, optimizer_bytes, sharing_of, weight_bytes
from l3_modeltools.planning.cost.seconds.copies import exchange_s, gathers_each_time
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.step import optimizer_s
from l3_modeltools.planning.search.problem import Problem
from l3_modeltools.planning.search.seconds import LayerSeconds, kinds_of
from l3_modeltools.planning.search.shapes import Block, Cut, Shape, outline

__all__ = ["Floors", "Once"]

ROUNDING = 1e-9

ROUNDED = 2
"""Bytes by which a share of parameters, of experts and of others, may be rounded up."""


@dataclass(frozen=True, slots=True)
class Once:
    """Seconds of what is done once a step: of the optimizer, and of exchanges before any of it hides behind work."""

    optimizer: float
    exchange: float

    def shown(self, hidden: float) -> float:
        """What is left of it where so many seconds of work can hide exchanges."""
        return self.optimizer + max(0.0, self.exchange - hidden)


@dataclass(frozen=True, slots=True)
class _Prices:
    """Seconds once a step for a layer of each kind, and for the ends of the last stage; of a rank that holds them."""

    layers: tuple[Once, Once, Once]
    last: Once
    whole: Once


class Floors:
    """Of stages that have the even share of seconds, or of layers, for one of them has it, however layers are dealt."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.kinds = problem, kinds_of(problem.architecture)
        self.rates = Rates.of(problem.machine, problem.device, problem.practice, problem.calibration)
        overlap = problem.practice.overlap_dp
        self.hidden = problem.calibration.hidden_share if overlap else 0.0
        """Share of a micro batch's seconds behind which exchanges hide."""
        self.prices = lru_cache(maxsize=None)(self._prices)
        self.state_bytes = lru_cache(maxsize=None)(self._state_bytes)
        self.most = lru_cache(maxsize=None)(self._most)

    def once(self, cut: Cut, zero: int, work: LayerSeconds, pace: float) -> Once:
        """Seconds at least of the slowest stage, which takes `pace` seconds of a micro batch or more.

        The less it holds the slower its layers are: all of them are taken to be made again.
        """
        prices = self.prices(*_like(cut, zero))
        if cut.pp == 1:
            return prices.whole
        slow = tuple(max(of) for of in work.layers)
        return Once(
            self._least(prices, slow, pace, work.output, lambda one: one.optimizer),
            self._least(prices, slow, pace, work.output, lambda one: one.exchange),
        )

    def even(self, cut: Cut, zero: int) -> Once:
        """A guess: of a stage with the even share of all."""
        whole = self.prices(*_like(cut, zero)).whole
        return Once(whole.optimizer / cut.pp, whole.exchange / cut.pp)

    def _least(
        self,
        prices: _Prices,
        slow: tuple[float, ...],
        pace: float,
        output: float,
        of: Callable[[Once], float],
    ) -> float:
        """The cheapest layers, or parts of them, that take so long together; the last stage has the output besides."""
        each = [
            (of(price) / seconds, seconds * many, of(price))
            for price, seconds, many in zip(prices.layers, slow, self.kinds, strict=True)
            if many
        ]

        def filled(left: float) -> float:
            total = 0.0
            for rate, most, _ in sorted(each):
                taken = min(max(0.0, left), most)
                total, left = total + rate * taken, left - taken
            return total

        return min(filled(pace), of(prices.last) + filled(pace - output)) * (1 - ROUNDING)

    def _prices(self, block: Block, dp: int, pp: int, zero: int) -> _Prices:
        setting = self._setting(block, dp, pp, zero)
        held = cut_parameters(setting)
        whole = Parameters(held.embedding + held.positions + held.output + held.final_norm)
        for layer, many in zip(held.layers, self.kinds, strict=True):
            whole += layer.times(many)
        dense, sparse, further = (self._price(setting, layer) for layer in held.layers)
        last = Parameters(held.output + held.final_norm)
        return _Prices((dense, sparse, further), self._price(setting, last), self._price(setting, whole))

    def _price(self, setting: Setting, held: Parameters) -> Once:
        """Without latencies, so that prices of layers add up."""
        optimizer = max(0.0, optimizer_s(setting, self.rates, held) - ROUNDED / self.rates.memory)
        if gathers_each_time(setting):
            return Once(optimizer, 0.0)
        return Once(optimizer, exchange_s(setting, self.rates, held))

    def _setting(self, block: Block, dp: int, pp: int, zero: int) -> Setting:
        cut = Cut(block, dp, pp, 1)
        return self.problem.setting(outline(self.problem, Shape(cut, 1, "1f1b", zero)))

    def least_state_bytes(self, cut: Cut, zero: int) -> int:
        """Bytes of weights, gradients and moments that some stage has at least."""
        return self.state_bytes(*_like(cut, zero), -(-sum(self.kinds) // cut.pp))

    def most_layers(self, cut: Cut, zero: int) -> int:
        """Layers of which weights, gradients and moments can fit on a stage."""
        return self.most(*_like(cut, zero))

    def _most(self, block: Block, dp: int, pp: int, zero: int) -> int:
        def beyond(layers: int) -> bool:
            return self.state_bytes(block, dp, pp, zero, layers) > self.problem.memory_bytes

        return bisect_left(range(sum(self.kinds) + 1), True, 1, key=beyond) - 1

    def _state_bytes(self, block: Block, dp: int, pp: int, zero: int, layers: int) -> int:
        setting = self._setting(block, dp, pp, zero)
        held, sharing = self._fewest(setting, layers), sharing_of(setting)
        kept = weight_bytes(setting, held, sharing) + gradient_bytes(setting, held, sharing)
        return kept + optimizer_bytes(setting, held, sharing)

    def _fewest(self, setting: Setting, layers: int) -> Parameters:
        """Parameters that so many layers of the model have at least, those of experts and the others by themselves."""
        known = [
            (layer, many)
            for layer, many in zip(cut_parameters(setting).layers, self.kinds, strict=True)
            if many
        ]
        return Parameters(
            _lightest([(one.shared, many) for one, many in known], layers),
            _lightest([(one.experts, many) for one, many in known], layers),
        )


def _lightest(known: list[tuple[int, int]], layers: int) -> int:
    total = 0
    for size, many in sorted(known):
        total, layers = total + size * min(many, layers), layers - min(many, layers)
    return total


def _like(cut: Cut, zero: int) -> tuple[Block, int, int, int]:
    """What of a cut parameters and who shares them follow from; its batches do not matter."""
    return _bare(cut.block.tp, cut.block.cp, cut.block.ep), cut.dp, cut.pp, zero


@lru_cache(maxsize=4096)
def _bare(tp: int, cp: int, ep: int) -> Block:
    return Block(tp, cp, ep, sequence_parallel=False, micro_batch_size=1)
